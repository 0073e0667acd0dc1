/**
 * Finds counts that cannot be: far above the greatest ones that a sensor had in the days before. Imports warn of them, and `doctor`
 * names them. Values that stand out in a history are not usual, so that an error that was stored does not hide the next one, until
 * they recur, as on market days or at a busier place.
 */
import type { NativeGrain } from '../../schema/generated'
import { nativeGrain } from '../calendar/grains'

/** The days before a day that are compared with it. */
export const HISTORY_DAYS = 56

/** Fewer days with data show nothing. */
export const MIN_HISTORY_DAYS = 14

/** Values that stand out on so many days of a history are usual. */
export const MIN_RECURRING = 7

/** Values above `factor` times the usual one and `margin` more are implausible. */
interface Limit {
  factor: number
  margin: number
}

export const INTERVAL_LIMIT: Limit = { factor: 5, margin: 50 }

export const DAY_LIMIT: Limit = { factor: 3, margin: 0 }

const isAbove = (value: number, usual: number, { factor, margin }: Limit): boolean => value > factor * usual + margin

/** Returns SQL: whether a value is within the limit. */
export const isWithinSql = (value: string, usual: string, { factor, margin }: Limit): string =>
  `${value} <= ${factor} * ${usual} + ${margin}`

export interface ImplausibleValue {
  /** The greatest count of an interval, or the total of the day. */
  value: number
  /** The greatest value that is usual. */
  usual: number
  /** The grain of the value: the native one of an interval, or `day`. */
  grain: NativeGrain
}

/** The latest days of one sensor with intervals of one length. Counts are negative where there are none. */
export class UsualCounts {
  private days: { number: number; greatest: number; total: number }[] = []

  constructor(private readonly nativeMinutes: number) {}

  /** Adds a day. @param number that of its date, which ascends */
  add(number: number, counts: Float64Array): void {
    this.days.push({ number, greatest: greatestOf(counts), total: totalOf(counts) })
  }

  /**
   * Judges a day beside those that were added, before it is added itself.
   *
   * @param stored the counts of the day that were stored before, which are not judged again
   */
  judge(number: number, counts: Float64Array, stored?: Float64Array | null): ImplausibleValue | undefined {
    const days = this.days.filter(day => day.number >= number - HISTORY_DAYS)
    this.days = days
    const value = greatestOf(stored ? counts.filter((count, i) => count !== stored[i]) : counts)
    const greatest = days.map(day => day.greatest)
    const usual = findUsual(value, greatest, INTERVAL_LIMIT)
    if (usual !== undefined) return { value, usual, grain: nativeGrain(this.nativeMinutes) }
    const total = totalOf(counts)
    const totals = days.map(day => day.total)
    const usualTotal = findUsual(total, totals, DAY_LIMIT)
    if (usualTotal === undefined || isAbove(totalOf(stored ?? []), usualTotal, DAY_LIMIT)) return undefined
    return { value: total, usual: usualTotal, grain: 'day' }
  }
}

/** Returns the greatest count; 0 without any. */
export function greatestOf(counts: ArrayLike<number>): number {
  let greatest = 0
  for (let i = 0; i < counts.length; i++) if (counts[i]! > greatest) greatest = counts[i]!
  return greatest
}

function totalOf(counts: ArrayLike<number>): number {
  let total = 0
  for (let i = 0; i < counts.length; i++) if (counts[i]! > 0) total += counts[i]!
  return total
}

/**
 * Returns what is usual if a value is implausible beside it. Nothing is usual where the history is short or has nothing but
 * zeros.
 */
function findUsual(value: number, history: readonly number[], limit: Limit): number | undefined {
  if (history.length < MIN_HISTORY_DAYS) return undefined
  let near = 0
  for (const earlier of history) if (!isAbove(value, earlier, limit) && ++near === MIN_RECURRING) return undefined
  const ascending = history.filter(earlier => earlier > 0).sort((a, b) => a - b)
  const standsOut = (earlier: number, i: number) =>
    i > 0 && ascending.length - i < MIN_RECURRING && isAbove(earlier, ascending[i - 1]!, limit)
  const first = ascending.findIndex(standsOut)
  const usual = first < 0 ? ascending.at(-1) : ascending[first - 1]
  return usual !== undefined && isAbove(value, usual, limit) ? usual : undefined
}
