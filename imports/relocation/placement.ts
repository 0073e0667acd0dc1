/** Places counts of a sensor, which are known by instant or date, on the local days of its assets. */
import { NATIVE_MINUTES } from '../../db/calendar/grains'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { type Day, listStarts } from '../../db/calendar/local-days'
import { MISSING, packDay } from '../../db/calendar/packed-counts'
import type { StagedDay } from '../../db/counts/staged-days'
import { type Installation, installationAt, type Sensor } from '../counts/installations'

/** Why a count cannot be stored: no installation, one of another grain, no interval begins there, or it has a count. */
export type Obstacle = 'outside' | 'grain' | 'grid' | 'meeting'

/** Counts that have no place, with the start of the first and of the last one (seconds since 1970). */
export interface UnplacedRange {
  counts: number
  first: number
  last: number
}

/** Counts that cannot be stored after a change, all for the same reason. */
export interface Unplaced {
  obstacle: Obstacle
  sensor: number
  /** The period with which they are set aside. */
  setAside: number | null
  /** The asset on which they are stored, and its time zone before the change. */
  asset: number
  zone: string
  counts: number
  /** Starts of the first and the last one, in local time of that asset. */
  first: string
  last: string
  /** Two counts of which one would be lost. */
  meeting?: string | undefined
}

/** Returns a range with another count. @param range undefined for the first count */
export const extendUnplaced = (range: UnplacedRange | undefined, instant: number): UnplacedRange =>
  range
    ? { counts: range.counts + 1, first: Math.min(range.first, instant), last: Math.max(range.last, instant) }
    : { counts: 1, first: instant, last: instant }

/** The interval of a count: of a daily one by its asset and date, of all others by their start (seconds since 1970). */
interface CountedInterval {
  minutes: number
  asset: number
  /** Days since 1970-01-01. */
  day: number
  instant: number
}

/** The counts of one asset and local day. */
interface CutDay {
  installation: Installation
  day: Day
  starts: readonly number[]
  counts: Float64Array
}

export class Placement {
  /** In the order in which they got their first count. */
  readonly parts: CutDay[] = []

  constructor(
    private readonly sensor: Sensor,
    private readonly days: LocalDayCache,
  ) {}

  /** @returns why the count has no place */
  place(counted: CountedInterval, count: number): Obstacle | undefined {
    const { minutes, instant } = counted
    const at = minutes === NATIVE_MINUTES.day ? this.findStart(counted) : instant
    const installation = at === undefined ? undefined : installationAt(this.sensor.installations, at)
    if (at === undefined || !installation) return 'outside'
    if (installation.nativeMinutes !== minutes) return 'grain'
    const part = this.partAt(installation, at)
    const second = at - part.day.start
    const interval = minutes < NATIVE_MINUTES.hour ? second / (minutes * 60) : part.starts.indexOf(second)
    if (!Number.isInteger(interval) || interval < 0) return 'grid'
    if (part.counts[interval] !== MISSING) return 'meeting'
    part.counts[interval] = count
    return undefined
  }

  /** @param setAside the period with which the counts are set aside, if any */
  stagedDays(setAside: number | null): StagedDay[] {
    return this.parts.map(({ installation, day, starts, counts }) => ({
      asset: installation.asset,
      company: installation.company,
      sensor: this.sensor.number,
      nativeMinutes: installation.nativeMinutes,
      day: day.number,
      setAside,
      packed: packDay(day, starts, counts),
    }))
  }

  /**
   * Returns when the date of a daily count begins at an asset where the sensor then is. On the day of a move it may
   * begin at both: the count stays at its asset, or moves to the one where the date begins next to where it began.
   */
  private findStart({ asset, day, instant }: CountedInterval): number | undefined {
    const found = this.sensor.installations.flatMap(({ zone, from, to, ...installation }) => {
      const { start, end } = this.days.day(zone, day)
      const isHere = start < end && start >= from && start < to
      return isHere ? [{ start, rank: installation.asset === asset ? -1 : Math.abs(start - instant) }] : []
    })
    return found.sort((a, b) => a.rank - b.rank)[0]?.start
  }

  private partAt(installation: Installation, instant: number): CutDay {
    const isHere = (part: CutDay) =>
      part.installation.asset === installation.asset && instant >= part.day.start && instant < part.day.end
    const known = this.parts.findLast(isHere)
    if (known) return known
    const day = this.days.dayAt(installation.zone, instant)
    const starts = listStarts(day, installation.nativeMinutes)
    const part = { installation, day, starts, counts: new Float64Array(starts.length).fill(MISSING) }
    this.parts.push(part)
    return part
  }
}

const REASONS: Record<Obstacle, { fault: string; advice: string }> = {
  outside: {
    fault: 'would be outside of every installation of the sensor',
    advice: 'give an installed_at (and removed_at) that includes them',
  },
  grain: {
    fault: 'would not have the grain of the sensor',
    advice: 'give the local midnight after them as installed_at, from which on the sensor counts the other grain',
  },
  grid: {
    fault: 'would not begin where an interval of the asset begins in its time zone',
    advice: 'give an installed_at or a time zone that suits them',
  },
  meeting: {
    fault: 'would get the asset and date of another one of the sensor, and one of the two would be lost',
    advice: 'erase one of the two (import an empty value at its time, with its offset, and --erase)',
  },
}

/** Returns why a change is refused, and what to do. @param nameOf its serial, if the change is not of one sensor */
export function explainRefusal(
  unplaced: readonly Omit<Unplaced, 'asset' | 'zone'>[],
  nameOf?: (sensor: number) => string,
): string {
  const faults = unplaced.map(({ obstacle, sensor, setAside, counts, first, last, meeting }) => {
    const subject = `${counts} stored ${counts === 1 ? 'count' : 'counts'}${nameOf ? ` of sensor ${nameOf(sensor)}` : ''}`
    const time = first === last ? `at ${first}` : `from ${first} to ${last}`
    const aside = setAside === null ? '' : `, set aside under the number ${setAside},`
    return `${subject} ${time}${aside} ${REASONS[obstacle].fault}${meeting ? ` (${meeting})` : ''}`
  })
  const advice = [...new Set(unplaced.map(({ obstacle }) => REASONS[obstacle].advice))]
  return `${faults.join('; ')}: ${advice.join('; ')}, or delete them first (partner-metrics delete impressions)`
}
