/** The counts of one sensor at one asset, as the rules of `doctor` read them: by local hour, and as they were counted. */
import { type Day, listStarts } from '../calendar/local-days'
import { MISSING } from '../calendar/packed-counts'

const HOUR = 3600
const DAY = 86_400

interface NativeDay {
  minutes: number
  /** By interval; MISSING where there is none. */
  counts: Float64Array
}

export class SensorCounts {
  /** The sums of hours, `slots` a day from `first` on; MISSING without a count. */
  readonly hours: Float64Array
  readonly days: (NativeDay | undefined)[]

  /**
   * @param first number of the first day
   * @param length days
   * @param slots 24; of sensors that count days, 1
   */
  constructor(
    readonly first: number,
    readonly length: number,
    readonly slots: 24 | 1,
  ) {
    this.hours = new Float64Array(length * slots).fill(MISSING)
    this.days = new Array(length)
  }

  /** Returns the day after the last one. */
  get end(): number {
    return this.first + this.length
  }

  day(number: number): NativeDay | undefined {
    return this.days[number - this.first]
  }

  /** Returns the place of the first hour of a day in `hours`. */
  place(number: number): number {
    return (number - this.first) * this.slots
  }

  /** Adds the counts of a day. Hours that the clocks repeat are one. */
  add(day: Day, minutes: number, counts: Float64Array): void {
    this.days[day.number - this.first] = { minutes, counts }
    const starts = listStarts(day, minutes)
    const place = this.place(day.number)
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) continue
      const hour = place + (this.slots === 1 ? 0 : localHour(day, starts[i]!))
      this.hours[hour] = Math.max(0, this.hours[hour]!) + counts[i]!
    }
  }
}

/** Returns the hour that the clocks show so many seconds after the start of a day. */
function localHour(day: Day, second: number): number {
  if (day.regular) return Math.floor(second / HOUR)
  const instant = day.start + second
  const { offset } = day.zoneIntervals.findLast(({ at }) => at <= instant) ?? day.zoneIntervals[0]
  return Math.floor((((instant + offset) % DAY) + DAY) / HOUR) % 24
}
