/** Finds the instants of local times at the asset where a sensor is installed, or in the time zone of the file. */
import { NATIVE_MINUTES } from '../../../db/calendar/grains'
import type { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { DAY, type Day, listStarts } from '../../../db/calendar/local-days'
import type { Installation, Sensor } from '../installations'
import { endOfInterval, installationNear } from './installation-finder'

/** Offsets of two zones differ by less than this. */
const MAX_OFFSET_DIFFERENCE = 2 * DAY

export class LocalTimes {
  /** @param sumToGrain whether parts are added up, which start anywhere @param zone of the file; else of each asset */
  constructor(
    protected readonly days: LocalDayCache,
    protected readonly sumToGrain: boolean,
    protected readonly zone?: string,
  ) {}

  /**
   * Returns the instants at which the clock of a sensor's asset shows a date and second of the day, ascending: none in
   * a skipped hour, two in a repeated one; after a move to another time zone there may be others. A whole hour is also
   * the name of the clock hour that a change by half an hour begins.
   */
  listInstants(sensor: Sensor, day: number, second: number, sumToGrain = this.sumToGrain): number[] {
    const [first, ...others] = sensor.installations
    if (!first) return []
    const instantsIn = (zone: string) => this.instantsIn(zone, sensor, day, second, sumToGrain)
    if (this.zone !== undefined) return instantsIn(this.zone)
    if (others.every(({ zone }) => zone === first.zone)) return instantsIn(first.zone)
    const zones = [...new Set(sensor.installations.map(({ zone }) => zone))]
    const instants = zones.flatMap(zone =>
      instantsIn(zone).filter(instant => installationNear(sensor, instant).zone === zone),
    )
    return instants.sort((a, b) => a - b)
  }

  /** Returns whether one of several time zones of a sensor's assets shows a local time: it was elsewhere then. */
  isShownElsewhere({ installations }: Sensor, day: number, second: number): boolean {
    const zones = new Set(this.zone === undefined ? installations.map(({ zone }) => zone) : [])
    return zones.size > 1 && [...zones].some(zone => this.days.findInstants(zone, day, second).length > 0)
  }

  /** Returns whether the clock shows a local time twice, whether or not an interval starts at both instants. */
  isShownTwice(sensor: Sensor, day: number, second: number): boolean {
    return this.listInstants(sensor, day, second, true).length > 1
  }

  /** Returns whether a clock change may repeat or skip local times of a date. */
  mayRepeat({ installations }: Sensor, day: number): boolean {
    const zones = this.zone === undefined ? installations.map(({ zone }) => zone) : [this.zone]
    return zones.some(zone => !this.days.day(zone, day).regular)
  }

  /** Returns whether every local time of an installation's day is one instant, at or near that installation. */
  isSimple(sensor: Sensor, installation: Installation, day: Day): boolean {
    if (!day.regular) return false
    const isHere = (instant: number) => installationNear(sensor, instant) === installation
    if (!isHere(day.start) || !isHere(day.end - 1)) return false
    const { zone } = this
    if (zone !== undefined) return [day.start, day.end - 1].every(instant => this.days.dayAt(zone, instant).regular)
    return (
      sensor.installations.every(({ zone }) => zone === installation.zone) ||
      (isHere(day.start - MAX_OFFSET_DIFFERENCE) && isHere(day.end + MAX_OFFSET_DIFFERENCE))
    )
  }

  /** Returns the date and second of the day that the clock of a sensor's asset shows. */
  shownAt(sensor: Sensor, instant: number): { day: number; second: number } {
    const zone = this.zone ?? installationNear(sensor, instant).zone
    const { zoneIntervals } = this.days.dayAt(zone, Math.floor(instant))
    const offset = (zoneIntervals.findLast(({ at }) => at <= instant) ?? zoneIntervals[0]).offset
    const local = Math.floor(instant) + offset
    return { day: Math.floor(local / DAY), second: local - Math.floor(local / DAY) * DAY }
  }

  /** Returns whether a local time names the clock hour from an instant on, though the clock shows another one. */
  labelsHour(sensor: Sensor, instant: number, second: number): boolean {
    return this.shownAt(sensor, instant).second !== second
  }

  private instantsIn(zone: string, sensor: Sensor, number: number, second: number, sumToGrain: boolean): number[] {
    const { days } = this
    const exact = days.findInstants(zone, number, second)
    if (days.day(zone, number).regular) return exact
    const { nativeMinutes: minutes, zone: own } = installationNear(sensor, days.day(zone, number).start)
    if (this.zone !== undefined && this.zone !== own) return exact
    // Midnight names the day, even where the clock change skips or repeats it.
    if (minutes === NATIVE_MINUTES.day && second === 0 && !(sumToGrain && exact.length > 0)) {
      const { start, end } = days.day(zone, number)
      return start < end ? [start] : []
    }
    if (minutes !== NATIVE_MINUTES.hour || (sumToGrain && exact.length > 0)) return exact
    const named = second % 3600 === 0 ? this.changesIn(zone, number, second) : []
    const instants = [...new Set([...exact, ...named])].sort((a, b) => a - b)
    // When the clocks change by half an hour, only one of two repeated times starts a clock hour.
    return instants.length > 1 && !sumToGrain ? instants.filter(each => this.startsHour(zone, each)) : instants
  }

  /** The clock changes within the hour that starts at a local time. */
  private changesIn(zone: string, number: number, second: number): number[] {
    const hour = number * DAY + second
    return [number, number + 1].flatMap(each =>
      this.days
        .day(zone, each)
        .zoneIntervals.slice(1)
        .filter(({ at, offset }) => at + offset > hour && at + offset < hour + 3600)
        .map(({ at }) => at),
    )
  }

  private startsHour(zone: string, instant: number): boolean {
    const { zoneIntervals } = this.days.dayAt(zone, instant)
    const interval = zoneIntervals.findLast(({ at }) => at <= instant)
    return interval !== undefined && (interval.at === instant || (instant + interval.offset) % 3600 === 0)
  }
}

/** Returns whether no clock change affects the end of an interval at a second of the day, which may be its last. */
export const isRegular = (days: LocalDayCache, zone: string, number: number, second: number): boolean =>
  days.day(zone, number).regular && (second < DAY || days.day(zone, number + 1).regular)

/**
 * Finds the intervals of local times that name their end (`--stamps end`). At a clock change, an interval ends both at
 * the time that the clock shows before and at that after it: 02:00 and 03:00 where the clocks are set forward from
 * 02:00 to 03:00.
 */
export class EndStamps extends LocalTimes {
  /**
   * Returns the starts of the intervals of a sensor that end at a date and second of the day, ascending; an instant at
   * which none starts, if none ends then. Of parts that are added up it returns the last second, since their length is
   * not known.
   */
  override listInstants(sensor: Sensor, day: number, second: number): number[] {
    const instants = this.listEnds(sensor, day, second).map(end => this.startOf(sensor, end))
    const starts = instants.filter(Number.isInteger)
    return starts.length > 0 ? starts : instants
  }

  override isShownTwice(sensor: Sensor, day: number, second: number): boolean {
    return this.listEnds(sensor, day, second).length > 1
  }

  override labelsHour(): boolean {
    return false
  }

  /** Returns the start of the interval of a sensor that ends at an instant; half a second before it if none does. */
  startOf(sensor: Sensor, end: number): number {
    if (this.sumToGrain) return end - 1
    const { zone, nativeMinutes } = installationNear(sensor, end - 1)
    const day = this.days.dayAt(zone, Math.ceil(end) - 1)
    const starts = listStarts(day, nativeMinutes)
    const start = starts.findLast(each => day.start + each < end)
    return start !== undefined && endOfInterval(day, starts, end - 1) === end ? day.start + start : end - 0.5
  }

  /** Returns the seconds from a start to its end, on a day without clock changes. */
  secondsIn({ nativeMinutes }: Installation): number {
    return this.sumToGrain ? 1 : nativeMinutes * 60
  }

  /** Returns whether the clock never shows a time, which is the end of an interval before a clock change. */
  isSkipped(sensor: Sensor, day: number, second: number, start: number): boolean {
    const { days, zone = installationNear(sensor, start).zone } = this
    if (isRegular(days, zone, day, second)) return false
    const shown = second === DAY ? days.findInstants(zone, day + 1, 0) : days.findInstants(zone, day, second)
    return shown.length === 0
  }

  /** Returns whether the clock was set forward to a time, which ends the interval of the one that it was set from. */
  isSetForward(sensor: Sensor, day: number, second: number): boolean {
    const [end = 0] = this.listEnds(sensor, day, second)
    const before = this.shownAt(sensor, end - 1)
    return (day - before.day) * DAY + second - before.second > 1
  }

  private listEnds(sensor: Sensor, day: number, second: number): number[] {
    const zones = new Set(this.zone === undefined ? sensor.installations.map(({ zone }) => zone) : [this.zone])
    const isThere = (zone: string, end: number) =>
      this.zone !== undefined || installationNear(sensor, end - 1).zone === zone
    const ends = [...zones].flatMap(zone => this.endsIn(zone, day, second).filter(end => isThere(zone, end)))
    return [...new Set(ends)].sort((a, b) => a - b)
  }

  private endsIn(zone: string, number: number, second: number): number[] {
    const { days } = this
    const exact = days.findInstants(zone, number, second)
    // Midnight belongs to both days.
    if (second === DAY) exact.push(...days.findInstants(zone, number + 1, 0))
    if (isRegular(days, zone, number, second)) return exact
    const intervals = [number, number + 1].flatMap(each => days.day(zone, each).zoneIntervals)
    const changes = intervals.filter(({ at }, i) => {
      const before = intervals[i - 1]
      return before !== undefined && at + before.offset === number * DAY + second
    })
    return [...exact, ...changes.map(({ at }) => at)]
  }
}
