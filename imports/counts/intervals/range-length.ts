/** Compares the length of a range of times with what a row of it covers. */
import type { Day } from '../../../db/calendar/local-days'
import type { Installation } from '../installations'
import type { Parts } from '../parts'
import { durationText, shownSecond } from '../spacing/row-gaps'

const DAY = 86_400

/**
 * Returns why a range is not as long as an interval or its parts; undefined if it is, or is none.
 *
 * @param length in seconds, as the clock shows it; undefined for a time
 * @param second from the start of the day
 * @param parts undefined unless counts are added up
 */
export function rangeReason(
  length: number | undefined,
  { nativeMinutes }: Installation,
  day: Day,
  second: number,
  parts: Parts | undefined,
): string | undefined {
  if (length === undefined) return undefined
  const native = nativeMinutes * 60
  // Around a clock change, the clock may show another length than that of the time.
  const elapsed = length + day.end - day.start - DAY
  const isShown = shownSecond(day, second + elapsed) - shownSecond(day, second) === length
  const lengths = (isShown ? [length, elapsed] : [length]).filter(each => native % each === 0)
  if (parts ? parts.addRange(lengths) : lengths.includes(native)) return undefined
  const known = lengths.length > 0 && parts?.known
  const expected = known
    ? `its parts have ${durationText(known)}`
    : `an interval of the sensor has ${durationText(native)}`
  const advice = lengths.length > 0 && !parts ? ': --sum-to-grain adds up finer counts' : ''
  return `start is a range of ${durationText(length)}, but ${expected}${advice}`
}
