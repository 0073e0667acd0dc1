/** Finds the instants of local times at the asset where a sensor is installed. */
import { NATIVE_MINUTES } from '../../../calendar/grains'
import type { LocalDay, LocalDayCache } from '../../../calendar/local-day-cache'
import type { Installation, Sensor } from '../installations'
import { installationNear } from './installation-finder'

const DAY = 86_400

/** Offsets of two zones differ by less than this. */
const MAX_OFFSET_DIFFERENCE = 2 * DAY

export class LocalTimes {
  constructor(
    private readonly days: LocalDayCache,
    private readonly sumToGrain: boolean,
  ) {}

  /**
   * Returns the instants at which the clock of a sensor's asset shows a date and second of the day, ascending: none in
   * a skipped hour, two in a repeated one. A whole hour is also the name of the clock hour that a change by half an
   * hour begins.
   *
   * @param sumToGrain whether parts are added up: then no interval needs to start at the instants
   */
  listInstants(sensor: Sensor, day: number, second: number, sumToGrain = this.sumToGrain): number[] {
    const [first, ...others] = sensor.installations
    if (!first) return []
    const instantsIn = (zone: string) => this.instantsIn(zone, sensor, day, second, sumToGrain)
    if (others.every(({ zone }) => zone === first.zone)) return instantsIn(first.zone)
    const zones = [...new Set(sensor.installations.map(({ zone }) => zone))]
    const instants = zones.flatMap(zone =>
      instantsIn(zone).filter(instant => installationNear(sensor, instant).zone === zone),
    )
    return instants.sort((a, b) => a - b).slice(0, 2)
  }

  /** Returns whether the clock shows a local time twice, whether or not an interval starts at both instants. */
  isShownTwice(sensor: Sensor, day: number, second: number): boolean {
    return this.listInstants(sensor, day, second, true).length > 1
  }

  /** Returns whether some local times of a date may be several instants or none. */
  mayRepeat({ installations: [first, ...others] }: Sensor, day: number): boolean {
    if (!first) return false
    return !this.days.day(first.zone, day).unambiguous || others.some(({ zone }) => zone !== first.zone)
  }

  /** Returns whether every local time of an installation's day is one instant, at or near that installation. */
  isSimple(sensor: Sensor, installation: Installation, day: LocalDay): boolean {
    if (!day.unambiguous) return false
    const isHere = (instant: number) => installationNear(sensor, instant) === installation
    if (!isHere(day.start) || !isHere(day.end - 1)) return false
    return (
      sensor.installations.every(({ zone }) => zone === installation.zone) ||
      (isHere(day.start - MAX_OFFSET_DIFFERENCE) && isHere(day.end + MAX_OFFSET_DIFFERENCE))
    )
  }

  /** Returns the date and second of the day that the clock of a sensor's asset shows. */
  shownAt(sensor: Sensor, instant: number): { day: number; second: number } {
    const { zoneIntervals } = this.days.dayAt(installationNear(sensor, instant).zone, Math.floor(instant))
    const offset = (zoneIntervals.findLast(({ at }) => at <= instant) ?? zoneIntervals[0]).offset
    const local = Math.floor(instant) + offset
    return { day: Math.floor(local / DAY), second: local - Math.floor(local / DAY) * DAY }
  }

  private instantsIn(zone: string, sensor: Sensor, number: number, second: number, sumToGrain: boolean): number[] {
    const { days } = this
    const exact = days.findInstants(zone, number, second)
    if (days.day(zone, number).unambiguous) return exact
    const minutes = installationNear(sensor, days.day(zone, number).start).nativeMinutes
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
