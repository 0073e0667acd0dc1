/** Lines about intervals without a count, and about days with implausible ones. */
import { countOf } from '../../db/count-of'
import { quote } from '../../db/file-errors'
import type { ImplausibleDays, IncompleteIntervals } from './count-options'
import { describeDay } from './guard'

const MAX_LINES = 20

/** Returns a line for each interval, up to MAX_LINES. */
export function describeIncomplete({ intervals, total, length }: IncompleteIntervals): string[] {
  const described = intervals.slice(0, MAX_LINES)
  const more = total - described.length
  const lines = described.map(
    ({ sensor, start, parts, of }) =>
      `sensor ${quote(sensor)} gets no count at ${start}: only ${parts} of ${countOf(of, 'part')} of ${length} ${parts === 1 ? 'has' : 'have'} a count`,
  )
  return more > 0 ? [...lines, `and ${countOf(more, 'more interval')} without all parts`] : lines
}

/** Returns a line for each day, up to MAX_LINES. */
export function describeImplausible({ days, total }: ImplausibleDays): string[] {
  const described = days.slice(0, MAX_LINES)
  const more = total - described.length
  return [...described.map(describeDay), ...(more > 0 ? [`and ${countOf(more, 'more day')} with such counts`] : [])]
}
