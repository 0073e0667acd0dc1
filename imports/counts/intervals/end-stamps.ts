/**
 * Finds the intervals of local times that name their end (`--stamps end`). At a clock change, an interval ends both at the time
 * that the clock shows before and at that after it: 02:00 and 03:00 where the clocks are set forward from 02:00 to 03:00.
 */
import type { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { listStarts } from '../../../db/calendar/local-days'
import type { CountOptions } from '../count-options'
import type { Installation, Sensor } from '../installations'
import { endOfInterval, installationNear } from './installation-finder'
import { LocalTimes } from './local-times'

const DAY = 86_400

/** Returns whether no clock change affects the end of an interval at a second of the day, which may be its last. */
export const isRegular = (days: LocalDayCache, zone: string, number: number, second: number): boolean =>
  days.day(zone, number).regular && (second < DAY || days.day(zone, number + 1).regular)

export class EndStamps extends LocalTimes {
  constructor(days: LocalDayCache, { sumToGrain = false, timeZone }: CountOptions) {
    super(days, sumToGrain, timeZone)
  }

  /**
   * Returns the starts of the intervals of a sensor that end at a date and second of the day, ascending; an instant at which
   * none starts, if none ends then. Of parts that are added up it returns the last second, since their length is not known.
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

  /** Returns whether the clock was set forward to a time, which then ends the same interval as the one that it was set from. */
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
