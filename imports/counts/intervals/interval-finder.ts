/** Finds the sensor-day and the native interval of a count. */
import { NATIVE_MINUTES, nativeGrain } from '../../../db/calendar/grains'
import { DAY, listStarts } from '../../../db/calendar/local-days'
import { quote } from '../../../db/file-errors'
import type { BufferedDay } from '../count-buffer'
import type { CountImporter } from '../count-importer'
import type { Installation, Sensor } from '../installations'
import { divisor, shownSecond } from '../spacing/row-gaps'
import { endOfInterval, InstallationFinder, installationNear } from './installation-finder'
import { intervalName, rangeReason, unfitReason } from './interval-names'
import { EndStamps, LocalTimes } from './local-times'
import { RepeatedHours } from './repeated-hours'
import {
  AT_NO_ASSET,
  AT_TWO_ASSETS,
  BEGUN_ELSEWHERE,
  type FoundInterval,
  faulty,
  type NoInterval,
  type RowPlace,
  SKIPPED,
} from './row-place'
import { RowStamp } from './row-stamp'

/** The state of a sensor, known from the rows before. */
export interface SensorState {
  sensor: Sensor
  /** The day of the last count, if each of its local times is one instant, at one installation of the sensor. */
  lastDay: BufferedDay | undefined
  /** The starts of intervals that ended, before a clock change, at a time that the clock skips. */
  readonly endedBefore: Set<number>
}

const SENSOR_REQUIRED =
  'sensor is required: --set sensor=SERIAL gives all rows one, --footer-lines N leaves out the last lines, --skip-faulty any such row'

export class IntervalFinder {
  private readonly timestamp: RowStamp
  private readonly states = new Map<string, SensorState>()
  readonly localTimes: LocalTimes
  /** The same with `--stamps end`; undefined if a stamp names the start. */
  private readonly endStamps: EndStamps | undefined
  readonly repeatedHours = new RepeatedHours<SensorState>()
  /** The local times of assets, if the file has another time zone. */
  private readonly assetTimes: LocalTimes
  private readonly sum: boolean
  /** The time zone of times without an offset, if it is not that of the asset. */
  private readonly zone: string | undefined
  private readonly installations: InstallationFinder

  /** @param sensors by id and serial @param now seconds since 1970 */
  constructor(
    private readonly importer: CountImporter,
    sensors: ReadonlyMap<string, Sensor>,
    now = Date.now() / 1000,
  ) {
    const { days, options } = importer
    this.sum = options.sumToGrain === true
    this.installations = new InstallationFinder(days, options.extendInstallations === true, now)
    this.endStamps = options.stamps === 'end' ? new EndStamps(days, this.sum, options.timeZone) : undefined
    this.zone = options.timeZone
    this.timestamp = new RowStamp(days, options)
    this.assetTimes = new LocalTimes(days, this.sum)
    this.localTimes = this.endStamps ?? new LocalTimes(days, this.sum, options.timeZone)
    const states = new Map<Sensor, SensorState>()
    for (const [name, sensor] of sensors) {
      const state = states.get(sensor) ?? { sensor, lastDay: undefined, endedBefore: new Set() }
      states.set(sensor, state)
      this.states.set(name, state)
    }
  }

