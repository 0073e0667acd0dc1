/** The rule on zeros in hours in which impressions are usual. */
import { MISSING } from '../calendar/packed-counts'
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
