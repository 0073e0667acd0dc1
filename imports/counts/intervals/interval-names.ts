/** The intervals of grains, and why those of rows do not fit a sensor, in messages. */
import { NATIVE_MINUTES, nativeGrain } from '../../../db/calendar/grains'
import type { NativeGrain } from '../../../schema/generated'
import type { CountOptions } from '../count-options'

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