  /** Finds the interval of a row. @param name serial or id @param start a timestamp; a date for a daily count */
  find(name: string, start: string): RowPlace {
    const state = this.states.get(name)
    if (!state) return faulty(name === '' ? SENSOR_REQUIRED : `sensor ${quote(name)} is unknown`)
    const { timestamp } = this
    const { sensor, lastDay } = state
    const reason = timestamp.read(sensor, start)
    if (reason !== undefined) return faulty(reason)
    if (lastDay && !lastDay.isDrained && timestamp.second < DAY) {
      // Most rows are of the same day as the row before.
      const local = timestamp.day === lastDay.day.number && this.zone === undefined ? timestamp.second : -1
      const second = timestamp.offset === undefined ? local : timestamp.instant - lastDay.day.start
      const rowStart = this.endStamps ? second - this.endStamps.secondsIn(lastDay.installation) : second
      if (rowStart >= 0 && rowStart < DAY) return this.select(lastDay, rowStart)
    }
    if (sensor.installations.length === 0) return faulty(`sensor ${quote(name)} was never installed on an asset`)
    const isOfAsset = timestamp.isDate || (timestamp.offset === undefined && this.zone === undefined)
    const ambiguous = isOfAsset ? this.installations.twoAssetsReason(sensor, timestamp.day) : undefined
    if (ambiguous !== undefined) return { kind: 'outside', reason: ambiguous }
    if (timestamp.isDate && this.zone !== undefined) return this.findDate(state)
    return timestamp.offset === undefined ? this.findLocal(state) : this.findExplicit(state)
  }

  /** Finds a date in the time zone of the asset, where the file has another one. */
  private findDate(state: SensorState): RowPlace {
    const [start] = this.assetTimes.listInstants(state.sensor, this.timestamp.day, 0)
    return start === undefined ? SKIPPED : this.findInstant(state, start)
  }

  findAt(state: SensorState, instant: number): FoundInterval | NoInterval {
    Object.assign(this.timestamp, { millisecond: 0, offset: undefined, length: undefined })
    return this.findInstant(state, instant)
  }

  private findInstant(state: SensorState, instant: number): FoundInterval | NoInterval {
    const { sensor, lastDay } = state
    const { days, buffer } = this.importer
    if (lastDay && !lastDay.isDrained && instant >= lastDay.day.start && instant < lastDay.day.end) {
      return this.select(lastDay, instant - lastDay.day.start)
    }
    state.lastDay = undefined
    // The parts of an interval belong to where it starts.
    const start = this.sum ? this.intervalStart(sensor, instant) : instant
    const installation = this.installations.at(sensor, start)
    if (!installation) return { kind: 'outside', reason: this.installations.outsideReason(sensor, instant) }
    const day = days.dayAt(installation.zone, start)
    if (instant >= day.end) return BEGUN_ELSEWHERE
    const buffered = buffer.openDay(sensor, installation, day)
    const place = this.select(buffered, instant - day.start)
    if (place.kind !== 'interval') return place
    const unfit = unfitReason(this.importer.options, installation.nativeMinutes)
    if (unfit) return faulty(unfit)
    const isWhole = this.installations.hasWholeDay(sensor, installation, day)
    if (isWhole && this.localTimes.isSimple(sensor, installation, day)) state.lastDay = buffered
    const end = isWhole ? 0 : endOfInterval(day, buffered.starts, instant)
    const reason = isWhole ? undefined : this.installations.lateReason(sensor, installation, start, end)
    return reason === undefined ? place : { kind: 'outside', reason }
  }

  private intervalStart(sensor: Sensor, instant: number): number {
    const { zone, nativeMinutes } = installationNear(sensor, instant)
    const day = this.importer.days.dayAt(zone, instant)
    return day.start + (listStarts(day, nativeMinutes).findLast(start => day.start + start <= instant) ?? 0)
  }

