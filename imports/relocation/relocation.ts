/** Finds the places of the counts of a stored sensor-day after installations or time zones have changed. */
import { intervalStarts, type LocalDay, type LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber } from '../../db/calendar/local-days'
import { MISSING, unpack } from '../../db/calendar/packed-counts'
import type { StagedDay } from '../../db/counts/staged-days'
import { type Installation, installationAt, type Sensor } from '../counts/installations'
import { type Obstacle, Placement } from './placement'

/** A row of `sensor_days`, or a daily count that is set aside. */
export interface StoredDay {
  /** The number of the stretch that is set aside. */
  set_aside: number | null
  asset: number
  sensor: number
  native_minutes: number
  date: string
  /** The time zone in which it was stored. */
  zone: string
  /** Null where `count` is the only one. */
  counts: Buffer | null
  count: number | null
}

export class Relocation {
  private readonly day: LocalDay
  private readonly starts: readonly number[]
  private readonly placement: Placement

  /**
   * @param before the local days by the rules by which the counts are stored
   * @param after the same by the rules after the change
   * @param sensor with the installations and time zones after the change
   * @param onObstacle called for each count that cannot be stored, with the start of its interval
   */
  constructor(
    private readonly stored: StoredDay,
    private readonly sensor: Sensor,
    before: LocalDayCache,
    private readonly after: LocalDayCache,
    onObstacle: (obstacle: Obstacle, instant: number) => void,
  ) {
    this.day = before.day(stored.zone, dayNumber(stored.date))
    this.starts = intervalStarts(this.day, stored.native_minutes)
    this.placement = new Placement(sensor, after)
    if (this.isWholeDayUnchanged()) return
    const counts = stored.counts ? unpack(stored.counts, this.starts.length) : [stored.count!]
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) continue
      // A date that its zone has no more has no interval.
      const instant = this.day.start + (this.starts[i] ?? 0)
      const obstacle = this.placement.place(
        { minutes: stored.native_minutes, asset: stored.asset, day: this.day.number, instant },
        counts[i]!,
      )
      if (obstacle) onObstacle(obstacle, instant)
    }
  }

  /** The days among which the counts are distributed; undefined where nothing changes. */
  get result(): StagedDay[] | undefined {
    const [part, other] = this.placement.parts
    if (!part || (!other && this.isHere(part.installation) && isSameDay(part.day, this.day))) return undefined
    return this.placement.stagedDays()
  }

  private isWholeDayUnchanged(): boolean {
    const { start, end } = this.day
    const installation = installationAt(this.sensor.installations, start)
    const isHere = installation !== undefined && installation.to >= end && this.isHere(installation)
    return isHere && isSameDay(this.after.day(installation.zone, this.day.number), this.day)
  }

  private isHere({ asset, zone, nativeMinutes }: Installation): boolean {
    const { stored } = this
    return asset === stored.asset && zone === stored.zone && nativeMinutes === stored.native_minutes
  }
}

/** Returns whether a day by two sets of rules has the same intervals. */
const isSameDay = (a: LocalDay, b: LocalDay): boolean =>
  a === b ||
  (a.number === b.number &&
    a.end === b.end &&
    a.zoneIntervals.length === b.zoneIntervals.length &&
    a.zoneIntervals.every(({ at, offset }, i) => at === b.zoneIntervals[i]?.at && offset === b.zoneIntervals[i].offset))
