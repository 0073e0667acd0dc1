/** Faults of a few sensors of the demo on its last days, which `doctor` finds. */
import { dayNumber } from '../../calendar/local-days'
import { dateBefore, type Sensor } from './sensors'

/** Without a month before them, nothing is known of these days. */
const MIN_DAYS = 28

/** Changes the counts of the last days, of which the first is three days ago. */
const FAULTS: ((counts: Int32Array, day: number) => void)[] = [
  // The count of noon stays since the day before yesterday.
  (counts, day) => {
    if (day > 0) counts.fill(STUCK, day === 1 ? counts.length / 2 : 0)
  },
  (counts, day) => {
    if (day === 2) counts.fill(0)
  },
  // One of two lanes is not counted any more.
  counts => {
    counts.forEach((count, i) => {
      if (count > 0) counts[i] = Math.round(count / 2)
    })
  },
]

const STUCK = 37

const DAYS = 3

/**
 * Returns a function that changes the counts of a sensor on a date.
 *
 * @param days the number of days with counts
 */
export function faultsOf(sensors: readonly Sensor[], now: number, days: number) {
  const ordinary = sensors.filter(({ condition, minutes }) => condition === '' && minutes === 15).slice(-FAULTS.length)
  const faults = new Map(days < MIN_DAYS ? [] : ordinary.map(({ serial }, i) => [serial, FAULTS[i]!]))
  return (serial: string, asset: Parameters<typeof dateBefore>[1], date: string, counts: Int32Array): void => {
    const fault = faults.get(serial)
    if (!fault) return
    const day = dayNumber(date) - dayNumber(dateBefore(now, asset, DAYS))
    if (day >= 0) fault(counts, day)
  }
}
