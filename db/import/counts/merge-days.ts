/**
 * Merges staged days into `sensor_days`. Days that are new and staged in one part are inserted by one statement. All others
 * are compared with what is stored, interval by interval, and written only if they change.
 */
import type { ClientBase } from 'pg'
import { intervalStarts, type LocalDayCache } from '../../calendar/local-day-cache'
import { dayNumber } from '../../calendar/local-days'
import { MISSING, unpack } from '../../calendar/packed-counts'
import type { StoredFigures } from '../figures'
import type { RowCounter } from '../row-counter'
import { refreshMeasuredDates } from './measured-dates'
import { packDay } from './sensor-day'
import { type StagedDay, stageDays } from './staged-days'

/** Parts that are fetched at once. */
const BATCH = 200

/** Marks an interval that the file does not mention. */
const ABSENT = -2

const IS_NEW = `NOT EXISTS (SELECT FROM compared_days c WHERE (c.asset, c.date, c.sensor) = (s.asset, s.date, s.sensor))`

/** A staged part, with the stored counts of its day. */
interface StagedPart {
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
  stored: Buffer | null
}

/** Fills `merged_days` with the days that change; rejects rows that give another value for the same interval. */
export async function mergeDays(client: ClientBase, days: LocalDayCache, counter: RowCounter): Promise<StoredFigures> {
  await client.query(`
    ANALYZE staged_days (asset, date, sensor);
    CREATE TEMPORARY TABLE compared_days ON COMMIT DROP AS
      SELECT asset, date, sensor FROM staged_days
      GROUP BY asset, date, sensor HAVING count(*) > 1 OR count(duplicates) > 0
      UNION
      SELECT asset, date, sensor FROM staged_days JOIN sensor_days USING (asset, date, sensor);
    ANALYZE compared_days;
    DECLARE parts CURSOR FOR
      SELECT s.asset, s.company, s.sensor, s.native_minutes, s.date, a.time_zone AS zone,
             s.counts, s.empty_intervals, s.lines, s.duplicates, d.counts AS stored
      FROM compared_days JOIN staged_days s USING (asset, date, sensor) JOIN assets a ON a.number = s.asset
           LEFT JOIN sensor_days d USING (asset, date, sensor)
      ORDER BY s.asset, s.date, s.sensor, s.part`)
  const figures: StoredFigures = { stored: 0, unchanged: 0 }
  let merge: DayMerge | undefined
  for (;;) {
    const { rows } = await client.query<StagedPart>(`FETCH ${BATCH} FROM parts`)
    const changed: StagedDay[] = []
    const finish = () => {
      const day = merge?.finish()
      if (day) changed.push(day)
    }
    for (const part of rows) {
      if (!merge?.isOfSameDay(part)) {
        finish()
        merge = new DayMerge(part, days, counter, figures)
      }
      merge.add(part)
    }
    if (rows.length === 0) finish()
    if (changed.length > 0) await stageDays(client, 'merged_days', changed)
    if (rows.length === 0) break
  }
  await client.query('CLOSE parts')
  const { rows } = await client.query<StoredFigures>(`
    SELECT coalesce(sum(observed), 0)::float8 AS stored,
      coalesce(sum(octet_length(empty_intervals) / 2), 0)::float8 AS unchanged
    FROM staged_days s WHERE ${IS_NEW}`)
  figures.stored += rows[0]?.stored ?? 0
  figures.unchanged += rows[0]?.unchanged ?? 0
  return figures
}

/** Writes the new and the changed days, and the first and last measured date of their assets. */
export async function storeDays(client: ClientBase): Promise<void> {
  const columns = 'asset, company, sensor, native_minutes, date, impressions, observed, hours, counts'
  await client.query(`
    INSERT INTO sensor_days (${columns}) SELECT ${columns} FROM staged_days s WHERE observed > 0 AND ${IS_NEW};
    INSERT INTO sensor_days (${columns}) SELECT ${columns} FROM merged_days WHERE observed > 0
      ON CONFLICT (asset, date, sensor) DO UPDATE SET impressions = excluded.impressions, observed = excluded.observed,
        hours = excluded.hours, counts = excluded.counts;
    DELETE FROM sensor_days d USING merged_days m
      WHERE m.observed = 0 AND (d.asset, d.date, d.sensor) = (m.asset, m.date, m.sensor)`)
  await refreshMeasuredDates(client, 'ARRAY(SELECT asset FROM staged_days)')
}

/** Applies the parts of a file to one row of `sensor_days`. */
class DayMerge {
  private readonly day
  private readonly starts: readonly number[]
  private readonly stored: Float64Array
  /** The values of the file by interval, and their lines. */
  private readonly given: Float64Array
  private readonly lines: Float64Array

  constructor(
    private readonly first: StagedPart,
    days: LocalDayCache,
    private readonly counter: RowCounter,
    private readonly figures: StoredFigures,
  ) {
    this.day = days.day(first.zone, dayNumber(first.date))
    this.starts = intervalStarts(this.day, first.native_minutes)
    const { length } = this.starts
    this.stored = first.stored ? unpack(first.stored, length) : new Float64Array(length).fill(MISSING)
    this.given = new Float64Array(length).fill(ABSENT)
    this.lines = new Float64Array(length)
  }

  isOfSameDay({ asset, date, sensor }: StagedPart): boolean {
    return this.first.sensor === sensor && this.first.date === date && this.first.asset === asset
  }

  add({ counts: packed, empty_intervals, lines, duplicates }: StagedPart): void {
    const counts = unpack(packed, this.starts.length)
    let index = 0
    const nextLine = () => lines?.readUInt32LE(index++ * 4) ?? 0
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] !== MISSING) this.addValue(i, counts[i] as number, nextLine())
    }
    for (let at = 0; empty_intervals && at < empty_intervals.length; at += 2) {
      this.addValue(empty_intervals.readUInt16LE(at), MISSING, nextLine())
    }
    for (let at = 0; duplicates && at < duplicates.length; at += 24) {
      this.addValue(duplicates.readDoubleLE(at), duplicates.readDoubleLE(at + 8), duplicates.readDoubleLE(at + 16))
    }
  }

  /** The merged day, if it differs from the stored one. */
  finish(): StagedDay | undefined {
    let changed = 0
    const merged = this.stored.map((stored, i) => {
      const given = this.given[i] as number
      if (given === ABSENT) return stored
      if (given === stored) this.figures.unchanged++
      else changed++
      return given
    })
    this.figures.stored += changed
    if (changed === 0) return undefined
    const { asset, company, sensor, native_minutes: nativeMinutes } = this.first
    const packed = packDay(this.day, this.starts, merged)
    const key = { asset, company, sensor, nativeMinutes, day: this.day.number }
    return { ...key, packed, emptyIntervals: null, lines: null, duplicates: null }
  }

  private addValue(interval: number, count: number, line: number): void {
    const given = this.given[interval] as number
    if (given === ABSENT) {
      this.given[interval] = count
      this.lines[interval] = line
    } else if (given === count) this.figures.unchanged++
    else this.counter.reject({ line, reason: conflictReason(count, given, this.lines[interval] as number) })
  }
}

/** Why a row is rejected whose interval has another value on an earlier line. */
export function conflictReason(count: number, earlier: number, line: number): string {
  const text = (value: number) => (value === MISSING ? 'empty' : String(value))
  return `impressions is ${text(count)}, but line ${line} has ${text(earlier)} for the same interval`
}
