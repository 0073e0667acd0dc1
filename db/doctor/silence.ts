/** The rule on hours that are empty although something is usual. */
import type { Fault } from './fault'
import { NOT_EXPECTED, type SensorCounts } from './sensor-counts'
import { WINDOW_DAYS, weekday } from './typical-week'

/** An hour without impressions, or a day of a sensor that counts days. */
export interface EmptyHour {
  /** 24 a day since 1970-01-01. */
  hour: number
  usual: number
  /** Whether a zero was counted. */
  isZero: boolean
}

/** Returns the hours of the window, or of the days up to an end, that are zero or missing, although something is expected. */
export function findEmptyHours(
  sensor: SensorCounts,
  typical: Float64Array,
  window: number,
  end = window + WINDOW_DAYS,
): EmptyHour[] {
  const empty: EmptyHour[] = []
  const { hours, slots } = sensor
  for (let day = window; day < end; day++) {
    for (let slot = 0; slot < slots; slot++) {
      const count = hours[sensor.place(day) + slot]!
      if (count > 0 || count === NOT_EXPECTED) continue
      const usual = typical[weekday(day) * slots + slot]!
      empty.push({ hour: 24 * day + slot, usual: usual || 0, isZero: count === 0 })
    }
  }
  return empty
}

/** Impressions that are usual in a row of empty hours before it is a fault. */
const MIN_USUAL = 60

/** Shorter gaps are no false numbers, and coverage shows them. Zeros are numbers. */
const MIN_SILENT_HOURS = 3

/** Finds rows of empty hours in which much is usual. @param slots hours of a day that the sensor counts */
export function findSilence(empty: readonly EmptyHour[], slots: number): Fault[] {
  const faults: Fault[] = []
  let row: EmptyHour[] = []
  const close = () => {
    const usual = row.reduce((sum, hour) => sum + hour.usual, 0)
    if (usual < MIN_USUAL) return
    const hours = (row.length * 24) / slots
    const [from, to] = [row[0]!, row.at(-1)!].map(({ hour }) => Math.floor(hour / 24)) as [number, number]
    const zeros = row.filter(({ isZero }) => isZero).length
    const fault = zeros * 2 > row.length ? 'zero' : 'silent'
    if (fault === 'zero' || hours >= MIN_SILENT_HOURS) faults.push({ fault, from, to, figures: { hours, usual } })
  }
  for (const hour of empty) {
    if (hour.hour !== (row.at(-1)?.hour ?? 0) + 24 / slots) {
      close()
      row = []
    }
    row.push(hour)
  }
  close()
  return faults
}
