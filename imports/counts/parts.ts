/**
 * The parts of intervals that are added up (`--sum-to-grain`). They have one length in a file and lie on the grid of
 * their interval, from its start at the asset on. An interval that lacks one of them gets no count.
 */
import type { ClientBase } from 'pg'
import { NATIVE_MINUTES } from '../../db/calendar/grains'
import type { Day } from '../../db/calendar/local-days'
import { lastAtMost } from '../../db/calendar/zone-rules'
import { countOf, listMore } from '../../db/count-of'
import { FileError, quote } from '../../db/file-errors'
import type { CountOptions, IncompleteIntervals } from './count-options'
import { divisor, durationText, MIN_LENGTH, shownSecond } from './spacing/row-gaps'

/** Incomplete intervals that are listed. */
const MAX_LISTED = 1000

/** Ends messages about rows that may be events. */
export const COUNT_FIRST = ': count them by interval first, as the recipe for events in the guide on importing does'

export class Parts {
  /** The greatest length that divides all distances from the start of an interval, by the clock and in time. */
  private clock: number
  private elapsed: number
  /** Whether an interval has all parts, or a sum that is stored. */
  hasWhole = false
  /** Whether an interval has several rows, or one that is placed as its first or last part. */
  private hasParts = false
  /** The incomplete intervals, with the numbers of their sensors. */
  private readonly incomplete: (Omit<IncompleteIntervals['intervals'][number], 'sensor'> & { sensor: number })[] = []
  private total = 0
  /** The parts of incomplete intervals: those that have a count, and all. */
  private present = 0
  private expected = 0
  /** Whether the file names the intervals of rows, which are no events then. */
  private namesIntervals: boolean
  /** A part that names its end is in the second before it. */
  private readonly toStamp: number
  /** The length that an option gives to parts. */
  readonly known: number | undefined
  /** The lengths that all ranges of times may have, and one that each has. */
  private lengths: readonly number[] | undefined
  private readonly found = new Set<number>()

  constructor({ interval, intervalNumber, stamps }: CountOptions) {
    const grain = interval ?? intervalNumber
    this.known = grain && NATIVE_MINUTES[grain] * 60
    this.clock = this.known ?? 0
    this.elapsed = this.clock
    this.toStamp = stamps === 'end' ? 1 : 0
    this.namesIntervals = intervalNumber !== undefined
  }

  /** The length of a part, in seconds. Around a clock change, either the clock or the time shows it. */
  get length(): number {
    return Math.max(this.clock, this.elapsed)
  }

  /** Notes the lengths that a range may have, of which each divides its interval. Returns whether it is a part. */
  addRange(lengths: readonly number[]): boolean {
    const [length] = lengths
    if (length === undefined) return false
    this.namesIntervals = true
    if (this.known !== undefined) return lengths.includes(this.known)
    this.found.add(length)
    this.lengths = (this.lengths ?? lengths).filter(each => lengths.includes(each))
    return true
  }

  /** Gives parts the length of ranges. @throws FileError when these have several */
  takeRanges(): void {
    if (!this.lengths) return
    if (this.lengths.length === 0) {
      const lengths = [...this.found].sort((a, b) => a - b).map(durationText)
      throw new FileError(
        `has ranges of ${lengths.join(', ')}: parts that are added up have one length, of which --interval rejects all others`,
      )
    }
    const length = Math.min(...this.lengths)
    this.clock = divisor(this.clock, length)
    this.elapsed = divisor(this.elapsed, length)
  }

  /** Notes a row, whether or not it has a count. */
  add(day: Day, starts: readonly number[], nativeMinutes: number, second: number): void {
    const stamp = second + this.toStamp
    const native = nativeMinutes * 60
    const start = day.regular ? second - (second % native) : starts[lastAtMost(starts, second)]!
    const elapsed = stamp - start
    const isKnown = (length: number) => elapsed % length === 0 && native % length === 0
    if (day.regular && isKnown(this.clock) && isKnown(this.elapsed)) return
    const narrow = (length: number, distance: number) => divisor(divisor(length, native), distance)
    this.elapsed = narrow(this.elapsed, elapsed)
    this.clock = narrow(this.clock, Math.abs(shownSecond(day, stamp) - shownSecond(day, start)))
  }

