/**
 * Counts that are set aside. They are sensor-days like all others, with the number of their period, but in a table of their own, so
 * that no statement that reads counts has to leave them out.
 */
import type { Day } from '../calendar/local-days'
import { MISSING, unpack } from '../calendar/packed-counts'
import { DAY_COLUMNS } from './staged-days'

/** SQL: all sensor-days; `set_aside` is null of those that are not set aside. */
export const COUNTED_DAYS = `(
  SELECT NULL::integer AS set_aside, ${DAY_COLUMNS} FROM sensor_days
  UNION ALL SELECT set_aside, ${DAY_COLUMNS} FROM set_aside_days)`

/** A period that is set aside, near a sensor-day. Times are in seconds since 1970; `to` is exclusive. */
export interface SetAside {
  id: number
  from: number
  to: number
  /** The counts of the sensor-day that are set aside with it, packed, in hexadecimal digits; null without any. */
  counts: string | null
}

/** Returns SQL: whether a period `a` may contain counts of a sensor-day, which begins less than a day before or after its date in UTC. */
export const isNear = (row: string): string =>
  `a.sensor = ${row}.sensor AND a.from_time < ${row}.date + 2 AND a.to_time > ${row}.date - 1`

/** Returns SQL: the periods near a sensor-day, as `SetAside[]`; null without any. */
export const selectSetAsides = (
  row: string,
): string => `CASE WHEN ${row}.sensor = ANY (ARRAY(SELECT sensor FROM set_asides)) THEN (
  SELECT json_agg(json_build_object('id', a.id, 'from', extract(epoch FROM a.from_time), 'to', extract(epoch FROM a.to_time),
    'counts', encode(c.counts, 'hex')))
  FROM set_asides a LEFT JOIN set_aside_days c
    ON (c.sensor, c.date, c.asset, c.set_aside) = (${row}.sensor, ${row}.date, ${row}.asset, a.id)
  WHERE ${isNear(row)}) END`

/** The stored counts of a sensor-day, those that are set aside among them. */
export class CountedDay {
  /** By period; null: those that are not set aside. */
  private readonly stored: Map<number | null, Float64Array>
  /** By interval: the period with which its count is set aside; null where it is not. */
  private readonly periods: (number | null)[]

  /**
   * @param counts those that are not set aside, packed
   * @param takes whether a period takes an interval that begins in it and has no count in any; `isCounted` if it has one outside
   */
  constructor(
    counts: Buffer | null,
    setAsides: readonly SetAside[],
    day: Day,
    private readonly starts: readonly number[],
    takes: (period: number, isCounted: boolean) => boolean,
  ) {
    const inUse = this.read(counts)
    this.stored = new Map<number | null, Float64Array>([[null, inUse]])
    for (const { id, counts } of setAsides)
      this.stored.set(id, this.read(counts === null ? null : Buffer.from(counts, 'hex')))
    // A daily count stays set aside, or not, with its date, wherever that begins after its time zone was corrected.
    const find = (instant: number, i: number) =>
      setAsides.find(({ id }) => this.stored.get(id)![i] !== MISSING) ??
      setAsides.find(({ id, from, to }) => instant >= from && instant < to && takes(id, inUse[i] !== MISSING))
    this.periods = starts.map((start, i) => find(day.start + start, i)?.id ?? null)
  }

  /** Returns the count of an interval as it is stored, or MISSING. In an interval that a period takes none is set aside yet. */
  countAt(interval: number): number {
    return this.stored.get(this.periods[interval]!)![interval]!
  }

  isSetAside(interval: number): boolean {
    return this.periods[interval] !== null
  }

  /** Lets a period take an interval that has no count. */
  setAside(interval: number, period: number): void {
    if (!this.stored.has(period)) this.stored.set(period, this.read(null))
    if (this.countAt(interval) === MISSING) this.periods[interval] = period
  }

  /** Returns the counts of a merged day, by period, where they differ from the stored ones. */
  split(merged: ArrayLike<number>): [period: number | null, counts: Float64Array][] {
    return [...this.stored].flatMap(([period, stored]) => {
      const counts = stored.map((_, i) => (this.periods[i] === period ? merged[i]! : MISSING))
      return counts.every((count, i) => count === stored[i]) ? [] : [[period, counts] as const]
    }) as [number | null, Float64Array][]
  }

  private read(packed: Buffer | null): Float64Array {
    const { length } = this.starts
    return packed ? unpack(packed, length) : new Float64Array(length).fill(MISSING)
  }
}
