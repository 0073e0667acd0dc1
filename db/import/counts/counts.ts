/** Takes counts in, one by one, and stores them as sensor-days at the end. */
import type { ClientBase } from 'pg'
import { MISSING } from '../../calendar/packed-counts'
import type { Tally } from '../figures'
import { Clocks } from './clock'
import { Gathering, type OpenDay, type Said } from './count-buffer'
import { contradiction, type Merged, mergeDays, storeDays } from './merge'
import { packDay } from './sensor-day'
import { createStaging, type Part, stage } from './staged-days'

/** Counts that are held in memory before days are handed to the database: 18 bytes each. */
const HELD = 2_000_000

/** No day has more: 48 hours of minutes. */
const MOST_INTERVALS = 2880

const UNSAID = -2

export class Counts {
  readonly clocks = new Clocks()
  readonly gathering: Gathering
  /** Of the day that is being staged, by interval. */
  private readonly counts = new Float64Array(MOST_INTERVALS)
  private readonly lines = new Uint32Array(MOST_INTERVALS)
  private staged = 0
  private spilled = false
  private repeated = 0
  private merged: Merged = { stored: 0, unchanged: 0 }

  constructor(
    private readonly client: ClientBase,
    private readonly tally: Tally,
    held = HELD,
  ) {
    this.gathering = new Gathering(held)
  }

  /** Makes room when it is needed; to be called after every piece of a file. */
  async settle(): Promise<void> {
    if (!this.gathering.full) return
    this.spilled = true
    await this.stage(false)
  }

  /** Compares all that came with what is stored; rows that contradict each other are rejected by now. */
  async check(): Promise<void> {
    await this.stage(true)
    this.merged = await mergeDays(this.client, this.clocks, this.tally)
  }

  async store(): Promise<Merged> {
    await storeDays(this.client)
    const { stored, unchanged } = this.merged
    return { stored, unchanged: unchanged + this.repeated }
  }

  private async stage(all: boolean): Promise<void> {
    if (this.staged === 0) await createStaging(this.client)
    this.staged = await stage(this.client, 'staged_days', this.parts(all), this.staged)
  }

  private *parts(all: boolean): Generator<Part> {
    for (const [day, said] of this.gathering.takeDays(all)) yield this.partOf(day, said)
  }

  private partOf({ sensor, installation, day, starts }: OpenDay, said: Said): Part {
    const counts = this.counts.subarray(0, starts.length).fill(UNSAID)
    const lines = this.lines.subarray(0, starts.length)
    const again: number[] = []
    for (let i = 0; i < said.intervals.length; i++) {
      const interval = said.intervals[i] as number
      const count = said.counts[i] as number
      const line = said.lines[i] as number
      const earlier = counts[interval] as number
      if (earlier === UNSAID) {
        counts[interval] = count
        lines[interval] = line
      } else if (this.spilled) again.push(interval, count, line)
      else if (earlier === count) this.repeated++
      else this.tally.reject(line, contradiction(count, earlier, lines[interval] as number))
    }
    const values: number[] = []
    const blanks: number[] = []
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === MISSING) blanks.push(i)
      else if (counts[i] === UNSAID) counts[i] = MISSING
      else if (this.spilled) values.push(i)
    }
    const linesOf = (intervals: number[]) => new Uint32Array(intervals.map(interval => lines[interval] as number))
    return {
      key: {
        asset: installation.asset,
        company: installation.company,
        sensor: sensor.number,
        nativeMinutes: sensor.nativeMinutes,
        date: day.number,
      },
      packed: packDay(day, starts, counts),
      blanks: blanks.length > 0 ? Buffer.from(Uint16Array.from(blanks).buffer) : null,
      lines: this.spilled ? Buffer.from(linesOf([...values, ...blanks]).buffer) : null,
      again: again.length > 0 ? Buffer.from(Float64Array.from(again).buffer) : null,
    }
  }
}
