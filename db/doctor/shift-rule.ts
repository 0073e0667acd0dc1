/** The rule on counts that come some hours late or early: beside the typical week, as the other sensors of the company changed it. */
import type { Fault } from './fault'
import { medianOfOthers } from './others'
import type { SensorCounts } from './sensor-counts'
import { WINDOW_DAYS, weekday } from './typical-week'

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
const MIN_USUAL = 5

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
    return counted >= 0 && usual >= MIN_USUAL ? (counted + 1) / (usual + 1) : Number.NaN
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