  /** Returns whether parts are all those of an interval. @param seconds of the day where they are placed, ascending */
  areWhole(
    day: Day,
    starts: readonly number[],
    nativeMinutes: number,
    interval: number,
    seconds: readonly number[],
  ): boolean {
    const { length, toStamp } = this
    const [start, end] = [starts[interval]!, starts[interval + 1] ?? day.end - day.start]
    const bounds = toStamp ? [start, ...seconds.map(second => second + 1)] : [...seconds, end]
    const isPart = (from: number, to: number) => {
      if (to - from === length) return true
      // Parts that are longer than a clock change, and no multiples of it, are as long as the clock shows.
      const shown = day.regular ? 0 : shownSecond(day, to) - shownSecond(day, from)
      return shown === length && (shown - (to - from)) % length !== 0
    }
    // A whole interval is as long as the clock change makes it.
    const isSingle = seconds.length === 1 && length === nativeMinutes * 60
    this.hasParts ||= toStamp ? bounds.at(-1) === end : bounds[0] === start
    const areWhole =
      bounds[0] === start &&
      bounds.at(-1) === end &&
      (isSingle || bounds.slice(1).every((to, i) => isPart(bounds[i]!, to)))
    this.hasWhole ||= areWhole
    return areWhole
  }

  /** Notes an interval without a count: its parts with a count, its seconds, and its rows, even empty ones. */
  addIncomplete(sensor: number, start: string, parts: number, seconds: number, rows: number): void {
    const of = Math.round(seconds / this.length)
    this.hasParts ||= rows > 1
    this.present += parts
    this.expected += of
    if (++this.total <= MAX_LISTED) this.incomplete.push({ sensor, start, parts, of })
  }

  /** Whether no interval has all parts, and they are closer than any sensor's, or most of several are missing. */
  get areEvents(): boolean {
    if (this.hasWhole || this.length < MIN_LENGTH) return !this.hasWhole
    return !this.namesIntervals && this.present > 1 && this.present * 2 < this.expected
  }

  /** Reports the incomplete intervals. @throws FileError when no interval has all parts, and the rows are none */
  async report(client: ClientBase, { onIncomplete }: CountOptions): Promise<void> {
    if (this.total === 0) return
    const length = durationText(this.length)
    if (this.areEvents)
      throw new FileError(
        `has rows at multiples of ${length}: these are events, not the counts of intervals${COUNT_FIRST}`,
      )
    if (!this.hasWhole && !this.hasParts)
      throw new FileError(
        'has no two rows in one interval of a sensor, none of which starts with it: they are no parts',
      )
    const { rows } = await client.query<{ number: number; serial: string }>(
      'SELECT number, serial FROM sensors WHERE number = ANY ($1)',
      [this.incomplete.map(({ sensor }) => sensor)],
    )
    const serials = new Map(rows.map(({ number, serial }) => [number, serial]))
    const intervals = this.incomplete.map(each => ({ ...each, sensor: serials.get(each.sensor) as string }))
    onIncomplete?.({ intervals, total: this.total, length })
  }
}

/** Intervals that have a line. */
const MAX_SHOWN = 20

/** Returns a line for each interval, up to MAX_SHOWN. */
export function describeIncomplete({ intervals, total, length }: IncompleteIntervals): string[] {
  const described = intervals.slice(0, MAX_SHOWN)
  const lines = described.map(
    ({ sensor, start, parts, of }) =>
      `sensor ${quote(sensor)} gets no count at ${start}: only ${parts} of ${countOf(of, 'part')} of ${length} ${parts === 1 ? 'has' : 'have'} a count`,
  )
  return [...lines, ...listMore(total - described.length, 'interval', ' without all parts')]
}
