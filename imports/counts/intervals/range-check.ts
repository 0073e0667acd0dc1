/**
 * Refuses files whose ranges of times would be read as times with an offset: `08:00-09:00` is not 08:00 at UTC−9. A sensor that
 * has more than two offsets on a day has none, and neither has one whose clock never had the offset that year, if the time from
 * `08:00` to `09:00` is its interval. UTC, and a clock without summer time, are possible everywhere.
 */
import { NATIVE_MINUTES } from '../../../db/calendar/grains'
import type { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { numberOfDay } from '../../../db/calendar/local-days'
import type { TimestampParser } from '../../../db/calendar/timestamp-parser'
import { FileError, quote } from '../../../db/file-errors'
import { READ_RANGES } from '../../csv/times/range-format'
import type { CountOptions } from '../count-options'
import type { Sensor } from '../installations'
import { installationNear } from './installation-finder'

const DAY = 86_400

/** Days of a sensor that are noted in one number. */
const BLOCK = 32

/** The offsets of a sensor's rows. */
interface SensorOffsets {
  /** The day, as written, and the offset of the last row. */
  day: number
  offset: number
  /** By offset, the days on which it occurs, and those with a row that may be a range: a bit each in blocks of days. */
  readonly days: Map<number | 'range', Map<number, number>>
}

export class RangeCheck {
  private readonly offsetsBySensor = new Map<Sensor, SensorOffsets>()

  constructor(
    private readonly days: LocalDayCache,
    private readonly options: CountOptions,
  ) {}

  /**
   * Notes the offset of a row, which is not UTC.
   *
   * @param start as the message shows it
   * @throws FileError when it is a range
   */
  check(sensor: Sensor, { day, second, offset = 0 }: TimestampParser, start: string): void {
    const known = this.offsetsBySensor.get(sensor) ?? { day: Number.NaN, offset, days: new Map() }
    const isInterval = this.isInterval(sensor, day, -offset - second)
    if (day === known.day && offset === known.offset && !isInterval) return
    this.offsetsBySensor.set(sensor, Object.assign(known, { day, offset }))
    if (isInterval) noteDay(known.days, day, 'range')
    const noted = noteDay(known.days, day, offset)
    const offsets = noted.filter(each => each !== 'range')
    const hasRange = offsets.length < noted.length
    if (offsets.length > 2 || (hasRange && !this.arePossible(sensor, day, offsets))) throw rangeError(start)
  }

  /** Returns whether the clock had one offset in that year, and the days beside it; two of them, around that day. */
  private arePossible({ installations }: Sensor, day: number, offsets: readonly number[]): boolean {
    const possible = installations.flatMap(({ zone }) =>
      offsets.length > 1 ? this.days.offsets(zone, day - 1, day + 1) : this.listOffsets(zone, day),
    )
    return offsets.every(offset => possible.includes(offset))
  }

  private listOffsets(zone: string, day: number): readonly number[] {
    const year = new Date(day * DAY * 1000).getUTCFullYear()
    return this.days.offsets(zone, numberOfDay(year, 1, 1) - 1, numberOfDay(year, 12, 31) + 1)
  }

  private isInterval(sensor: Sensor, day: number, seconds: number): boolean {
    if (sensor.installations.length === 0 || seconds <= 0) return false
    const { interval, sumToGrain } = this.options
    const native = installationNear(sensor, day * DAY).nativeMinutes * 60
    return (
      seconds === (interval ? NATIVE_MINUTES[interval] * 60 : native) || (sumToGrain === true && native % seconds === 0)
    )
  }
}

/** Notes what occurs on a day, and returns all that does. */
function noteDay(days: SensorOffsets['days'], day: number, offset: number | 'range'): (number | 'range')[] {
  const block = Math.floor(day / BLOCK)
  const bit = 1 << (day % BLOCK)
  const blocks = days.get(offset) ?? new Map<number, number>()
  days.set(offset, blocks)
  blocks.set(block, (blocks.get(block) ?? 0) | bit)
  return [...days].flatMap(([other, noted]) => ((noted.get(block) ?? 0) & bit ? [other] : []))
}

const rangeError = (start: string): FileError =>
  new FileError(
    `start ${quote(start)} looks like a range of times, not like a time with an offset from UTC: ${READ_RANGES}`,
  )
