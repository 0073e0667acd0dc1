/** Finds the places of the counts of a stored sensor-day after installations or time zones have changed. */
import { NATIVE_MINUTES } from '../../db/calendar/grains'
import { intervalStarts, type LocalDay, type LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber } from '../../db/calendar/local-days'
import { MISSING, unpack } from '../../db/calendar/packed-counts'
import { packDay } from '../../db/counts/sensor-day'
import type { StagedDay } from '../../db/counts/staged-days'
import { type Installation, installationAt, type Sensor } from '../counts/installations'

/** A row of `sensor_days`. */
export interface StoredDay {
  asset: number
  sensor: number
  native_minutes: number
  date: string
  /** The time zone in which it was stored. */
  zone: string
  counts: Buffer
}

/** Why a count cannot be stored: no installation, one of another grain, or no interval of its asset begins there. */
export type Obstacle = 'outside' | 'grain' | 'grid'

/** The counts of a day on one asset and local day. */
interface CutDay {
  installation: Installation
  day: LocalDay
  starts: readonly number[]
  counts: Float64Array
}

export class Relocation {
  private readonly day: LocalDay
  private readonly starts: readonly number[]
  private readonly parts: CutDay[] = []

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
    if (this.isWholeDayUnchanged()) return
    const counts = unpack(stored.counts, this.starts.length)
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) continue
      const instant = this.day.start + this.starts[i]!
      const obstacle = this.place(instant, counts[i]!)
      if (obstacle) onObstacle(obstacle, instant)
    }
  }

  /** The days among which the counts are distributed; undefined where nothing changes. */
  get result(): StagedDay[] | undefined {
    const [part, other] = this.parts
    if (!part || (!other && this.isHere(part.installation) && isSameDay(part.day, this.day))) return undefined
    return this.parts.map(({ installation, day, starts, counts }) => ({
      asset: installation.asset,
      company: installation.company,
      sensor: this.stored.sensor,
      nativeMinutes: installation.nativeMinutes,
      day: day.number,
      packed: packDay(day, starts, counts),
    }))
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

  private place(instant: number, count: number): Obstacle | undefined {
    const { native_minutes: minutes, date } = this.stored
    // A daily count is that of a date, wherever the day begins.
    const daily = minutes === NATIVE_MINUTES.day ? this.installationOn(date) : undefined
    const at = daily?.start ?? instant
    const installation = daily?.installation ?? installationAt(this.sensor.installations, instant)
    if (!installation || (minutes === NATIVE_MINUTES.day && !daily)) return 'outside'
    if (installation.nativeMinutes !== minutes) return 'grain'
    const part = this.partAt(installation, at)
    const second = at - part.day.start
    const interval = minutes < NATIVE_MINUTES.hour ? second / (minutes * 60) : part.starts.indexOf(second)
    if (!Number.isInteger(interval) || interval < 0) return 'grid'
    part.counts[interval] = count
    return undefined
  }

  /** Returns the installation of a daily sensor at the start of a date in its zone. */
  private installationOn(date: string): { installation: Installation; start: number } | undefined {
    for (const installation of this.sensor.installations) {
      const { start } = this.after.day(installation.zone, dayNumber(date))
      if (start >= installation.from && start < installation.to) return { installation, start }
    }
    return undefined
  }

  private partAt(installation: Installation, instant: number): CutDay {
    const isHere = (part: CutDay) =>
      part.installation.asset === installation.asset && instant >= part.day.start && instant < part.day.end
    const known = this.parts.findLast(isHere)
    if (known) return known
    const day = this.after.dayAt(installation.zone, instant)
    const starts = intervalStarts(day, installation.nativeMinutes)
    const part = { installation, day, starts, counts: new Float64Array(starts.length).fill(MISSING) }
    this.parts.push(part)
    return part
  }
}

/** Returns whether a day by two sets of rules has the same intervals. */
const isSameDay = (a: LocalDay, b: LocalDay): boolean =>
  a === b ||
  (a.number === b.number &&
    a.end === b.end &&
    a.zoneIntervals.length === b.zoneIntervals.length &&
    a.zoneIntervals.every(({ at, offset }, i) => at === b.zoneIntervals[i]?.at && offset === b.zoneIntervals[i].offset))
