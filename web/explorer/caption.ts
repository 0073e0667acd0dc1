/** The caption of a result: the measure, the names, the days, the time zone, and how complete the data are. */
import { measureOf, type Show } from './questions/question'
import { formatRange, type Range } from './ranges'
import { type Cell, formatCell, type Row, titleOf } from './rows'
import type { Variables } from './variables'

export interface Chart {
  rows: readonly Row[]
  show: Show
  /** The starts of buckets that are not whole. */
  parts: ReadonlySet<string>
  notes: readonly Note[]
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

/** Returns a line of the values beside the list, such as totals. */
const describeFacts = (facts: Row): string =>
  Object.entries(facts)
    .filter(([name]) => !SAID.test(name))
    .map(([name, value]) => `${titleOf(name.slice(name.lastIndexOf('.') + 1))} ${formatCell(name, value)}`)
    .join(' · ')

/** Returns the days that a result is asked for, if its variables have the names that those of questions have. */
export const daysOf = ({ from, to }: Variables): Range | undefined =>
  typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined

/** Returns the lines of the caption. */
export function describeResult({ rows, show, parts, notes }: Chart, facts: Row, variables: Variables): string[] {
  const days = daysOf(variables)
  const before = daysOf({ from: variables.before, to: variables.until })
  const first = [
    show.unit ?? titleOf(measureOf(show)),
    facts['asset.name'],
    facts['asset.city'],
    days && formatRange(days) + (before ? ` against ${formatRange(before)}` : ''),
    days && (facts['asset.timeZone'] ?? 'local days of each asset'),
  ]
  const missing = rows.filter(row => row[measureOf(show)] === null).length
  const isIncomplete = Object.entries(facts).some(([name, value]) => /(^|\.)hasMore$/.test(name) && value === true)
  return [
    first.filter(Boolean).join(' · '),
    describeFacts(facts),
    describeCoverage(rows),
    missing > 0 ? `${missing} without counts` : undefined,
    parts.size > 0 ? '○ Not whole, and no part of the line' : undefined,
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
