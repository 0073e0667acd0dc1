/** Ranges of days: those that are often asked for, the one that a comparison is made with, and the buckets of a grain. */

export interface Range {
  from: string
  to: string
}

export const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Days of an address or of the reader's own query may be none. */
export const formatRange = ({ from, to }: Range): string =>
  Number.isNaN(Date.parse(from) + Date.parse(to)) ? `${from} – ${to}` : dates.formatRange(new Date(from), new Date(to))

const monthsBefore = (date: string, months: number): string => {
  const [year, month] = date.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10)
}

const PRESETS = {
  'Last 7 days': last => days(last, 7),
  'Last 28 days': last => days(last, 28),
  'Last whole week': last => whole(last, 'week', 1),
  'Last 2 whole weeks': last => whole(last, 'week', 2),
  'Last 4 whole weeks': last => whole(last, 'week', 4),
  'Last 12 whole weeks': last => whole(last, 'week', 12),
  'Month so far': last => ({ from: beginOf(last, 'month'), to: last }),
  'Last whole month': last => whole(last, 'month', 1),
  'Last 3 whole months': last => whole(last, 'month', 3),
  'Last 12 whole months': last => whole(last, 'month', 12),
  'Quarter so far': last => ({ from: beginOf(last, 'quarter'), to: last }),
  'Last whole quarter': last => whole(last, 'quarter', 1),
} satisfies Record<string, (lastDay: string) => Range>

export type Preset = keyof typeof PRESETS

/** Returns the ranges by name. All of them end with the last day, or the last whole week, month or quarter, with data. */
export const listPresets = (lastDay: string): [name: Preset, range: Range][] =>
  Object.entries(PRESETS).map(([name, rangeBefore]) => [name as Preset, rangeBefore(lastDay)])

function days(last: string, count: number): Range {
  return { from: daysBefore(last, count - 1), to: last }
}

function whole(last: string, grain: 'week' | 'month' | 'quarter', count: number): Range {
  const next = beginOf(daysBefore(last, -1), grain)
  const from = grain === 'week' ? daysBefore(next, count * 7) : monthsBefore(next, count * (grain === 'month' ? 1 : 3))
  return { from, to: daysBefore(next, 1) }
}

/** Returns the range with which a range is compared, directly before it: as many whole months as it has, or as many days. */
export function rangeBefore({ from, to }: Range): Range {
  // Days of an address may be none.
  if (Number.isNaN(Date.parse(from) + Date.parse(to))) return { from, to }
  const last = daysBefore(from, 1)
  const next = daysBefore(to, -1)
  if (from.endsWith('-01') && next.endsWith('-01'))
    return { from: monthsBefore(from, countMonths(from, next)), to: last }
  return days(last, (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1)
}

function countMonths(from: string, to: string): number {
  const [first, last] = [new Date(from), new Date(to)]
  return (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth()
}

/** Returns the starts of the buckets that one of the ranges cuts. Days and shorter buckets are whole. */
export function findCutBuckets(starts: readonly string[], grain: unknown, ranges: readonly Range[]): Set<string> {
  // More days than the longest bucket of a grain has, and fewer than two of its shortest ones have.
  const longest = { week: 7, month: 31, quarter: 92 }[String(grain)]
  if (longest === undefined) return new Set()
  const isCut = (start: string) => {
    const first = beginOf(start.slice(0, 10), grain)
    const last = daysBefore(beginOf(daysBefore(first, -longest), grain), 1)
    return ranges.some(({ from, to }) => first < from || last > to)
  }
  return new Set(starts.filter(isCut))
}

function beginOf(day: string, grain: unknown): string {
  if (grain === 'week') return daysBefore(day, (new Date(day).getUTCDay() + 6) % 7)
  return monthsBefore(day, grain === 'quarter' ? (Number(day.slice(5, 7)) - 1) % 3 : 0)
}
