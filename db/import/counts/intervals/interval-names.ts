/** The intervals of grains in messages. */
import type { NativeGrain } from '../../../calendar/grains'

export const intervalName = (grain: NativeGrain): string => grain.replace('_', ' ')

/** The advice to give a sensor the grain of its rows. */
export const grainAdvice = (grain: NativeGrain): string =>
  `give the sensor that grain: import it with a vendor of finest_grain ${grain}`
