/**
 * Buffers rows with a local time that the clock shows twice, until the whole file has been read. The order of a
 * sensor's rows then shows which of the two passes each row belongs to.
 */
import { FileError } from '../../../db/file-errors'
import type { CountOptions } from '../count-options'

/** Limits the memory: 24 bytes for each row. */
const MAX_ROWS = 5_000_000

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

const UNCLEAR = `start is in the hour that the clock change repeats, and only some of its rows are identical, which shows neither one pass nor two: remove the copies, or give the start an offset`

/** The quarter hours of 48 hours, more than any day has. */
const QUARTERS = 192

/** The rows of a sensor on a day on which the clock shows some times twice. */
export class RepeatedDay {
  /** Second, count and line of each row. */
  private readonly values: number[] = []
  /** The instant of the row before, of all rows of the day: NaN before the first. */
  private previous = Number.NaN
  private previousIsRepeated = false
  private ascends = false
  private descends = false
  /** The number of rows outside of the hour that start with a quarter hour, and that of these starts. */
  private others = 0
  private otherStarts = 0
  private readonly seenQuarters = new Uint32Array(QUARTERS / 32)
  /** Whether a row has the hour that a change of half an hour splits in two: the first, without a second row. */
  namesHour = false

  /** Notes the order of a row, and whether it is a copy. @param instant the first of two if its time is repeated */
  follow(instant: number, repeated: boolean): void {
    const isCopy = !repeated && this.isCopy(instant)
    if (!isCopy && !(repeated && this.previousIsRepeated)) {
      if (instant > this.previous) this.ascends = true
      if (instant < this.previous) this.descends = true
    }
    this.previous = instant
    this.previousIsRepeated = repeated
  }

  add({ second, count, line }: RepeatedRow): void {
    this.values.push(second, count, line)
  }

  /** Returns the rows with their passes, in the order of the file. @param hasCopies whether it repeats other rows */
  *passes(option: CountOptions['repeatedHour'], hasCopies: boolean): Generator<[RepeatedRow, Pass]> {
    const { values } = this
    const all = Array.from({ length: values.length / 3 }, (_, i): RepeatedRow => {
      const [second, count, line] = values.slice(i * 3, i * 3 + 3) as [number, number, number]
      return { second, count, line }
    })
    const originals = this.findOriginals(all, hasCopies)
    const rows = all.filter((_, i) => originals[i] === i)
    const direction = this.direction(rows)
    const runs = direction === 0 ? 0 : runsIn(rows, direction)
    const isOnce = direction === 0 ? isEachOnce(rows) : runs === 1
    const single: Pass = this.namesHour ? 'first' : (option ?? { reason: ONCE })
    const [before, after]: Pass[] = direction > 0 ? ['first', 'second'] : ['second', 'first']
    const passes = new Map<RepeatedRow, Pass>()
    let isBefore = true
    rows.forEach((row, i) => {
      if (i > 0 && (row.second - rows[i - 1]!.second) * direction <= 0) isBefore = false
      const ofTwo = runs === 2 ? (isBefore ? before : after) : undefined
      passes.set(row, isOnce ? single : (ofTwo ?? { reason: UNORDERED }))
    })
    for (const [i, row] of all.entries()) {
      yield [row, passes.get(all[originals[i]!]!) ?? { reason: UNCLEAR }]
    }
  }

  /** Returns whether a row outside of the hour starts with the same quarter hour as an earlier one. */
  private isCopy(instant: number): boolean {
    const quarter = (instant / 900) % QUARTERS
    if (!Number.isInteger(quarter)) return false
    const [word, bit] = [quarter >> 5, 1 << (quarter & 31)]
    const isCopy = (this.seenQuarters[word]! & bit) !== 0
    this.seenQuarters[word] = this.seenQuarters[word]! | bit
    this.others++
    if (!isCopy) this.otherStarts++
    return isCopy
  }

  /**
   * Returns for each row the index of the row of which it is a copy, or its own; -1 where that is not clear. The second
   * pass may have the counts of the first, so that only other rows show whether the file repeats its rows.
   */
  private findOriginals(rows: readonly RepeatedRow[], hasCopies: boolean): number[] {
    const own = rows.map((_, i) => i)
    const firsts = new Map<string, number>()
    const identical = rows.map(({ second, count }, i) => {
      const key = `${second} ${count}`
      firsts.set(key, firsts.get(key) ?? i)
      return firsts.get(key) as number
    })
    if (firsts.size === rows.length) return own
    const copies = this.others / this.otherStarts
    const length = rows.length / copies
    if (copies > 1 && Number.isInteger(copies) && Number.isInteger(length)) {
      // Each row is repeated, or the file as a whole.
      for (const candidate of [own.map(i => i - (i % copies)), own.map(i => i % length)]) {
        if (candidate.every((original, i) => identical[original] === identical[i])) return candidate
      }
    }
    const distinct = rows.filter((_, i) => identical[i] === i)
    const isRepeated = copies > 1 || hasMoreThanTwo(rows)
    if (isEachOnce(distinct) && (isRepeated || hasCopies)) return identical
    return isRepeated ? own.map(() => -1) : own
  }

  /** Returns 1 for ascending, -1 for descending, 0 for neither; ascending if nothing shows the order. */
  private direction(rows: readonly RepeatedRow[]): number {
    if (this.ascends && this.descends) return 0
    if (this.ascends || this.descends) return this.ascends ? 1 : -1
    return runsIn(rows, 1) > 2 && runsIn(rows, -1) <= 2 ? -1 : 1
  }
}

/** Returns the number of runs in one direction. */
const runsIn = (rows: readonly RepeatedRow[], direction: number): number =>
  rows.filter(({ second }, i) => i === 0 || (second - rows[i - 1]!.second) * direction <= 0).length

const isEachOnce = (rows: readonly RepeatedRow[]): boolean =>
  new Set(rows.map(({ second }) => second)).size === rows.length

function hasMoreThanTwo(rows: readonly RepeatedRow[]): boolean {
  const counts = new Map<number, number>()
  for (const { second } of rows) counts.set(second, (counts.get(second) ?? 0) + 1)
  return [...counts.values()].some(count => count > 2)
}

/** The repeated days of all sensors. */
export class RepeatedHours<State> {
  private readonly days = new Map<State, Map<number, RepeatedDay>>()
  size = 0

  openRepeatedDay(state: State, day: number): RepeatedDay {
    const days = this.days.get(state) ?? new Map<number, RepeatedDay>()
    this.days.set(state, days)
    const repeated = days.get(day) ?? new RepeatedDay()
    days.set(day, repeated)
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
