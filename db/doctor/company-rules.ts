/** Rules on the counts of a sensor beside its typical week, as the other sensors of its company changed theirs: new levels and shifts. */
import { lastAtMost } from '../calendar/zone-rules'
import type { Fault } from './fault'
import type { SensorCounts } from './sensor-counts'
import { median, WINDOW_DAYS, weekday } from './typical-week'

/** Fewer others show nothing. */
export const MIN_OTHERS = 5

/**
 * Returns the median of the ratios without one of them, or without none if NaN is given; NaN if there are fewer than MIN_OTHERS
 * others.
 *
 * @param ratios of all sensors; NaN of those that have none
 */
function medianOfOthers(ratios: readonly number[]): (own: number) => number {
  const sorted = Float64Array.from(ratios.filter(ratio => !Number.isNaN(ratio))).sort()
  return own => {
    const place = Number.isNaN(own) ? sorted.length : lastAtMost(sorted, own)
    const others = sorted.length - (place < sorted.length ? 1 : 0)
    if (others < MIN_OTHERS) return Number.NaN
    const other = (i: number) => sorted[i < place ? i : i + 1]!
    const middle = others >> 1
    return others % 2 === 1 ? other(middle) : (other(middle - 1) + other(middle)) / 2
  }
}

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

/** Hours by which counts may be shifted. */
export const LAGS = [-2, -1, 1, 2]

/** Hours before and after the window. */
const MARGIN = 2

const WINDOW_HOURS = WINDOW_DAYS * 24

const LENGTH = WINDOW_HOURS + 2 * MARGIN

/** A shift is one if the counts are so much nearer to the typical week with it. */
export const MAX_SHARE = 0.85

export const MIN_SHIFTED_DAYS = 2

/** An hour in which less is usual does not show what the others did. */
const MIN_USUAL_HOUR = 5

/** The hours of a window and some around it, as counted (negative where they are not) and as usual (NaN where nothing is). */
export interface WindowHours {
  counted: Float32Array
  usual: Float32Array
}

/** Undefined for a sensor that counts days. */
export function hoursAround(sensor: SensorCounts, typical: Float64Array, window: number): WindowHours | undefined {
  if (sensor.slots === 1) return undefined
  const [place, week] = [sensor.place(window) - MARGIN, weekday(window) * 24 - MARGIN + typical.length]
  const hours = Float32Array.from({ length: LENGTH }, (_, i) => i)
  return {
    counted: hours.map(i => sensor.hours[place + i] ?? -1),
    usual: hours.map(i => typical[(week + i) % typical.length]!),
  }
}

/** Finds the sensors of a company whose counts of a window are nearer to what is expected some hours later or earlier. */
export function findShifts(sensors: readonly (WindowHours | undefined)[], window: number): (Fault | undefined)[] {
  const trends = Array.from({ length: LENGTH }, (_, hour) => trendOf(sensors, hour))
  return sensors.map((sensor, own) => {
    if (!sensor) return undefined
    const expected = sensor.usual.map((usual, hour) => usual * trends[hour]!(own))
    const found = findLag(sensor.counted, expected)
    return found && { fault: 'shifted', from: window, to: window + WINDOW_DAYS - 1, figures: found }
  })
}

/** Returns the median ratio of an hour to what is usual, by the sensor that is left out; 1 where too few others have one. */
function trendOf(sensors: readonly (WindowHours | undefined)[], hour: number): (own: number) => number {
  const ratios = sensors.map(sensor => {
    const [counted, usual] = [sensor?.counted[hour] ?? -1, sensor?.usual[hour] ?? Number.NaN]
    return counted >= 0 && usual >= MIN_USUAL_HOUR ? (counted + 1) / (usual + 1) : Number.NaN
  })
  const others = medianOfOthers(ratios)
  return own => others(ratios[own]!) || 1
}

function findLag(counted: Float32Array, expected: Float32Array): { hours: number; share: number } | undefined {
  const without = distances(counted, expected, 0)
  let best: { hours: number; share: number } | undefined
  for (const hours of LAGS) {
    const shifted = distances(counted, expected, hours)
    const share = sum(shifted) / sum(without)
    const nearer = shifted.filter((distance, day) => distance < without[day]!).length
    if (share < (best?.share ?? MAX_SHARE) && nearer >= MIN_SHIFTED_DAYS) best = { hours, share }
  }
  return best
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Returns the distance of each day from what is expected `lag` hours before, scaled to the total of the day. */
const distances = (counted: Float32Array, expected: Float32Array, lag: number): number[] =>
  Array.from({ length: WINDOW_DAYS }, (_, day) => {
    const start = MARGIN + day * 24
    const hours = Array.from(
      { length: 24 },
      (_, hour) => [counted[start + hour]!, expected[start + hour - lag]!] as const,
    )
    const compared = hours.filter(([count, usual]) => count >= 0 && !Number.isNaN(usual))
    const scale = sum(compared.map(([count]) => count)) / (sum(compared.map(([, usual]) => usual)) || 1)
    return sum(compared.map(([count, usual]) => Math.abs(Math.sqrt(count) - Math.sqrt(scale * usual))))
  })
