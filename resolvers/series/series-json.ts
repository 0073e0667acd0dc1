/**
 * Rows as the bytes of their JSON. On most days the rows differ in the time and the numbers alone: there the bytes of a row
 * are made once a day, and the others are copies with another time.
 */
import type { Day } from '../../db/calendar/local-days'
import { type Naming, namesOfDay } from './labels'
import { RoomyRows } from './raw-json'
import { coverageOf, type Series } from './series'
import { CLOCK, offsetText } from './timestamps'

/** The keys under which a fixed query wants the columns of its rows: what names the bucket, impressions, perhaps coverage. */
export interface RowKeys {
  name: string
  impressions: string
  coverage: string | undefined
}

/** A number or null, and a coverage: no longer than this. */
const LONGEST_VALUES = 40

const LONGEST_NAME = 25

/** The rows, without what embraces them. Names need no escaping: they are dates and times. */
export function bytesOf(series: Series, naming: Naming, keys: RowKeys): RoomyRows {
  const before = `,{${JSON.stringify(keys.name)}:"`
  const behind = `",${JSON.stringify(keys.impressions)}:`
  const beforeCoverage = keys.coverage && `,${JSON.stringify(keys.coverage)}:`
  const longest = before.length + LONGEST_NAME + behind.length + (beforeCoverage?.length ?? 0) + LONGEST_VALUES
  const ink = new Ink(series.sums.length * longest)
  const tails = new Tails(series, beforeCoverage)
  let bucket = 0
  for (let i = 0; i < series.days.length; i++) {
    const day = series.days[i] as Day
    if (series.minutes && day.regular) {
      const head = new Stamp(`${before}${nameOfMidnight(day, naming)}${behind}`)
      const clock = before.length + (naming === 'time' ? 0 : 'YYYY-MM-DDT'.length)
      for (let minute = 0; minute < 1440; minute += series.minutes) {
        head.change(clock, CLOCK[minute] as string)
        ink.stamp(head)
        ink.count(series, bucket)
        ink.stamp(tails.of(bucket++))
      }
    } else {
      for (const name of namesOfDay(series, i, naming, bucket)) {
        ink.text(`${before}${name}${behind}`)
        ink.count(series, bucket)
        ink.stamp(tails.of(bucket++))
      }
    }
  }
  return RoomyRows.of([ink.written])
}

const nameOfMidnight = ({ date, zoneIntervals }: Day, naming: Naming): string =>
  naming === 'time' ? '00:00' : `${date}T00:00:00${offsetText(zoneIntervals[0].offset)}`

/** How many bytes are copied at once: for so few, loops are faster than a call out of JavaScript, and faster in such steps. */
const STEP = 8

/** ASCII that is written often. It is padded to whole steps; as a number ASCII is never NaN, which would not keep its bits. */
class Stamp {
  readonly length: number
  readonly view: DataView
  private readonly bytes: Uint8Array

  constructor(text: string) {
    this.length = text.length
    this.bytes = new Uint8Array(Math.ceil(text.length / STEP) * STEP)
    this.view = new DataView(this.bytes.buffer)
    this.change(0, text)
  }

  change(at: number, text: string): void {
    for (let i = 0; i < text.length; i++) this.bytes[at + i] = text.charCodeAt(i)
  }
}

/** What stands behind the impressions of a row. Most have the same coverage as the one before. */
class Tails {
  private told: number | undefined
  private stamp = new Stamp('}')

  constructor(
    private readonly series: Series,
    private readonly before: string | undefined,
  ) {}

  of(bucket: number): Stamp {
    if (this.before === undefined) return this.stamp
    const coverage = coverageOf(this.series, bucket)
    if (coverage !== this.told) {
      this.told = coverage
      this.stamp = new Stamp(`${this.before}${coverage}}`)
    }
    return this.stamp
  }
}

/** A larger paper than this is not kept. */
const MOST_PAPER = 4_000_000

/**
 * What is written on, by one at a time. It is kept and written over, and what is taken from it is a copy: memory by the
 * hundred kilobytes for each answer would have the garbage of it collected ten times a second, which took more time than the
 * writing.
 */
class Paper {
  private static kept = new Paper(64 * 1024)
  readonly bytes: Buffer
  readonly view: DataView

  private constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
    this.view = new DataView(this.bytes.buffer)
  }

  static of(size: number): Paper {
    if (size <= Paper.kept.bytes.length) return Paper.kept
    const paper = new Paper(size)
    if (size <= MOST_PAPER) Paper.kept = paper
    return paper
  }
}

/** Writes ASCII, one thing behind the other. */
class Ink {
  private readonly buffer: Buffer
  private readonly view: DataView
  private at = 0

  constructor(size: number) {
    // The last stamp may be padded.
    const paper = Paper.of(size + STEP)
    this.buffer = paper.bytes
    this.view = paper.view
  }

  /** Until the next one writes. */
  get written(): Buffer {
    return this.buffer.subarray(0, this.at)
  }

  stamp({ length, view }: Stamp): void {
    for (let i = 0; i < length; i += STEP) this.view.setFloat64(this.at + i, view.getFloat64(i))
    this.at += length
  }

  text(text: string): void {
    this.at += this.buffer.write(text, this.at, 'latin1')
  }

  /** The impressions of a bucket; null where no sensor reported. */
  count({ observed, sums }: Series, bucket: number): void {
    const impressions = sums[bucket] as number
    if ((observed[bucket] as number) === 0) this.text('null')
    else if (impressions < 1_000_000_000) this.number(impressions)
    else this.text(String(impressions))
  }

  private number(number: number): void {
    let digits = 1
    for (let bound = 10; number >= bound; bound *= 10) digits++
    let rest = number
    for (let at = this.at + digits - 1; at >= this.at; at--) {
      const next = (rest / 10) | 0
      this.buffer[at] = 48 + rest - next * 10
      rest = next
    }
    this.at += digits
  }
}
