/** Finds the sensor-day and the native interval of a count. */

import { NATIVE_MINUTES, nativeGrain } from '../../../calendar/grains'
import { intervalStarts, type LocalDay } from '../../../calendar/local-day-cache'
import { dayNumber, isDate, numberOfDay } from '../../../calendar/local-days'
import { Suggestions } from '../../../nearest-name'
import { TimestampParser } from '../../csv/timestamp-parser'
import { quote } from '../../errors'
import type { BufferedDay } from '../count-buffer'
import type { CountImporter } from '../count-importer'
import type { Installation, Sensor } from '../installations'
import { divisor } from '../spacing/row-gaps'
import { endOfInterval, InstallationFinder, installationNear } from './installation-finder'
import { intervalName, unfitReason } from './interval-names'
import { LocalTimes } from './local-times'
import { type Pass, type RepeatedDay, RepeatedHours, type RepeatedRow } from './repeated-hours'

const DAY = 86_400
const MIN_DAY = numberOfDay(1970, 1, 1)
const MAX_DAY = numberOfDay(2100, 12, 31)

/** The state of a sensor, known from the rows before. */
export interface SensorState {
  sensor: Sensor
  /** The day of the last count, if each of its local times is one instant, at which the sensor is at one installation. */
  lastDay: BufferedDay | undefined
}

/**
 * The place of a row: `found` in the finder's `day` and `interval`; `repeated` in one of two passes, which only the whole
 * file shows; `skipped` at a local time that does not exist; `outside` of the sensor's installations or in the future;
 * `faulty` if the row cannot be read. An empty value may be skipped or outside.
 */
export type Place = 'found' | 'repeated' | 'skipped' | 'outside' | 'faulty'

const SENSOR_REQUIRED =
  'sensor is required: --set sensor=SERIAL gives all rows one, --footer-lines N leaves out the last lines, --skip-faulty any such row'

/** The results are in the fields of the finder, because a file has millions of rows. */
export class IntervalFinder {
  day: BufferedDay | undefined
  /** The index of the interval; with `sumToGrain` the second of the day. */
  interval = 0
  /** Why the row is not found. */
  reason = ''
  private readonly timestamp = new TimestampParser()
  private readonly states = new Map<string, SensorState>()
  private readonly suggestions = new Suggestions(() => this.states.keys())
  private readonly localTimes: LocalTimes
  private readonly repeatedHours = new RepeatedHours<SensorState>()
  private repeatedDay: RepeatedDay | undefined
  private readonly sum: boolean
  private readonly installations: InstallationFinder

  /**
   * @param sensors by id and serial
   * @param now seconds since 1970
   */
  constructor(
    private readonly importer: CountImporter,
    sensors: ReadonlyMap<string, Sensor>,
    now = Date.now() / 1000,
  ) {
    this.sum = importer.options.sumToGrain === true
    this.installations = new InstallationFinder(importer.days, importer.options.extendInstallations === true, now)
    this.localTimes = new LocalTimes(importer.days, this.sum)
    const states = new Map<Sensor, SensorState>()
    for (const [name, sensor] of sensors) {
      const state = states.get(sensor) ?? { sensor, lastDay: undefined }
      states.set(sensor, state)
      this.states.set(name, state)
    }
  }

  /**
   * Finds the interval of a row.
   *
   * @param name serial or id of the sensor
   * @param start a timestamp; a date for a daily count
   */
  find(name: string, start: string): Place {
    const state = this.states.get(name)
    if (!state)
      return this.faulty(
        name === '' ? SENSOR_REQUIRED : `sensor ${quote(name)} is unknown${this.suggestions.for(name)}`,
      )
    const { timestamp } = this
    if (!timestamp.parse(start) && !this.parseDate(state.sensor, start)) {
      return this.faulty(start === '' ? 'start is required' : `start ${quote(start)} is not a timestamp`)
    }
    const { sensor, lastDay } = state
    if (lastDay && lastDay.index >= 0) {
      // Most rows are of the same day as the row before.
      const second = timestamp.offset === undefined ? this.localSecond(lastDay.day) : this.instant() - lastDay.day.start
      if (second >= 0 && second < DAY) return this.select(lastDay, second)
    }
    if (timestamp.day < MIN_DAY || timestamp.day > MAX_DAY) {
      return this.faulty(`start ${quote(start)} is not between 1970 and 2100`)
    }
    if (sensor.installations.length === 0) return this.faulty(`sensor ${quote(name)} was never installed on an asset`)
    return timestamp.offset === undefined ? this.findLocal(state) : this.findExplicit(state)
  }

  /** Keeps a row whose place is `repeated`. */
  addRepeated(count: number, line: number): void {
    this.repeatedHours.add(this.repeatedDay as RepeatedDay, { second: this.timestamp.second, count, line })
  }

  /** Returns the rows of repeated hours, with their instants in the first and in the second pass. */
  *repeatedRows(): Generator<{ state: SensorState; row: RepeatedRow; pass: Pass; instants: number[] }> {
    for (const [state, day, rows] of this.repeatedHours) {
      for (const [row, pass] of rows.passes(this.importer.options.repeatedHour)) {
        yield { state, row, pass, instants: this.localTimes.listInstants(state.sensor, day, row.second) }
      }
    }
  }

  /** Returns the sensor with a serial or id. */
  findSensor(name: string): SensorState | undefined {
    return this.states.get(name)
  }

  /** Finds the interval of an instant. */
  findAt(state: SensorState, instant: number): Place {
    this.timestamp.millisecond = 0
    return this.findInstant(state, instant)
  }

