/** The rule on levels: the counts of a sensor beside what is usual, less what the other sensors of its company did. */
import { MIN_OTHERS, medianOfOthers } from './others'
import type { SensorCounts } from './sensor-counts'
import { median, WINDOW_DAYS, weekday } from './typical-week'

/** Days before a window that show how much the ratio varies. */
export const NOISE_DAYS = 28

export const MIN_NOISE_DAYS = 14

/** Days of ratios that a window needs. */
const RATIO_DAYS = NOISE_DAYS + WINDOW_DAYS

/** The ratios of a sensor without a typical week. */
export const NO_RATIOS = new Float32Array(RATIO_DAYS).fill(Number.NaN)

export const MIN_CHANGE = 0.4

export const NOISE_FACTOR = 5

/** A greater noise would hide a level that halved. */
export const MAX_NOISE = 0.11

/** Scales a median absolute deviation to the standard deviation of a normal distribution. */
export const MAD_SCALE = 1.4826

/** Why no level can be judged. */
const REASONS = {
  noise: `its days vary by more than ${100 * MAX_NOISE} %, in which a level that halved would not stand out`,
  others: `fewer than ${MIN_OTHERS} other sensors of the company have counts to compare with`,
  days: `fewer than ${MIN_NOISE_DAYS} of the ${NOISE_DAYS} days before can be compared`,
}

/** A new level, or the reason why none can be judged; undefined where the level is as before. */
type LevelVerdict = { change: number; noise: number } | { reason: string } | undefined

/** Returns the logarithms of the counts of RATIO_DAYS days, up to the end of a window, as shares of what is usual; NaN where either is nothing. */
export const ratiosOf = (sensor: SensorCounts, typical: Float64Array, window: number): Float32Array =>
  Float32Array.from({ length: RATIO_DAYS }, (_, i) => ratioOf(sensor, typical, window - NOISE_DAYS + i))

/** Compares the hours of a day that have both. */
function ratioOf(sensor: SensorCounts, typical: Float64Array, day: number): number {
  if (day < sensor.first || !sensor.day(day)) return Number.NaN
  const { hours, slots } = sensor
  let [counted, expected] = [0, 0]
  for (let hour = 0; hour < slots; hour++) {
    const [count, usual] = [hours[sensor.place(day) + hour]!, typical[weekday(day) * slots + hour]!]
    if (count < 0 || Number.isNaN(usual)) continue
    counted += count
    expected += usual
  }
  return counted > 0 && expected > 0 ? Math.log(counted / expected) : Number.NaN
}

/**
 * Judges the levels of the sensors of a company in one window.
 *
 * @param ratios of each sensor
 */
export function judgeLevels(ratios: readonly Float32Array[]): LevelVerdict[] {
  const trends = Array.from({ length: RATIO_DAYS }, (_, day) => medianOfOthers(ratios.map(own => own[day]!)))
  return ratios.map(own =>
    judgeLevel(
      own.slice(NOISE_DAYS),
      [...own].map((ratio, day) => ratio - trends[day]!(ratio)),
    ),
  )
}

/** Returns the logarithm of the greatest change that a noise explains. */
export const usualChange = (noise: number): number => Math.max(MIN_CHANGE, NOISE_FACTOR * noise)

/** @param alone the ratios less those of the others */
function judgeLevel(own: Float32Array, alone: readonly number[]): LevelVerdict {
  if (own.some(Number.isNaN)) return undefined
  const window = alone.slice(NOISE_DAYS)
  if (window.some(Number.isNaN)) return { reason: REASONS.others }
  const noise = noiseOf(alone.slice(0, NOISE_DAYS).filter(ratio => !Number.isNaN(ratio)))
  if (noise === undefined) return { reason: REASONS.days }
  if (noise > MAX_NOISE) return { reason: REASONS.noise }
  const change = median([...window])
  const limit = usualChange(noise)
  const isOnOneSide = window.every(ratio => ratio * Math.sign(change) > limit / 2)
  return Math.abs(change) > limit && isOnOneSide ? { change, noise } : undefined
}

function noiseOf(ratios: number[]): number | undefined {
  if (ratios.length < MIN_NOISE_DAYS) return undefined
  const middle = median(ratios)
  return MAD_SCALE * median(ratios.map(ratio => Math.abs(ratio - middle)))
}
