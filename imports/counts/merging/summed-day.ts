/** Adds up counts that are finer than the interval of their sensor. */
import { MAX_COUNT, MISSING } from '../../../db/calendar/packed-counts'
import { ABSENT, INVALID } from '../count-buffer'
import { conflictReason, excessReason, partReason } from './conflicts'

/** The counts of one day, in the order of the file. */
export interface Summands {
  /** Second of the day. */
  seconds: ArrayLike<number>
  counts: ArrayLike<number>
  lines: ArrayLike<number>
}

/** The parts of an interval that are known so far. */
interface Interval {
  /** Positions of the summands. */
  parts: number[]
  /** Why they are all rejected. */
  reason?: string
}

export class SummedDay {
  /** By interval: the sum, MISSING if all parts are empty, ABSENT without any. */
  readonly sums: Float64Array
  /** Rows that repeat another. */
  repeated = 0
  private readonly intervals = new Map<number, Interval>()

  /**
   * @param starts seconds from the start of the day to the start of each native interval
   * @param reject called for each rejected row
   */
  constructor(
    starts: readonly number[],
    private readonly summands: Summands,
    private readonly reject: (line: number, reason: string) => void,
  ) {
    const { seconds, counts, lines } = summands
    this.sums = new Float64Array(starts.length).fill(ABSENT)
    const positions = new Map<number, number>()
    for (let i = 0; i < seconds.length; i++) {
      const second = seconds[i]!
      const interval = lastAtMost(starts, second)
      const { parts } = this.at(interval)
      const earlier = positions.get(second)
      if (counts[i] === INVALID) this.refuse(interval, partReason(lines[i]!))
      else if (earlier === undefined) {
        positions.set(second, i)
        parts.push(i)
      } else if (counts[earlier] === counts[i]) this.repeated++
      else {
        const line = lines[i]!
        reject(line, conflictReason(counts[i]!, counts[earlier]!, lines[earlier]!))
        this.refuse(interval, partReason(line))
      }
    }
    for (const [interval, { parts }] of this.intervals) {
      const given = parts.map(part => counts[part]!).filter(count => count !== MISSING)
      const sum = given.reduce((total, count) => total + count, 0)
      if (sum > MAX_COUNT) this.refuse(interval, excessReason)
      if (parts.length > 0) this.sums[interval] = given.length > 0 ? sum : MISSING
    }
  }

  /** Refuses an interval with all its parts, for the first reason that is given. */
  refuse(interval: number, reason: string): void {
    const found = this.at(interval)
    found.reason ??= reason
  }

  /** Rejects the parts of refused intervals. */
  finish(): void {
    for (const [interval, { parts, reason }] of this.intervals) {
      if (reason === undefined) continue
      this.sums[interval] = ABSENT
      for (const part of parts) this.reject(this.summands.lines[part]!, reason)
    }
  }

  /** Returns the rows that were not rejected: whether each is empty, and its interval. */
  *rows(): Generator<{ empty: boolean; interval: number }> {
    const { counts } = this.summands
    for (const [interval, { parts, reason }] of this.intervals) {
      if (reason !== undefined) continue
      for (const part of parts) yield { empty: counts[part] === MISSING, interval }
    }
  }

  private at(interval: number): Interval {
    let found = this.intervals.get(interval)
    if (!found) {
      found = { parts: [] }
      this.intervals.set(interval, found)
    }
    return found
  }
}

/** Returns the index of the last start that is not after a second. */
function lastAtMost(starts: readonly number[], second: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= second) low = middle
    else high = middle - 1
  }
  return low
}
