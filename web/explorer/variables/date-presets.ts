/** Ranges of days that are often asked for. All of them end with the last day, or the last whole week or month, with data. */
import { daysBefore, lastSunday } from '../queries/query-defaults'

export interface Range {
  from: string
  to: string
}

const monthsBefore = (date: string, months: number): string => {
  const [year, month] = date.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10)
}

/** Returns the last whole month that ends at or before a day. */
function lastMonth(lastDay: string): Range {
  const isWhole = daysBefore(lastDay, -1).endsWith('-01')
  const from = monthsBefore(lastDay, isWhole ? 0 : 1)
  return { from, to: daysBefore(monthsBefore(from, -1), 1) }
}

/** Returns ranges by name. */
export function listPresets(lastDay: string): Record<string, Range> {
  const sunday = lastSunday(lastDay)
  const weeks = (count: number) => ({ from: daysBefore(sunday, count * 7 - 1), to: sunday })
  const days = (count: number) => ({ from: daysBefore(lastDay, count - 1), to: lastDay })
  const month = lastMonth(lastDay)
  return {
    'Last day': days(1),
    'Last 7 days': days(7),
    'Last 28 days': days(28),
    'Last 365 days': days(365),
    'Last whole week': weeks(1),
    'Last 4 whole weeks': weeks(4),
    'Last 12 whole weeks': weeks(12),
    'Last whole month': month,
    'Last 3 whole months': { from: monthsBefore(month.from, 2), to: month.to },
    'Last 12 whole months': { from: monthsBefore(month.from, 11), to: month.to },
  }
}
