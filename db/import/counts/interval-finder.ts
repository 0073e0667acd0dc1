/** Finds the sensor-day and the native interval of a count. */

import { intervalStarts, type LocalDay } from '../../calendar/local-day-cache'
import { dayNumber, numberOfDay } from '../../calendar/local-days'
import { MISSING } from '../../calendar/packed-counts'
import { TimestampParser } from '../csv/timestamp-parser'
import { quote } from '../errors'
import type { BufferedDay } from './count-buffer'
import type { CountImporter } from './count-importer'
import { type Installation, installationAt, type Sensor } from './installations'

const DAY = 86_400
const MIN_DAY = numberOfDay(1970, 1, 1)
const MAX_DAY = numberOfDay(2100, 12, 31)

/** What the finder knows of a sensor from the rows before. */
interface SensorState {
  sensor: Sensor
  /** The day of the last count, if its local times are unambiguous and it belongs to one installation. */
  lastDay: BufferedDay | undefined
  /** How often each repeated local time occurred. */
  occurrences: Map<number, number>
}

/** The result is in the fields of the finder, because a file has millions of rows. */
export class IntervalFinder {
  day: BufferedDay | undefined
  interval = 0
  private readonly timestamp = new TimestampParser()
  private readonly states = new Map<string, SensorState>()

  /** @param sensors by id and serial */
  constructor(
    private readonly importer: CountImporter,
    sensors: ReadonlyMap<string, Sensor>,
  ) {
    const states = new Map<Sensor, SensorState>()
    for (const [name, sensor] of sensors) {
      const state = states.get(sensor) ?? { sensor, lastDay: undefined, occurrences: new Map() }
      states.set(sensor, state)
      this.states.set(name, state)
    }
  }

  /**
   * Finds the interval of a row.
   *
   * @param name serial or id of the sensor
   * @param start a timestamp
   * @returns the reason why there is none
   */
  find(name: string, start: string): string | undefined {
    const state = this.states.get(name)
    if (!state) return name === '' ? 'sensor is required' : `sensor ${quote(name)} is unknown`
    const { timestamp } = this
    if (!timestamp.parse(start)) return start === '' ? 'start is required' : `start ${quote(start)} is not a timestamp`
    const { sensor, lastDay } = state
    if (lastDay && lastDay.index >= 0) {
      // Most rows are of the same day as the row before.
      const second = timestamp.offset === undefined ? this.localSecond(lastDay.day) : this.instant() - lastDay.day.start
      if (second >= 0 && second < DAY) return this.select(lastDay, second)
    }
    if (timestamp.day < MIN_DAY || timestamp.day > MAX_DAY) return `start ${quote(start)} is not between 1970 and 2100`
    if (sensor.installations.length === 0) return `sensor ${quote(name)} was never installed on an asset`
    const instant = timestamp.offset === undefined ? this.instantOfLocalTime(state) : this.instant()
    if (typeof instant === 'string') return instant
    return this.findAt(state, instant)
  }

  /**
   * Finds the intervals of all counts of a local day.
   *
   * @param onCount called for each count that is not missing
   * @returns the reason why the counts are not those of a day of the sensor
   */
  findDay(
    serial: string,
    date: string,
    counts: ArrayLike<number>,
    onCount: (day: BufferedDay, interval: number, count: number) => void,
  ): string | undefined {
    const state = this.states.get(serial)
    if (!state?.sensor.installations.length) {
      return `sensor ${quote(serial)} is unknown, or was never installed on an asset`
    }
    const { sensor } = state
    const day = this.dayOfDate(sensor, date)
    const starts = intervalStarts(day, installationNear(sensor, day.start).nativeMinutes)
    if (counts.length !== starts.length) {
      return `${date} has ${starts.length} intervals in ${day.zone}, not ${counts.length}`
    }
    this.timestamp.millisecond = 0
    for (let i = 0; i < starts.length; i++) {
      const count = counts[i] as number
      if (count === MISSING) continue
      const instant = day.start + (starts[i] as number)
      const { lastDay } = state
      const isLastDay = lastDay && lastDay.index >= 0 && instant >= lastDay.day.start && instant < lastDay.day.end
      const reason = isLastDay ? this.select(lastDay, instant - lastDay.day.start) : this.findAt(state, instant)
      if (reason) return reason
      onCount(this.day as BufferedDay, this.interval, count)
    }
    return undefined
  }

