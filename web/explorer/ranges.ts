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
  'Last day': last => days(last, 1),
  'Last 7 days': last => days(last, 7),
  'Last 28 days': last => days(last, 28),
  'Last whole week': last => weeks(last, 1),
  'Last 2 whole weeks': last => weeks(last, 2),
  'Last 4 whole weeks': last => weeks(last, 4),
  'Last 12 whole weeks': last => weeks(last, 12),
  'Month so far': last => ({ from: monthsBefore(last, 0), to: last }),
  'Last whole month': last => months(last, 1),
  'Last 3 whole months': last => months(last, 3),
  'Last 12 whole months': last => months(last, 12),
} satisfies Record<string, (lastDay: string) => Range>

export type Preset = keyof typeof PRESETS

/** Returns the ranges by name. All of them end with the last day, or the last whole week or month, with data. */
export const listPresets = (lastDay: string): [name: Preset, range: Range][] =>
  Object.entries(PRESETS).map(([name, rangeBefore]) => [name as Preset, rangeBefore(lastDay)])

function days(last: string, count: number): Range {
  return { from: daysBefore(last, count - 1), to: last }
}

function weeks(last: string, count: number): Range {
  return days(daysBefore(last, new Date(last).getUTCDay()), count * 7)
}

function months(last: string, count: number): Range {
  const next = isLastOfMonth(last) ? daysBefore(last, -1) : monthsBefore(last, 0)
  return { from: monthsBefore(next, count), to: daysBefore(next, 1) }
}

const isLastOfMonth = (day: string): boolean => daysBefore(day, -1).endsWith('-01')

/** Returns the range with which a range is compared: as many days directly before it. */
export function rangeBefore({ from, to }: Range): Range {
  const length = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  return days(daysBefore(from, 1), length)
}

/** Returns the starts of the buckets of which one of the ranges has only a part. Days and shorter buckets have no parts. */
export function findParts(starts: readonly string[], grain: unknown, ranges: readonly Range[]): Set<string> {
  // More days than the longest bucket of a grain has, and fewer than two of its shortest ones have.
  const longest = { week: 7, month: 31, quarter: 92 }[String(grain)]
  if (longest === undefined) return new Set()
  const isPart = (start: string) => {
    const first = beginOf(start.slice(0, 10), grain)
    const last = daysBefore(beginOf(daysBefore(first, -longest), grain), 1)
    return ranges.some(({ from, to }) => first < from || last > to)
  }
  return new Set(starts.filter(isPart))
}

function beginOf(day: string, grain: unknown): string {
  if (grain === 'week') return daysBefore(day, (new Date(day).getUTCDay() + 6) % 7)
  return monthsBefore(day, grain === 'quarter' ? (Number(day.slice(5, 7)) - 1) % 3 : 0)
}
