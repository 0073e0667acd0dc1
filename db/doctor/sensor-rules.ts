/** Rules on the counts of a sensor by itself: zeros, and stuck, repeated and implausible counts. */
import { MISSING } from '../calendar/packed-counts'
import { UsualCounts } from '../counts/usual-counts'
import type { Fault } from './fault'
import type { SensorCounts } from './sensor-counts'
import { WINDOW_DAYS, weekday } from './typical-week'

/** Impressions that are usual in a row of zeros before it is a fault. */
export const MIN_USUAL = 60

/** Finds rows of zeros in a window in which much is usual. Hours without counts neither belong to a row nor end it. */
export function findZeros(sensor: SensorCounts, typical: Float64Array, window: number): Fault[] {
  const faults: Fault[] = []
  const { hours, slots } = sensor
  let [from, to, length, usual] = [window, window, 0, 0]
  const close = () => {
    const figures = { hours: (length * 24) / slots, usual }
    if (usual >= MIN_USUAL) faults.push({ fault: 'zero', from, to, figures })
    length = usual = 0
  }
  for (let i = 0; i < WINDOW_DAYS * slots; i++) {
    const day = window + Math.floor(i / slots)
    const count = hours[sensor.place(window) + i]!
    if (count === MISSING) continue
    if (count > 0) close()
    else {
      if (length++ === 0) from = day
      to = day
      usual += typical[weekday(day) * slots + (i % slots)]! || 0
    }
  }
  close()
  return faults
}

/** Equal counts in a row that are looked at. */
export const MIN_EQUAL = 6

/** The least logarithm of the odds against a row of equal counts: e^18 is 66 million. */
export const MIN_LOG_ODDS = 18

/**
 * Returns the logarithm of the odds against equal counts in a row: two counts of the same Poisson distribution of mean v are
 * equal with a probability of 1 / sqrt(4 pi v).
 */
const logOddsOf = (count: number, length: number): number => (length - 1) * Math.log(Math.sqrt(4 * Math.PI * count))

/** Finds equal counts above 0 in a row that end on a day from `from` on. */
export function findStuck(sensor: SensorCounts, from: number): Fault[] {
  const faults: Fault[] = []
  let [count, length] = [0, 0]
  let [start, end] = [
    { day: 0, interval: 0 },
    { day: 0, interval: 0 },
  ]
  const close = () => {
    if (count > 0 && length >= MIN_EQUAL && end.day >= from && logOddsOf(count, length) >= MIN_LOG_ODDS) {
      const figures = { count, intervals: length, interval: start.interval, lastInterval: end.interval }
      faults.push({ fault: 'stuck', from: start.day, to: end.day, figures })
    }
  }
  for (let day = sensor.first; day < sensor.end; day++) {
    const { counts = [] } = sensor.day(day) ?? {}
    for (let interval = 0; interval < counts.length; interval++) {
      if (counts[interval] === MISSING) continue
      if (counts[interval] !== count) {
        close()
        ;[count, length, start] = [counts[interval]!, 0, { day, interval }]
      }
      length++
      end = { day, interval }
    }
  }
  close()
  return faults
}

/** Days before a day of which it may be a copy. */
export const REPEATED_WITHIN = 7

/** Smaller counts are equal by chance. */
export const MIN_COMPARED_COUNT = 5

export const MIN_COMPARED = 12

export const MIN_EQUAL_SHARE = 0.8

/** Finds days from `from` on that repeat one of the days before. */
export function findRepeated(sensor: SensorCounts, from: number): Fault[] {
  const faults: Fault[] = []
  for (let day = from; day < sensor.end; day++) {
    for (let of = day - 1; of >= Math.max(sensor.first, day - REPEATED_WITHIN); of--) {
      const { equal, compared } = compareDays(sensor.day(day)?.counts, sensor.day(of)?.counts)
      if (compared < MIN_COMPARED || equal < MIN_EQUAL_SHARE * compared) continue
      faults.push({ fault: 'repeated_days', from: day, to: day, figures: { of, equal, compared } })
      break
    }
  }
  return faults
}

/** Compares the intervals that have enough in either day; of days with a clock change, those after it. */
function compareDays(a: ArrayLike<number> = [], b: ArrayLike<number> = []): { equal: number; compared: number } {
  const length = Math.min(a.length, b.length)
  const [skippedA, skippedB] = [a.length - length, b.length - length]
  let [equal, compared] = [0, 0]
  for (let i = 0; i < length; i++) {
    const [x, y] = [a[skippedA + i]!, b[skippedB + i]!]
    if (x < MIN_COMPARED_COUNT && y < MIN_COMPARED_COUNT) continue
    compared++
    if (x === y) equal++
  }
  return { equal, compared }
}

/** Finds counts on days from `from` on that are far above what is usual, as imports do. */
export function findImplausible(sensor: SensorCounts, from: number): Fault[] {
  const faults: Fault[] = []
  const histories = new Map<number, UsualCounts>()
  for (let day = sensor.first; day < sensor.end; day++) {
    const { minutes, counts } = sensor.day(day) ?? {}
    if (!minutes || !counts) continue
    const history = histories.get(minutes) ?? new UsualCounts(minutes)
    histories.set(minutes, history)
    const figures = day >= from ? history.judge(day, counts) : undefined
    if (figures) faults.push({ fault: 'implausible', from: day, to: day, figures })
    history.add(day, counts)
  }
  return faults
}