  private findLocal(state: SensorState): RowPlace {
    const { timestamp, localTimes, repeatedHours } = this
    const { sensor } = state
    const instants = localTimes.listInstants(sensor, timestamp.day, timestamp.second)
    const [first, second] = instants
    if (first === undefined)
      return localTimes.isShownElsewhere(sensor, timestamp.day, timestamp.second) ? AT_NO_ASSET : SKIPPED
    if (instants.some(instant => installationNear(sensor, instant).zone !== installationNear(sensor, first).zone))
      return AT_TWO_ASSETS
    if (second !== undefined) {
      if (timestamp.millisecond !== 0)
        return faulty(this.offGridReason(installationNear(sensor, first), timestamp.second, timestamp.second))
      const installation = installationNear(sensor, first)
      const shown = this.importer.days.dayAt(installation.zone, first)
      const reason = rangeReason(timestamp.length, installation, shown, first - shown.start, this.importer.parts)
      if (reason !== undefined) return faulty(reason)
      // The end of a day is in the repeated hour with which the next one begins.
      if (timestamp.second === DAY && localTimes.shownAt(sensor, second).day > timestamp.day)
        Object.assign(timestamp, { day: timestamp.day + 1, second: 0 })
      const day = repeatedHours.openRepeatedDay(state, timestamp.day)
      day.follow(first, true)
      if (localTimes.labelsHour(sensor, second, timestamp.second)) day.namesHour = true
      return { kind: 'repeated', rows: day, second: timestamp.second }
    }
    if (this.endStamps?.isSkipped(sensor, timestamp.day, timestamp.second, first)) state.endedBefore.add(first)
    if (localTimes.mayRepeat(sensor, timestamp.day)) {
      const rows = repeatedHours.openRepeatedDay(state, timestamp.day)
      rows.follow(first, localTimes.isShownTwice(sensor, timestamp.day, timestamp.second))
      // Only the whole file shows whether another row names the same end.
      const isSetForward = this.endStamps?.isSetForward(sensor, timestamp.day, timestamp.second)
      if (isSetForward) return { kind: 'repeated', rows, second: timestamp.second }
    }
    return this.findInstant(state, first)
  }

  private findExplicit(state: SensorState): RowPlace {
    const { timestamp, localTimes } = this
    const instant = this.endStamps?.startOf(state.sensor, timestamp.instant) ?? timestamp.instant
    const { day, second } = localTimes.shownAt(state.sensor, instant)
    if (localTimes.mayRepeat(state.sensor, day)) {
      const rows = this.repeatedHours.openRepeatedDay(state, day)
      rows.follow(instant, localTimes.isShownTwice(state.sensor, day, second))
    }
    return this.findInstant(state, instant)
  }

  /** @param second from the start of the day */
  private select(day: BufferedDay, second: number): FoundInterval | NoInterval {
    const { nativeMinutes } = day.installation
    const reason = rangeReason(this.timestamp.length, day.installation, day.day, second, this.importer.parts)
    if (reason !== undefined) return faulty(reason)
    const isRegular = nativeMinutes < NATIVE_MINUTES.hour || day.day.regular
    const interval = this.sum ? second : isRegular ? second / (nativeMinutes * 60) : day.starts.indexOf(second)
    if (!Number.isInteger(interval) || interval < 0 || this.timestamp.millisecond !== 0) {
      return faulty(this.offGridReason(day.installation, second, shownSecond(day.day, second)))
    }
    return { kind: 'interval', day, interval }
  }

  /** @param shown second that the clock shows at the asset */
  private offGridReason({ nativeMinutes }: Installation, second: number, shown: number): string {
    if (this.sum) return 'start is not a whole second'
    const name = nativeMinutes === NATIVE_MINUTES.hour ? 'clock hour' : intervalName(nativeGrain(nativeMinutes))
    const is = this.endStamps ? 'end (--stamps end)' : 'start'
    const reason = `start is not the ${is} of a ${name}, the finest grain of the sensor`
    const isMidnight = this.timestamp.offset !== undefined && this.timestamp.second === 0
    if (nativeMinutes === NATIVE_MINUTES.day && isMidnight && shown !== 0)
      return `${reason}: it is midnight in another time zone, whose days are not those of the asset`
    const length = nativeMinutes * 60
    const stamp = this.endStamps && Number.isInteger(second) ? second + length : Math.ceil(second)
    // The longest rows from midnight on of which one has this stamp have to divide the interval.
    const isPart = this.timestamp.millisecond === 0 && length % divisor(stamp, DAY) === 0
    const advice = isPart ? ': --sum-to-grain adds up finer counts' : ''
    return `${reason}${advice}`
  }
}
