/** The caption of a chart: its measure, names, period, time zone, and how complete the data are. */
import type { ScopeAsset } from '../../variables/scope-assets'
import type { Table } from '../table/tables'
import { findTime } from './charts'
import { describeNote, type Note } from './notes'
import type { PartialBucket } from './partial-buckets'
import type { QueryArguments } from './query-arguments'

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

const dates = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

const formatRange = (from: string, to: string): string => dates.formatRange(new Date(from), new Date(to))

/** Notes in the caption. */
const MAX_NOTES = 4

/** Returns the lines of the caption. */
export function describeChart(
  table: Table,
  measure: string,
  { fromDate, toDate, assetId }: QueryArguments,
  assets: ScopeAsset[] | undefined,
  partial: Map<string, PartialBucket>,
  notes: Note[],
): string[] {
  const asset = assets?.find(({ id }) => id === assetId)
  const range = fromDate && toDate ? formatRange(fromDate, toDate) : undefined
  const zone = asset ? asset.timeZone : (describeZones(table) ?? `local time of ${assetId ? 'the' : 'each'} asset`)
  const first = [measure, asset && [asset.name, asset.city].filter(Boolean).join(', '), range, range && zone]
  const lines = [first.filter(Boolean).join(' · ')]
  const coverage = describeCoverage(table)
  if (coverage) lines.push(coverage)
  if (partial.size > 0) {
    const ranges = [...partial.values()].slice(0, 3).map(({ from, to }) => formatRange(from, to))
    lines.push(`○ Not whole, and no part of the line: only ${ranges.join('; ')}`)
  }
  const shown = notes.slice(0, MAX_NOTES).map(describeNote)
  return [...lines, ...shown, ...(notes.length > MAX_NOTES ? [`and ${notes.length - MAX_NOTES} more notes`] : [])]
}

/** Returns the time zones of the assets, if the table has them. */
function describeZones({ columns, rows }: Table): string | undefined {
  const column = columns.findIndex(name => /(^|\.)timeZone$/.test(name))
  const zones = new Set(column < 0 ? [] : rows.map(row => row[column]))
  return zones.size === 0 ? undefined : zones.size > 3 ? `${zones.size} time zones` : [...zones].join(', ')
}

function describeCoverage(table: Table): string | undefined {
  const column = table.columns.findIndex(name => /(^|\.)coverage$/.test(name))
  const time = findTime(table)
  const values = table.rows.map(row => row[column]).filter(cell => typeof cell === 'number')
  if (column < 0 || values.length === 0) return undefined
  const lowest = Math.min(...values)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const row = table.rows.find(cells => cells[column] === lowest)
  const when = time >= 0 && lowest < 1 && row ? `, lowest ${percent.format(lowest)} (${row[time]})` : ''
  return `coverage ${percent.format(mean)} on average${when}`
}
