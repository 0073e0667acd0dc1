/**
 * Buffers rows with a local time that the clock shows twice, until the whole file has been read. The order of a sensor's rows
 * then shows which of the two passes each row belongs to.
 */
import { FileError } from '../../errors'
import type { CountOptions } from '../count-options'

/** Limits the memory: 24 bytes for each row. */
const MAX_ROWS = 5_000_000

/** A row of a repeated hour. */
export interface RepeatedRow {
  /** Second of the day as the clock shows it. */
  second: number
  count: number
  line: number
}

/** The pass of a row, or the reason why it has none. */
export type Pass = 'first' | 'second' | { reason: string }

const ONCE = `start is in the hour that the clock change repeats, and the file has that hour only once: give --repeated-hour first or second, or the start an offset`

const UNORDERED = `start is in the hour that the clock change repeats, and the sensor's rows of that day are not in ascending or descending order: sort them, or give the start an offset`

/** The rows of a sensor on a day on which the clock shows some times twice. */
export class RepeatedDay {
  /** Second, count and line of each row. */
  private readonly values: number[] = []
  /** The instant of the row before, of all rows of the day: NaN before the first. */
  private previous = Number.NaN
  private previousIsRepeated = false
  private ascends = false
  private descends = false
  /** Whether a row has the hour that a change of half an hour splits in two. Without a second row it means the first. */
  namesHour = false

  /**
   * Compares a row with the one before, to find the order of the day.
   *
   * @param instant the row's instant, or the first of its two
   * @param repeated whether its local time is repeated
   */
  follow(instant: number, repeated: boolean): void {
    if (!(repeated && this.previousIsRepeated)) {
      if (instant > this.previous) this.ascends = true
      if (instant < this.previous) this.descends = true
    }
    this.previous = instant
    this.previousIsRepeated = repeated
  }

  add({ second, count, line }: RepeatedRow): void {
    this.values.push(second, count, line)
  }

  /**
   * Returns the rows with their passes, in the order of the file.
   *
   * @param option the pass of rows whose hour the file has only once
   */
  *passes(option: CountOptions['repeatedHour']): Generator<[RepeatedRow, Pass]> {
    const { values } = this
    const direction = this.direction()
    const runs = direction === 0 ? 0 : this.runsIn(direction)
    const isOnce = direction === 0 ? this.isEachOnce() : runs === 1
    const single: Pass = this.namesHour ? 'first' : (option ?? { reason: ONCE })
    const [before, after]: Pass[] = direction > 0 ? ['first', 'second'] : ['second', 'first']
    let isBefore = true
    for (let i = 0; i < values.length; i += 3) {
      const [second, count, line] = values.slice(i, i + 3) as [number, number, number]
      if (i > 0 && (second - (values[i - 3] as number)) * direction <= 0) isBefore = false
      const ofTwo = runs === 2 ? (isBefore ? before : after) : undefined
      yield [{ second, count, line }, isOnce ? single : (ofTwo ?? { reason: UNORDERED })]
    }
  }

  /** Returns 1 for ascending, -1 for descending, 0 for neither; ascending where no other row shows the order, if possible. */
  private direction(): number {
    if (this.ascends && this.descends) return 0
    if (this.ascends || this.descends) return this.ascends ? 1 : -1
    return this.runsIn(1) > 2 && this.runsIn(-1) <= 2 ? -1 : 1
  }

  /** Returns the number of runs in one direction. */
  private runsIn(direction: number): number {
    const { values } = this
    let runs = 1
    for (let i = 3; i < values.length; i += 3) {
      if (((values[i] as number) - (values[i - 3] as number)) * direction <= 0) runs++
    }
    return runs
  }

  private isEachOnce(): boolean {
    const seconds = this.values.filter((_, i) => i % 3 === 0)
    return new Set(seconds).size === seconds.length
  }
}

/** The repeated days of all sensors. */
export class RepeatedHours<State> {
  private readonly days = new Map<State, Map<number, RepeatedDay>>()
  private size = 0

  /** Returns the day of a sensor. */
  openRepeatedDay(state: State, day: number): RepeatedDay {
    let days = this.days.get(state)
    if (!days) {
      days = new Map()
      this.days.set(state, days)
    }
    let repeated = days.get(day)
    if (!repeated) {
      repeated = new RepeatedDay()
      days.set(day, repeated)
    }
    return repeated
  }

  /** @throws FileError when there are too many rows */
  add(day: RepeatedDay, row: RepeatedRow): void {
    if (++this.size > MAX_ROWS) {
      throw new FileError(
        `has more than ${MAX_ROWS} rows in hours that the clock change repeats: import it in parts, or give the starts an offset`,
      )
    }
    day.add(row)
  }

  *[Symbol.iterator](): Generator<[state: State, day: number, rows: RepeatedDay]> {
    for (const [state, days] of this.days) for (const [day, rows] of days) yield [state, day, rows]
  }
}
