/**
 * The counts of a sensor-day that are set aside. Imports merge them with those of a file as if they were stored with the others, and
 * store them in the table of their own.
 */
import type { ClientBase } from 'pg'
import { NATIVE_MINUTES } from '../calendar/grains'
import type { Day } from '../calendar/local-days'
import { MISSING } from '../calendar/packed-counts'

const DAY = 86_400

/** A stretch that is set aside, with its counts near a sensor-day. Times are in seconds since 1970; `to` is exclusive. */
export interface SetAside {
  id: number
  from: number
  to: number
  /** By UTC day (days since 1970), with seconds of that day; of daily counts, by their date at the asset. */
  days: { day: number; starts: number[]; counts: number[] }[] | null
}

/** Returns SQL: whether a stretch `a` may contain counts of a sensor-day, which begins less than a day before or after its date in UTC. */
export const isNear = (row: string): string =>
  `a.sensor = ${row}.sensor AND a.from_time < ${row}.date + 2 AND a.to_time > ${row}.date - 1`

/** Returns SQL: the stretches near a sensor-day, as `SetAside[]`; null without any. */
export const selectSetAsides = (
  row: string,
): string => `CASE WHEN ${row}.sensor = ANY (ARRAY(SELECT sensor FROM set_asides)) THEN (
  SELECT json_agg(json_build_object('id', a.id, 'from', extract(epoch FROM a.from_time), 'to', extract(epoch FROM a.to_time), 'days', (
    SELECT json_agg(json_build_object('day', c.day - date '1970-01-01', 'starts', c.starts, 'counts', c.counts))
    FROM set_aside_counts c
    WHERE c.set_aside = a.id AND c.native_minutes = ${row}.native_minutes AND (c.asset IS NULL OR c.asset = ${row}.asset)
      AND c.day BETWEEN ${row}.date - 1 AND ${row}.date + 1)))
  FROM set_asides a WHERE ${isNear(row)}) END`

/** SQL: the daily counts that are set aside, by their asset. */
export const SET_ASIDE_DAYS = `(
  SELECT c.set_aside, a.sensor, c.asset, c.native_minutes, c.day AS date, c.counts[1] AS count
  FROM set_aside_counts c JOIN set_asides a ON a.id = c.set_aside WHERE c.asset IS NOT NULL)`

/** A count that is set aside. */
export interface SetAsideCount {
  setAside: number
  nativeMinutes: number
  day: number
  start: number
  /** The asset of a daily count; all others belong to the asset at their instant. */
  asset: number | null
  /** MISSING removes it. */
  count: number
}

export class SetAsideDay {
  /** By interval: the number of its stretch; undefined for an interval that is in none. */
  private readonly ids: (number | undefined)[]
  /** By interval: the count that is set aside, or MISSING. */
  readonly counts: Float64Array

  /** @param takes whether a stretch takes an interval that begins in it and has no count that is set aside already */
  constructor(
    setAsides: readonly SetAside[],
    private readonly day: Day,
    private readonly starts: readonly number[],
    private readonly nativeMinutes: number,
    takes: (stretch: number, interval: number) => boolean,
  ) {
    const known = new Map<number, [id: number, count: number]>()
    for (const { id, days } of setAsides) {
      for (const { day, starts, counts } of days ?? [])
        for (const [i, start] of starts.entries()) known.set(day * DAY + start, [id, counts[i]!])
    }
    // A daily count stays set aside, or not, with its date, wherever that begins after its time zone was corrected.
    this.ids = starts.map((start, i) => {
      const instant = day.start + start
      const begun = setAsides.find(({ id, from, to }) => instant >= from && instant < to && takes(id, i))
      return known.get(this.keyOf(i))?.[0] ?? begun?.id
    })
    this.counts = Float64Array.from(starts, (_, i) => known.get(this.keyOf(i))?.[1] ?? MISSING)
  }

  private get isDaily(): boolean {
    return this.nativeMinutes === NATIVE_MINUTES.day
  }

  has(interval: number): boolean {
    return this.ids[interval] !== undefined
  }

  /** Returns the counts of a merged day of an asset that are set aside, and differ from those that were before. */
  changes(merged: ArrayLike<number>, ofAsset: number): SetAsideCount[] {
    const { nativeMinutes } = this
    const asset = this.isDaily ? ofAsset : null
    return this.ids.flatMap((setAside, i) => {
      if (setAside === undefined || merged[i] === this.counts[i]) return []
      const day = Math.floor(this.keyOf(i) / DAY)
      return { setAside, nativeMinutes, day, start: this.keyOf(i) - day * DAY, asset, count: merged[i]! }
    })
  }

  /** Returns the start of an interval, by which its count is set aside; of a daily count, the begin of its date in UTC. */
  private keyOf(interval: number): number {
    return this.isDaily ? this.day.number * DAY : this.day.start + this.starts[interval]!
  }
}

export const CREATE_MERGED = `CREATE TEMPORARY TABLE merged_set_asides (
  set_aside integer, native_minutes smallint, day date, asset integer, start integer, count integer,
  UNIQUE NULLS NOT DISTINCT (set_aside, native_minutes, day, asset, start)) ON COMMIT DROP`

/** Stages counts that change. */
export async function stageSetAside(client: ClientBase, counts: readonly SetAsideCount[]): Promise<void> {
  await client.query(
    `INSERT INTO merged_set_asides SELECT set_aside, native_minutes, date '1970-01-01' + day, asset, start, count
     FROM unnest($1::integer[], $2::smallint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[])
       AS c (set_aside, native_minutes, day, asset, start, count)`,
    [
      counts.map(({ setAside }) => setAside),
      counts.map(({ nativeMinutes }) => nativeMinutes),
      counts.map(({ day }) => day),
      counts.map(({ asset }) => asset),
      counts.map(({ start }) => start),
      counts.map(({ count }) => count),
    ],
  )
}

const TOUCHED = '(set_aside, native_minutes, day) IN (SELECT set_aside, native_minutes, day FROM merged_set_asides)'

/** SQL that stores the staged counts: the days to which they belong are put together again. */
export const STORE_SET_ASIDE = `
  INSERT INTO merged_set_asides
    SELECT set_aside, native_minutes, day, asset, start, count
    FROM set_aside_counts CROSS JOIN unnest(starts, counts) AS u (start, count) WHERE ${TOUCHED} ON CONFLICT DO NOTHING;
  DELETE FROM set_aside_counts WHERE ${TOUCHED};
  INSERT INTO set_aside_counts (set_aside, native_minutes, day, asset, starts, counts)
    SELECT set_aside, native_minutes, day, asset, array_agg(start ORDER BY start), array_agg(count ORDER BY start)
    FROM merged_set_asides WHERE count <> ${MISSING} GROUP BY set_aside, native_minutes, day, asset`
