/**
 * Rows as the bytes of their JSON. On most days the rows differ in the time and the numbers alone: there the bytes of a row
 * are made once a day, and the others are copies with another time.
 */
import type { Day } from '../db/calendar'
import { type Naming, namesOfDay } from './names'
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

/** The rows with commas between them, without what embraces them. Names need no escaping: they are dates and times. */
export function bytesOf(series: Series, naming: Naming, keys: RowKeys): Buffer {
  const before = `,{${JSON.stringify(keys.name)}:"`
  const behind = `",${JSON.stringify(keys.impressions)}:`
  const beforeCoverage = keys.coverage && `,${JSON.stringify(keys.coverage)}:`
  const longest = before.length + LONGEST_NAME + behind.length + (beforeCoverage?.length ?? 0) + LONGEST_VALUES
  const ink = new Ink(series.sums.length * longest)
  const tails = new Tails(series, beforeCoverage)
  let bucket = 0
  for (let i = 0; i < series.days.length; i++) {
    const day = series.days[i] as Day
    if (series.minutes && day.even) {
      const head = Buffer.from(`${before}${nameOfMidnight(day, naming)}${behind}`)
      const clock = before.length + (naming === 'time' ? 0 : 'YYYY-MM-DDT'.length)
      for (let minute = 0; minute < 1440; minute += series.minutes) {
        setClock(head, clock, minute)
        ink.bytes(head)
        ink.count(series, bucket)
        ink.bytes(tails.of(bucket++))
      }
    } else {
      for (const name of namesOfDay(series, i, naming, bucket)) {
        ink.text(`${before}${name}${behind}`)
        ink.count(series, bucket)
        ink.bytes(tails.of(bucket++))
      }
    }
  }
  // The first row has none before it.
  return ink.written.subarray(1)
}

const nameOfMidnight = ({ date, stretches }: Day, naming: Naming): string =>
  naming === 'time' ? '00:00' : `${date}T00:00:00${offsetText(stretches[0].offset)}`

function setClock(head: Buffer, at: number, minute: number): void {
  const clock = CLOCK[minute] as string
  for (let i = 0; i < clock.length; i++) head[at + i] = clock.charCodeAt(i)
}

/** What stands behind the impressions of a row. Most have the same coverage as the one before. */
class Tails {
  private told: number | undefined
  private bytes = Buffer.from('}')

  constructor(
    private readonly series: Series,
    private readonly before: string | undefined,
  ) {}

  of(bucket: number): Buffer {
    if (this.before === undefined) return this.bytes
    const coverage = coverageOf(this.series, bucket)
    if (coverage !== this.told) {
      this.told = coverage
      this.bytes = Buffer.from(`${this.before}${coverage}}`)
    }
    return this.bytes
  }
}

/** Writes ASCII, one thing behind the other. */
class Ink {
  private readonly buffer: Buffer
  private at = 0

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size)
  }

  get written(): Buffer {
    return this.buffer.subarray(0, this.at)
  }

  /** For some dozens of bytes a loop is faster than a call out of JavaScript. */
  bytes(bytes: Buffer): void {
    const { buffer } = this
    let { at } = this
    for (let i = 0; i < bytes.length; i++) buffer[at++] = bytes[i] as number
    this.at = at
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
      const next = Math.floor(rest / 10)
      this.buffer[at] = 48 + rest - next * 10
      rest = next
    }
    this.at += digits
  }
}