  /** The day of a date in the zone of the asset where the sensor is installed at its start. */
  private dayOfDate({ installations }: Sensor, date: string): LocalDay {
    const number = dayNumber(date)
    const days = installations.map(({ from, zone }) => ({ from, day: this.importer.days.day(zone, number) }))
    const { day } = (days.findLast(({ from, day }) => from <= day.start) ?? days[0]) as { day: LocalDay }
    return day
  }

  private findAt(state: SensorState, instant: number): string | undefined {
    const { sensor } = state
    const installation = installationNear(sensor, instant)
    const day = this.importer.days.dayAt(installation.zone, instant)
    const buffered = this.importer.buffer.dayOf(sensor, installation, day)
    state.lastDay = day.unambiguous && isOfOneInstallation(sensor, installation, day) ? buffered : undefined
    return this.select(buffered, instant - day.start)
  }

  /** @param second from the start of the day */
  private select(buffered: BufferedDay, second: number): string | undefined {
    const { nativeMinutes } = buffered.installation
    const isRegular = nativeMinutes < 60 || buffered.day.unambiguous
    const interval = isRegular ? second / (nativeMinutes * 60) : buffered.starts.indexOf(second)
    if (!Number.isInteger(interval) || interval < 0 || this.timestamp.millisecond !== 0) {
      const name = nativeMinutes === 60 ? 'clock hour' : nativeMinutes === 15 ? 'quarter hour' : 'minute'
      return `start is not the start of a ${name}, the finest grain of the sensor`
    }
    this.day = buffered
    this.interval = interval
    return undefined
  }

  /** The instant of a timestamp with an offset. */
  private instant(): number {
    return this.timestamp.day * DAY + this.timestamp.second - (this.timestamp.offset as number)
  }

  private localSecond(day: LocalDay): number {
    return this.timestamp.day === day.number ? this.timestamp.second : -1
  }

  private isIntervalStart(sensor: Sensor, instant: number): boolean {
    const { zone, nativeMinutes } = installationNear(sensor, instant)
    const day = this.importer.days.dayAt(zone, instant)
    return intervalStarts(day, nativeMinutes).includes(instant - day.start)
  }

  /**
   * The instant of a local time. The first occurrence of a repeated local time is its earlier instant, the second one
   * the later.
   */
  private instantOfLocalTime({ sensor, occurrences }: SensorState): number | string {
    const { day, second } = this.timestamp
    const zones = new Set(sensor.installations.map(({ zone }) => zone))
    const instants = [...zones].flatMap(zone =>
      this.importer.days
        .instantsOf(zone, day, second)
        .filter(instant => installationNear(sensor, instant).zone === zone),
    )
    if (instants.length === 0) return 'start is a local time that the clock change skips'
    // When the clocks change by half an hour, only the second of two repeated times may start a clock hour.
    const starts = instants.length > 1 ? instants.filter(instant => this.isIntervalStart(sensor, instant)) : instants
    if (starts.length === 1) return starts[0] as number
    const key = day * DAY + second
    const occurrence = occurrences.get(key) ?? 0
    occurrences.set(key, occurrence + 1)
    const instant = instants.sort((a, b) => a - b)[occurrence]
    return instant ?? 'start occurs more often than the clock shows it: give it an offset'
  }
}

const isOfOneInstallation = (sensor: Sensor, installation: Installation, day: LocalDay): boolean =>
  installationNear(sensor, day.start) === installation && installationNear(sensor, day.end - 1) === installation

/** The installation at an instant; outside of all, the one before or else the first. */
const installationNear = (sensor: Sensor, instant: number): Installation =>
  installationAt(sensor, instant) ??
  sensor.installations.findLast(({ from }) => from <= instant) ??
  (sensor.installations[0] as Installation)
