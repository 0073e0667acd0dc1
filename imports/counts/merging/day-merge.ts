/** Merges the parts of a file that concern one sensor-day into what is stored of it. */
import { intervalStarts, type LocalDay, type LocalDayCache } from '../../../db/calendar/local-day-cache'
import { dayNumber } from '../../../db/calendar/local-days'
import { MISSING, unpack } from '../../../db/calendar/packed-counts'
import { packDay } from '../../../db/counts/sensor-day'
import type { StagedDay } from '../../../db/counts/staged-days'
import type { StoredFigures } from '../../../db/figures'
import type { RowCounter } from '../../row-counter'
import { ABSENT } from '../count-buffer'
import { conflictReason, sumReason } from './conflicts'
import { SummedDay } from './summed-day'

/** A staged part, with the stored counts of its day. */
export interface StagedPart {
  asset: number
  company: number
  sensor: number
  native_minutes: number
  date: string
  zone: string
  counts: Buffer
  empty_intervals: Buffer | null
  lines: Buffer | null
  duplicates: Buffer | null
  summands: Buffer | null
  stored: Buffer | null
}

export interface Merging {
  days: LocalDayCache
  counter: RowCounter
  /** Whether the counts of an interval are added up. */
  sum?: boolean
  /** Receives the sums of each day, by native interval; negative where there is none. */
  observe?: (sensor: number, day: LocalDay, starts: readonly number[], counts: ArrayLike<number>) => void
}

type Outcome = 'stored' | 'unchanged' | 'erased'

export abstract class DayMerge {
  protected readonly day: LocalDay
  protected readonly starts: readonly number[]
  protected readonly stored: Float64Array

  constructor(
    protected readonly first: StagedPart,
    protected readonly merging: Merging,
    protected readonly figures: Required<StoredFigures>,
  ) {
    this.day = merging.days.day(first.zone, dayNumber(first.date))
    this.starts = intervalStarts(this.day, first.native_minutes)
    const { length } = this.starts
    this.stored = first.stored ? unpack(first.stored, length) : new Float64Array(length).fill(MISSING)
  }

  isOfSameDay({ asset, date, sensor }: StagedPart): boolean {
    return this.first.sensor === sensor && this.first.date === date && this.first.asset === asset
  }

  abstract add(part: StagedPart): void

  /** Returns the merged day, if it differs from the stored one. */
  abstract finish(): StagedDay | undefined

  /** @param given by interval; ABSENT leaves the stored count as it is */
  protected mergedDay(given: Float64Array): StagedDay | undefined {
    const merged = this.stored.map((stored, i) => (given[i] === ABSENT ? stored : given[i]!))
    if (merged.every((count, i) => count === this.stored[i])) return undefined
    const { asset, company, sensor, native_minutes: nativeMinutes } = this.first
    return {
      asset,
      company,
      sensor,
      nativeMinutes,
      day: this.day.number,
      packed: packDay(this.day, this.starts, merged),
    }
  }

  protected compareCounts(given: number, stored: number): Outcome {
    if (given === stored) return 'unchanged'
    return given === MISSING ? 'erased' : 'stored'
  }
}

/** Merges counts of whole intervals. */
export class IntervalMerge extends DayMerge {
  /** The values of the file by interval, and their lines. */
  private readonly given = new Float64Array(this.starts.length).fill(ABSENT)
  private readonly lines = new Float64Array(this.starts.length)

  override add({ counts: packed, empty_intervals, lines, duplicates }: StagedPart): void {
    const counts = unpack(packed, this.starts.length)
    let index = 0
    const nextLine = () => lines?.readUInt32LE(index++ * 4) ?? 0
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] !== MISSING) this.addValue(i, counts[i]!, nextLine())
    }
    for (let at = 0; empty_intervals && at < empty_intervals.length; at += 2) {
      this.addValue(empty_intervals.readUInt16LE(at), MISSING, nextLine())
    }
    for (let at = 0; duplicates && at < duplicates.length; at += 24) {
      this.addValue(duplicates.readDoubleLE(at), duplicates.readDoubleLE(at + 8), duplicates.readDoubleLE(at + 16))
    }
  }

  override finish(): StagedDay | undefined {
    const { figures, given, stored } = this
    for (let i = 0; i < given.length; i++) {
      if (given[i] !== ABSENT) figures[this.compareCounts(given[i]!, stored[i]!)]++
    }
    return this.mergedDay(given)
  }

  private addValue(interval: number, count: number, line: number): void {
    const given = this.given[interval]!
    if (given === ABSENT) {
      this.given[interval] = count
      this.lines[interval] = line
    } else if (given === count) this.figures.unchanged++
    else {
      const reason = conflictReason(count, given, this.lines[interval]!)
      this.merging.counter.reject({ line, reason })
    }
  }
}

/** Merges intervals whose counts are added up. Those that are stored must have the same sum. */
export class SumMerge extends DayMerge {
  private readonly summands = { seconds: [] as number[], counts: [] as number[], lines: [] as number[] }

  override add({ summands }: StagedPart): void {
    for (let at = 0; summands && at < summands.length; at += 12) {
      this.summands.seconds.push(summands.readUInt32LE(at))
      this.summands.counts.push(summands.readInt32LE(at + 4))
      this.summands.lines.push(summands.readUInt32LE(at + 8))
    }
  }

  override finish(): StagedDay | undefined {
    const { figures, stored, merging } = this
    const summed = new SummedDay(this.starts, this.summands, (line, reason) => merging.counter.reject({ line, reason }))
    summed.sums.forEach((sum, i) => {
      if (sum < 0 || stored[i] === MISSING || stored[i] === sum) return
      summed.refuse(i, sumReason(sum, stored[i]!))
    })
    summed.finish()
    figures.unchanged += summed.repeated
    for (const { empty, interval } of summed.rows()) {
      const outcome = this.compareCounts(summed.sums[interval]!, stored[interval]!)
      // An empty part of an interval that has others changes nothing.
      figures[empty && outcome === 'stored' ? 'unchanged' : outcome]++
    }
    merging.observe?.(this.first.sensor, this.day, this.starts, summed.sums)
    return this.mergedDay(summed.sums)
  }
}
