/** Lines about intervals without a count, and about days with implausible ones. */
import { quote } from '../../db/file-errors'
import { countOf } from '../../db/text/count-of'
import type { ImplausibleDays, IncompleteIntervals } from '../../imports/counts/count-options'
import { describeDay } from '../../imports/counts/guard'

const [MAX_INTERVALS, MAX_DAYS] = [100, 20]

/** Returns a line for each interval, up to MAX_INTERVALS. */
export function describeIncomplete({ intervals, total, length }: IncompleteIntervals): string[] {
  const described = intervals.slice(0, MAX_INTERVALS)
  const more = total - described.length
  const lines = described.map(
    ({ sensor, start, parts }) =>
      `sensor ${quote(sensor)} gets no count at ${start}: ${countOf(parts, 'part')} of ${length} do not make up its interval`,
  )
  return more > 0 ? [...lines, `and ${more} more intervals that lack a part`] : lines
}

/** Returns a line for each day, up to MAX_DAYS. */
export function describeImplausible({ days, total }: ImplausibleDays): string[] {
  const described = days.slice(0, MAX_DAYS)
  const more = total - described.length
  return [...described.map(describeDay), ...(more > 0 ? [`and ${more} more days with such counts`] : [])]
}