  private findInstant(state: SensorState, instant: number): Place {
    const { sensor, lastDay } = state
    const { days, buffer } = this.importer
    if (lastDay && lastDay.index >= 0 && instant >= lastDay.day.start && instant < lastDay.day.end) {
      return this.select(lastDay, instant - lastDay.day.start)
    }
    state.lastDay = undefined
    // The parts of an interval belong to where it starts.
    const start = this.sum ? this.intervalStart(sensor, instant) : instant
    const installation = this.installations.at(sensor, start)
    if (!installation) return this.nowhere('outside', this.installations.outsideReason(sensor, instant))
    const day = days.dayAt(installation.zone, start)
    const buffered = buffer.openDay(sensor, installation, day)
    const place = this.select(buffered, instant - day.start)
    if (place !== 'found') return place
    const unfit = unfitReason(this.importer.options, installation.nativeMinutes)
    if (unfit) return this.faulty(unfit)
    const isWhole = this.installations.hasWholeDay(sensor, installation, day)
    if (isWhole && this.localTimes.isSimple(sensor, installation, day)) state.lastDay = buffered
    const end = isWhole ? 0 : endOfInterval(day, buffered.starts, instant)
    const reason = isWhole ? undefined : this.installations.lateReason(sensor, installation, start, end)
    return reason === undefined ? 'found' : this.nowhere('outside', reason)
  }

  /** Returns the start of the interval that contains an instant. */
  private intervalStart(sensor: Sensor, instant: number): number {
    const { zone, nativeMinutes } = installationNear(sensor, instant)
    const day = this.importer.days.dayAt(zone, instant)
    return day.start + (intervalStarts(day, nativeMinutes).findLast(start => day.start + start <= instant) ?? 0)
  }

  private findLocal(state: SensorState): Place {
    const { timestamp, localTimes, repeatedHours } = this
    const { sensor } = state
    const instants = localTimes.listInstants(sensor, timestamp.day, timestamp.second)
    const [first, second] = instants
    if (first === undefined) {
      return this.nowhere(
        'skipped',
        'start is a local time that the clock change skips: --skipped-hour drop leaves it out',
      )
    }
    if (second !== undefined) {
      if (timestamp.millisecond !== 0)
        return this.faulty(this.offGridReason(installationNear(sensor, first), timestamp.second))
      const day = repeatedHours.openRepeatedDay(state, timestamp.day)
      day.follow(first, true)
      if (localTimes.shownAt(sensor, second).second !== timestamp.second) day.namesHour = true
      this.repeatedDay = day
      return 'repeated'
    }
    if (localTimes.mayRepeat(sensor, timestamp.day)) {
      const isRepeated = localTimes.isShownTwice(sensor, timestamp.day, timestamp.second)
      repeatedHours.openRepeatedDay(state, timestamp.day).follow(first, isRepeated)
    }
    return this.findInstant(state, first)
  }

  /** Finds a timestamp with an offset. */
  private findExplicit(state: SensorState): Place {
    const { localTimes } = this
    const instant = this.instant()
    const { day, second } = localTimes.shownAt(state.sensor, instant)
    if (localTimes.mayRepeat(state.sensor, day)) {
      const rows = this.repeatedHours.openRepeatedDay(state, day)
      rows.follow(instant, localTimes.isShownTwice(state.sensor, day, second))
    }
    return this.findInstant(state, instant)
  }

  /** Reads a date without a time, which is the start of a daily count. */
  private parseDate(sensor: Sensor, start: string): boolean {
    if (!isDate(start) || sensor.installations.length === 0) return false
    const day = dayNumber(start)
    if (installationNear(sensor, day * DAY).nativeMinutes !== NATIVE_MINUTES.day) return false
    Object.assign(this.timestamp, { day, second: 0, millisecond: 0, offset: undefined })
    return true
  }

  /** @param second from the start of the day */
  private select(buffered: BufferedDay, second: number): Place {
    const { nativeMinutes } = buffered.installation
    const isRegular = nativeMinutes < NATIVE_MINUTES.hour || buffered.day.unambiguous
    const interval = this.sum ? second : isRegular ? second / (nativeMinutes * 60) : buffered.starts.indexOf(second)
    if (!Number.isInteger(interval) || interval < 0 || this.timestamp.millisecond !== 0) {
      return this.faulty(this.offGridReason(buffered.installation, second))
    }
    this.day = buffered
    this.interval = interval
    return 'found'
  }

  private offGridReason({ nativeMinutes }: Installation, second: number): string {
    if (this.sum) return 'start is not a whole second'
    const name = nativeMinutes === NATIVE_MINUTES.hour ? 'clock hour' : intervalName(nativeGrain(nativeMinutes))
    // The longest rows from midnight on that start at this second have to divide the interval.
    const isPart = this.timestamp.millisecond === 0 && (nativeMinutes * 60) % divisor(second, DAY) === 0
    const advice = isPart ? ': --sum-to-grain adds up finer counts' : ''
    return `start is not the start of a ${name}, the finest grain of the sensor${advice}`
  }

  private faulty(reason: string): 'faulty' {
    this.reason = reason
    return 'faulty'
  }

  private nowhere(place: 'skipped' | 'outside', reason: string): Place {
    this.reason = reason
    return place
  }

  /** Returns the instant of a timestamp with an offset. */
  private instant(): number {
    return this.timestamp.day * DAY + this.timestamp.second - (this.timestamp.offset as number)
  }

  private localSecond(day: LocalDay): number {
    return this.timestamp.day === day.number ? this.timestamp.second : -1
  }
}
