/** Cache of local days, and conversion of local times to instants. */
import { type Day, dateOf, listDays, listStarts } from './local-days'
import type { ZoneRules } from './zone-rules'

export interface LocalDay extends Day {
  zone: string
  /** Days since 1970-01-01. */
  number: number
  /** Whether every time of day exists exactly once: no clock change affects the day. */
  unambiguous: boolean
}

const DAY = 86_400

/** Days are looked up in blocks of this many. */
const BLOCK = 32

const MAX_DAYS = 100_000

export class LocalDayCache {
  /** @param rules by the name of the zone */
  constructor(private readonly rules: { get(zone: string): ZoneRules | undefined }) {}

  private readonly zones = new Map<string, Map<number, LocalDay>>()
  private size = 0

  /** Returns the day of a zone by its number. */
  day(zone: string, number: number): LocalDay {
    return this.zones.get(zone)?.get(number) ?? this.load(zone, number)
  }

  /** Returns the day of an instant (seconds since 1970). */
  dayAt(zone: string, instant: number): LocalDay {
    const number = Math.floor(instant / DAY)
    for (const candidate of [number, number + 1, number - 1]) {
      const day = this.day(zone, candidate)
      if (instant >= day.start && instant < day.end) return day
    }
    throw new RangeError(`no day of ${zone} contains ${instant}`)
  }

  /**
   * Returns the instants at which the clocks of a zone show a date and second of the day, ascending: none, one or two.
   */
  findInstants(zone: string, number: number, second: number): number[] {
    const day = this.day(zone, number)
    if (day.unambiguous) return [day.start + second]
    // When clocks are set back across midnight, the repeated end of a date belongs to the next day.
    const intervals = [...day.zoneIntervals, ...this.day(zone, number + 1).zoneIntervals]
    const local = number * DAY + second
    const instants = intervals.flatMap(({ at, offset }, i) => {
      const instant = local - offset
      return instant >= at && instant < (intervals[i + 1]?.at ?? Number.POSITIVE_INFINITY) ? [instant] : []
    })
    return [...new Set(instants)].sort((a, b) => a - b)
  }

  /** Returns an instant as local time with its offset, `2026-10-25T02:15+02:00`. */
  format(zone: string, instant: number): string {
    return this.rulesOf(zone).format(instant)
  }

  /** Returns the offsets of a zone from one day to another, both inclusive. */
  offsets(zone: string, from: number, to: number): number[] {
    return this.rulesOf(zone)
      .intervals(from * DAY, (to + 1) * DAY)
      .map(({ offset }) => offset)
  }

  private rulesOf(zone: string): ZoneRules {
    const rules = this.rules.get(zone)
    if (!rules) throw new Error(`the database has no rules of the time zone ${zone}`)
    return rules
  }

  private load(zone: string, number: number): LocalDay {
    if (this.size > MAX_DAYS) {
      this.zones.clear()
      this.size = 0
    }
    const days = this.zones.get(zone) ?? new Map<number, LocalDay>()
    this.zones.set(zone, days)
    const first = Math.floor(number / BLOCK) * BLOCK
    const block = listDays(this.rulesOf(zone), dateOf(first), dateOf(first + BLOCK))
    for (let i = 0; i < BLOCK; i++) {
      const day = block[i]!
      const unambiguous = isUnambiguous(day, block[i + 1]!, first + i)
      days.set(first + i, { ...day, zone, number: first + i, unambiguous })
    }
    this.size += BLOCK
    return days.get(number)!
  }
}

const unambiguousStarts = new Map<number, readonly number[]>()

/**
 * Returns the seconds from the start of the day to the start of each interval of `minutes`. Unambiguous days share one
 * list.
 */
export function intervalStarts(day: LocalDay, minutes: number): readonly number[] {
  if (!day.unambiguous) return listStarts(day, minutes)
  let starts = unambiguousStarts.get(minutes)
  if (!starts) {
    starts = listStarts(day, minutes)
    unambiguousStarts.set(minutes, starts)
  }
  return starts
}

/** Returns the instant at which an interval of a day ends. */
export function intervalEnd(day: LocalDay, starts: readonly number[], interval: number): number {
  const next = starts[interval + 1]
  return next === undefined ? day.end : day.start + next
}

function isUnambiguous(day: Day, next: Day, number: number): boolean {
  return (
    day.zoneIntervals.length === 1 &&
    day.end - day.start === DAY &&
    next.zoneIntervals.slice(1).every(({ at, offset }) => at + offset >= (number + 1) * DAY)
  )
}
