/** The intervals of grains, and why those of rows do not fit a sensor, in messages. */
import { NATIVE_MINUTES, nativeGrain } from '../../../db/calendar/grains'
import { DAY, type Day } from '../../../db/calendar/local-days'
import type { NativeGrain } from '../../../schema/generated'
import type { CountOptions } from '../count-options'
import type { Installation } from '../installations'
import type { Parts } from '../parts'
import { durationText, shownSecond } from '../spacing/row-gaps'

export const intervalName = (grain: NativeGrain): string => grain.replace('_', ' ')

/** Returns the advice to give a sensor the grain of its rows. */
export const grainAdvice = (grain: NativeGrain): string =>
  `give the sensor that grain: import it with a vendor of finest_grain ${grain}`

/** Returns why rows of the interval that is given do not fit a sensor of this grain; undefined where they do. */
export function unfitReason(options: CountOptions, nativeMinutes: number): string | undefined {
  const { intervalNumber, interval = intervalNumber, sumToGrain } = options
  if (!interval) return undefined
  const minutes = NATIVE_MINUTES[interval]
  if (minutes === nativeMinutes || (minutes < nativeMinutes && sumToGrain)) return undefined
  const advice = minutes < nativeMinutes ? '--sum-to-grain adds up finer counts' : grainAdvice(interval)
  const grain = intervalName(nativeGrain(nativeMinutes))
  const option = options.interval ? '--interval' : '--interval-number'
  return `a row covers one ${intervalName(interval)} (${option}), but the sensor counts by the ${grain}: ${advice}`
}

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
