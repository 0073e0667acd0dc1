/** The time that one row covers, as far as the gaps between rows show it. */
import { DAY, type Day } from '../../../db/calendar/local-days'

/** Rows that are closer than this are not the intervals of any sensor, but events. */
export const MIN_LENGTH = 60

/** The greatest common divisor of the gaps between points, and that of their distances from midnight. */
class Divisors {
  gaps = 0
  origin = 0
  private first = Number.NaN

  add(point: number, sinceMidnight: number): void {
    if (Number.isNaN(this.first)) this.first = point
    this.narrow(point - this.first)
    this.origin = divisor(this.origin, Math.abs(sinceMidnight))
  }

  narrow(gap: number): void {
    this.gaps = divisor(this.gaps, Math.abs(gap))
  }
}

/**
 * The rows of a sensor, in any order. Some files have rows at equal gaps of the clock, others at equal gaps of time:
 * around a clock change one of the two is regular.
 */
export class RowGaps {
  rows = 0
  /** The local dates of the first and the last row, if days are added in order. */
  from = ''
  to = ''
  private readonly clock = new Divisors()
  private readonly elapsed = new Divisors()
  /** The instants of rows on days of clock changes, by what the clock shows. */
  private readonly shown = new Map<number, number>()

  /** @param second from the start of the day */
  add(day: Day, second: number): void {
    this.rows++
    this.from ||= day.date
    this.to = day.date
    const sinceMidnight = day.regular ? second : shownSecond(day, second)
    const [shown, instant] = [day.number * DAY + sinceMidnight, day.start + second]
    this.clock.add(shown, sinceMidnight)
    this.elapsed.add(instant, second)
    if (day.regular) return
    // Rows of both passes of an hour are no longer than the time between the passes.
    this.clock.narrow(instant - (this.shown.get(shown) ?? instant))
    this.shown.set(shown, instant)
  }

  /** The seconds of which all gaps are multiples; 0 with fewer than two rows. */
  get length(): number {
    return Math.max(this.clock.gaps, this.elapsed.gaps)
  }

  /** Returns whether rows of that length lie within intervals of a number of minutes. */
  fit(minutes: number): boolean {
    const { length } = this
    if (length < MIN_LENGTH) return length > 0
    // Around a clock change, the clock and the time show gaps of two rows that are regular alike.
    const lengths = this.rows === 2 ? [this.clock.gaps, this.elapsed.gaps] : [length]
    return lengths.some(each => (minutes * 60) % each === 0) && this.begin(minutes)
  }

  /** Returns whether such intervals, from midnight on, begin with rows, as far as the length shows it. */
  begin(minutes: number): boolean {
    const { gaps, origin } = this.clock.gaps === this.length ? this.clock : this.elapsed
    return origin % divisor(gaps, minutes * 60) === 0
  }
}

/** Returns the second of the day that the clock shows; the start of a day is midnight, even if the clock skips it. */
export function shownSecond({ start, number, zoneIntervals }: Day, second: number): number {
  if (second === 0) return 0
  const { offset } = zoneIntervals.findLast(({ at }) => at <= start + second) ?? zoneIntervals[0]
  return start + second + offset - number * DAY
}

/** Returns the greatest common divisor of two whole numbers. */
export function divisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b]
  return a
}

const UNITS = [
  [DAY, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** Returns a number of seconds as text, `30 minutes`. */
export function durationText(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds % size === 0) ?? UNITS[3]
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
