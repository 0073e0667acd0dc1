/** Local days by the names of their time zones, and conversion of local times to instants. */
import { type Day, dayAt, dayOf } from './local-days'
import type { ZoneRules } from './zone-rules'

const DAY = 86_400

export class LocalDayCache {
  private last: Day | undefined

  /** @param rules by the name of the zone */
  constructor(private readonly rules: { get(zone: string): ZoneRules | undefined }) {}

  /** Returns the day of a zone by its number. */
  day(zone: string, number: number): Day {
    // Most rows of a file are of the day of the row before.
    if (this.last?.number !== number || this.last.zone !== zone) this.last = dayOf(this.rulesOf(zone), number)
    return this.last
  }

  /** Returns the day of an instant (seconds since 1970). */
  dayAt(zone: string, instant: number): Day {
    return dayAt(this.rulesOf(zone), instant)
  }

  /**
   * Returns the instants at which the clocks of a zone show a date and second of the day, ascending: none, one or two.
   */
  findInstants(zone: string, number: number, second: number): number[] {
    const day = this.day(zone, number)
    if (day.regular) return [day.start + second]
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
}
