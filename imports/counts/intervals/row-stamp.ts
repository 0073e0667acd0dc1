/** Reads the time that a row names: the start of what it covers, or with `--stamps end` its end. */
import { NATIVE_MINUTES, nativeGrain } from '../../../db/calendar/grains'
import type { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { DAY, dayNumber, isDate, numberOfDay } from '../../../db/calendar/local-days'
import { TimestampParser } from '../../../db/calendar/timestamp-parser'
import { FileError, quote } from '../../../db/file-errors'
import { READ_RANGES } from '../../csv/times/range-format'
import { describeUnread } from '../../csv/values'
import type { CountOptions } from '../count-options'
import type { Sensor } from '../installations'
import { installationNear, installationsOn, isDaily } from './installation-finder'
import { intervalName } from './interval-names'
import { isRegular } from './local-times'

const MIN_DAY = numberOfDay(1970, 1, 1)
const MAX_DAY = numberOfDay(2100, 12, 31)

const END_OF_DAY =
  'is the end of a day: give --stamps end if it names the end of its interval; if hours are numbered from 1 to 24, --interval-number hour --first-interval 1'

/** The result is in the fields of the parser. An end at midnight is second 86,400 of the day before. */
export class RowStamp extends TimestampParser {
  /** Whether it is a date alone, of a daily count. */
  isDate = false
  /** The seconds of a range of times (`--time-format range`), as the clock shows them; undefined for a time. */
  length: number | undefined
  private readonly ranges: RangeCheck

  constructor(
    private readonly days: LocalDayCache,
    private readonly options: CountOptions,
  ) {
    super()
    this.ranges = new RangeCheck(days, options)
  }

  /** Returns why the text is no stamp of the sensor; undefined if it is. @throws FileError if it is a range of times */
  read(sensor: Sensor, text: string): string | undefined {
    this.isDate = false
    this.length = undefined
    if (!this.parse(text) && !this.parseDaily(sensor, text) && !this.parseRange(text)) {
      if (text === '') return 'start is required'
      if (!isDate(text))
        return `start ${quote(text)} is not a timestamp like 2026-03-01T08:00:00+01:00 or 2026-03-01 08:00${describeUnread('start', text)}`
      const { nativeMinutes } = installationNear(sensor, dayNumber(text) * DAY)
      return `start ${quote(text)} is a day, but the sensor counts by the ${intervalName(nativeGrain(nativeMinutes))}: its rows need a time; a sensor that counts days is of a vendor of finest_grain day`
    }
    if (this.offset) this.ranges.check(sensor, this, text)
    const reason = this.invalidReason()
    if (reason !== undefined) return `start ${quote(text)} ${reason}`
    const { timeZone } = this.options
    if (timeZone !== undefined && this.offset === undefined && !this.isDate) this.applyZone(timeZone)
    return undefined
  }

  /** Returns the instant of a stamp with an offset. */
  get instant(): number {
    return this.day * DAY + this.second - (this.offset as number)
  }

  private parseDaily(sensor: Sensor, text: string): boolean {
    if (!isDate(text)) return false
    const day = dayNumber(text)
    if (
      sensor.installations.length > 0 &&
      ![installationNear(sensor, day * DAY), ...installationsOn(this.days, sensor, day)].some(isDaily)
    )
      return false
    Object.assign(this, { day, second: 0, millisecond: 0, offset: undefined, isDate: true })
    return true
  }

  private parseRange(text: string): boolean {
    const [time = '', length] = text.split('/')
    if (!this.parse(time)) return false
    this.length = Number(length)
    return this.length > 0
  }

  private invalidReason(): string | undefined {
    if (this.options.stamps === 'end') {
      if (this.length !== undefined) return 'is a range of times, which has a start: leave out --stamps end'
      if (this.isDate) return 'is a date, which names its day: leave out --stamps end'
      if (this.second === 0) Object.assign(this, { day: this.day - 1, second: DAY })
    } else if (this.second === DAY) return END_OF_DAY
    return this.day < MIN_DAY || this.day > MAX_DAY ? 'is not between 1970 and 2100' : undefined
  }

  /** Gives a local time the offset of a time zone, unless its clocks change on that day. */
  private applyZone(zone: string): void {
    if (isRegular(this.days, zone, this.day, this.second))
      this.offset = this.days.day(zone, this.day).zoneIntervals[0].offset
  }
}

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

/**
 * Refuses files whose ranges of times would be read as times with an offset: `08:00-09:00` is not 08:00 at UTC−9. A
 * sensor that has more than two offsets on a day has none, and neither has one whose clock never had the offset that
 * year, if the time from `08:00` to `09:00` is its interval. UTC, and a clock without summer time, are possible
 * everywhere.
 */
class RangeCheck {
  private readonly offsetsBySensor = new Map<Sensor, SensorOffsets>()

  constructor(
    private readonly days: LocalDayCache,
    private readonly options: CountOptions,
  ) {}

  /** Notes the offset of a row, which is not UTC. @throws FileError if it is a range; the message shows `start` */
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
