/** The local days that an import meets, each worked out once, and which instants a wall clock can mean. */
import { type Day, dateOf, daysOf, startsOf } from '../../calendar/local-days'

export interface ClockDay extends Day {
  zone: string
  number: number
  /** Midnight to midnight in 24 hours by an even clock: every time of day stands for exactly one instant. */
  plain: boolean
}

const DAY = 86_400

/** Days are worked out in runs of so many, for the changes of a clock are looked up run by run. */
const RUN = 32

/** Cached days at most. */
const MAX_DAYS = 100_000

export class Clocks {
  private zones = new Map<string, Map<number, ClockDay>>()
  private size = 0

  /** The day of a zone by its number (calendar.ts). */
  day(zone: string, number: number): ClockDay {
    let days = this.zones.get(zone)
    if (!days) {
      days = new Map()
      this.zones.set(zone, days)
    }
    const day = days.get(number)
    if (day) return day
    if (this.size > MAX_DAYS) {
      this.zones.clear()
      this.size = 0
      return this.day(zone, number)
    }
    const first = Math.floor(number / RUN) * RUN
    const run = daysOf(zone, dateOf(first), dateOf(first + RUN))
    for (let i = 0; i < RUN; i++) {
      const one = run[i] as Day
      days.set(first + i, { ...one, zone, number: first + i, plain: isPlain(one, run[i + 1] as Day, first + i) })
      this.size++
    }
    return days.get(number) as ClockDay
  }

  /** The day to which an instant belongs. */
  dayAt(zone: string, instant: number): ClockDay {
    const about = Math.floor(instant / DAY)
    for (const number of [about, about + 1, about - 1]) {
      const day = this.day(zone, number)
      if (instant >= day.start && instant < day.end) return day
    }
    throw new RangeError(`no day of ${zone} holds ${instant}`)
  }

  /** The instants at which the zone's clock shows a date and second of the day, in order: none, one or two. */
  instantsOf(zone: string, number: number, second: number): number[] {
    const day = this.day(zone, number)
    if (day.plain) return [day.start + second]
    // Where clocks go back across midnight, the repeated end of a date belongs to the next day.
    const stretches = [...day.zoneIntervals, ...this.day(zone, number + 1).zoneIntervals]
    const shown = number * DAY + second
    const instants = stretches.flatMap(({ at, offset }, i) => {
      const instant = shown - offset
      return instant >= at && instant < (stretches[i + 1]?.at ?? Number.POSITIVE_INFINITY) ? [instant] : []
    })
    return [...new Set(instants)].sort((a, b) => a - b)
  }
}

/** Seconds from the day's start at which its intervals begin (calendar.ts); plain days share theirs. */
export function startsIn(day: ClockDay, minutes: number): readonly number[] {
  if (!day.plain) return startsOf(day, minutes)
  let starts = plainStarts.get(minutes)
  if (!starts) {
    starts = startsOf(day, minutes)
    plainStarts.set(minutes, starts)
  }
  return starts
}

const plainStarts = new Map<number, readonly number[]>()

function isPlain(day: Day, next: Day, number: number): boolean {
  return (
    day.zoneIntervals.length === 1 &&
    day.end - day.start === DAY &&
    next.zoneIntervals.slice(1).every(({ at, offset }) => at + offset >= (number + 1) * DAY)
  )
}
