/** The caption of a result: the measure, the names, the days, the time zone, and how complete the data are. */
import { formatValue } from '../form/filters'
import { formatRange, type Range } from '../form/ranges'
import { filterOf, type Variables } from '../form/variables'
import { measureOf, type Show } from '../questions/question'
import { type Cell, formatCell, isUneven, type Row, titleOf, UNEVEN } from './rows'

export interface Chart {
  rows: readonly Row[]
  show: Show
  /** The starts of buckets that are not whole. */
  cutBuckets: ReadonlySet<string>
  notes: readonly Note[]
  /** The names of the lines, bars or rows of a heat map that are drawn. */
  groups: readonly string[]
  /** A sentence if there are others. */
  omission: string | undefined
  hrefOf(row: Row): string | undefined
}

/** A note on the data, of which charts show the days. */
export interface Note {
  from: string
  to: string
  /** `provisional`: days behind the last closed month. */
  kind: 'caveat' | 'break' | 'unusable' | 'provisional'
  text: string
}

/** Facts that the caption says in its own way. */
const SAID = /^asset\.(name|city|timeZone|company\.finalThrough)$|(^|\.)hasMore$/

/** Returns a line of the values beside the list, such as totals. A value that is false says nothing. */
const describeFacts = (facts: Row): string =>
  Object.entries(facts)
    .filter(([name, value]) => !SAID.test(name) && value !== false)
    .map(([name, value]) => describeFact(titleOf(name.replace(/\.count$/, '').replace(/^.*\./, '')), name, value))
    .join(' · ')

const describeFact = (title: string, name: string, value: Cell): string =>
  value === true ? title : `${title} ${value === null ? 'none' : formatCell(name, value)}`

/** Returns the days that a result is asked for, if its variables have the names that those of questions have. */
export const daysOf = ({ from, to }: Variables): Range | undefined =>
  typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined

export function describeResult(
  { rows, show, cutBuckets, notes }: Pick<Chart, 'rows' | 'show' | 'cutBuckets' | 'notes'>,
  facts: Row,
  variables: Variables,
  names: ReadonlyMap<string, string>,
): string[] {
  const days = daysOf(variables)
  const before = daysOf({ from: variables.before, to: variables.until })
  const filters = facts['asset.name'] ? [] : Object.entries(filterOf(variables))
  const ofFilter = (name: string, value: unknown) => names.get(String(value)) ?? formatValue(name, String(value))
  const first = [
    show.unit ?? titleOf(measureOf(show)),
    facts['asset.name'],
    facts['asset.city'],
    ...filters.map(([name, values]) => (values as unknown[]).map(value => ofFilter(name, value)).join(', ')),
    days && formatRange(days) + (before ? ` against ${formatRange(before)}` : ''),
    days && (facts['asset.timeZone'] ?? 'local days of each asset'),
  ]
  const uneven = rows.filter(isUneven).length
  const missing = rows.filter(row => row[measureOf(show)] === null).length
  const isIncomplete = Object.entries(facts).some(([name, value]) => /(^|\.)hasMore$/.test(name) && value === true)
  return [
    first.filter(Boolean).join(' · '),
    describeFacts(facts),
    describeCoverage(rows),
    uneven > 0 ? `${UNEVEN} ${uneven} whose coverage differs by more than a tenth between the ranges` : undefined,
    missing > 0 ? `${missing} of ${rows.length} values without counts` : undefined,
    cutBuckets.size > 0 ? '○ Not whole, and no part of the line' : undefined,
    ...notes.map(describeNote),
    isIncomplete ? 'There are more than these: the list is cut at its limit.' : undefined,
  ].filter(line => line !== undefined && line !== '') as string[]
}

function describeCoverage(rows: readonly Row[]): string | undefined {
  const values = rows.map(row => row.coverage).filter(cell => typeof cell === 'number')
  if (values.length === 0) return undefined
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return `Coverage ${formatCell('coverage', mean)} on average, lowest ${formatCell('coverage', Math.min(...values))}`
}

/** Returns the notes of a list of the result, cut to its days, and one on the days that are not final. */
export function readNotes(rows: readonly Row[], final: Cell | undefined, { from, to }: Range): Note[] {
  const notes = rows.map(row => ({ ...row, to: row.to ?? to }) as Note)
  if (typeof final === 'string' && final < to) {
    const text = `totals up to ${final} are final, later ones may change`
    const next = new Date(Date.parse(final) + 86_400_000).toISOString().slice(0, 10)
    notes.unshift({ from: next, to, kind: 'provisional', text })
  }
  return notes
    .filter(note => note.kind !== 'break' || note.from >= from)
    .map(note => ({ ...note, from: note.from < from ? from : note.from, to: note.to > to ? to : note.to }))
}

/** Returns a line of text about a note, which begins as its mark looks. */
function describeNote({ kind, from, to, text }: Note): string {
  if (kind === 'provisional') return `│ Provisional from ${from}: ${text}`
  if (kind === 'break') return `┆ Break on ${from}: ${text}`
  return `▒ ${kind === 'unusable' ? 'Unusable' : 'Caveat'} ${from === to ? from : `${from} to ${to}`}: ${text}`
}
