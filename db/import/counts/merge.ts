/**
 * Brings staged days into sensor_days. Days that are new and came in one part go in by one statement. The others are
 * compared with what is stored, interval by interval, and written only where something changes.
 */
import type { ClientBase } from 'pg'
import { dayNumber } from '../../calendar/local-days'
import { MISSING, unpack } from '../../calendar/packed-counts'
import type { Tally } from '../figures'
import { type Clocks, startsIn } from './clock'
import { packDay } from './sensor-day'
import { type Part, stage } from './staged-days'

/** How many parts are merged at once. */
const BATCH = 200

const UNSAID = -2

const PLAINLY_NEW = `NOT EXISTS (SELECT FROM met_days m WHERE (m.asset, m.date, m.sensor) = (s.asset, s.date, s.sensor))`

interface StagedPart {
  asset: number
  company: number
  sensor: number
  native_minutes: number
  date: string
  zone: string
  counts: Buffer
  blanks: Buffer | null
  lines: Buffer | null
  again: Buffer | null
  stored: Buffer | null
}

/** What came of the intervals that the file spoke of: how many changed, how many stayed. */
export interface Merged {
  stored: number
  unchanged: number
}

/** Finds the days that are not plainly new and works out what becomes of them; intervals told twice are rejected. */
export async function mergeDays(client: ClientBase, clocks: Clocks, tally: Tally): Promise<Merged> {
  await client.query(`
    ANALYZE staged_days (asset, date, sensor);
    CREATE TEMPORARY TABLE met_days ON COMMIT DROP AS
      SELECT asset, date, sensor FROM staged_days GROUP BY asset, date, sensor HAVING count(*) > 1 OR count(again) > 0
      UNION
      SELECT asset, date, sensor FROM staged_days JOIN sensor_days USING (asset, date, sensor);
    ANALYZE met_days;
    DECLARE met CURSOR FOR
      SELECT s.asset, s.company, s.sensor, s.native_minutes, s.date, a.time_zone AS zone,
             s.counts, s.blanks, s.lines, s.again, d.counts AS stored
      FROM met_days JOIN staged_days s USING (asset, date, sensor) JOIN assets a ON a.number = s.asset
           LEFT JOIN sensor_days d USING (asset, date, sensor)
      ORDER BY s.asset, s.date, s.sensor, s.part`)
  const merged: Merged = { stored: 0, unchanged: 0 }
  let open: DayInMerging | undefined
  for (;;) {
    const { rows } = await client.query<StagedPart>(`FETCH ${BATCH} FROM met`)
    const changed: Part[] = []
    const close = () => {
      const part = open?.close(merged)
      if (part) changed.push(part)
    }
    for (const row of rows) {
      if (!open?.takes(row)) {
        close()
        open = new DayInMerging(row, clocks, tally)
      }
      open.add(row, merged)
    }
    if (rows.length === 0) {
      close()
      open = undefined
    }
    if (changed.length > 0) await stage(client, 'merged_days', changed)
    if (rows.length === 0) break
  }
  await client.query('CLOSE met')
  const fresh = await client.query<{ stored: number; unchanged: number }>(`
    SELECT coalesce(sum(observed), 0)::float8 AS stored, coalesce(sum(octet_length(blanks) / 2), 0)::float8 AS unchanged
    FROM staged_days s WHERE ${PLAINLY_NEW}`)
  merged.stored += fresh.rows[0]?.stored ?? 0
  merged.unchanged += fresh.rows[0]?.unchanged ?? 0
  return merged
}

/** Writes what mergeDays has found, and since and until when the assets are measured. */
export async function storeDays(client: ClientBase): Promise<void> {
  const columns = 'asset, company, sensor, native_minutes, date, impressions, observed, hours, counts'
  await client.query(`
    INSERT INTO sensor_days (${columns}) SELECT ${columns} FROM staged_days s WHERE observed > 0 AND ${PLAINLY_NEW};
    INSERT INTO sensor_days (${columns}) SELECT ${columns} FROM merged_days WHERE observed > 0
      ON CONFLICT (asset, date, sensor) DO UPDATE SET impressions = excluded.impressions, observed = excluded.observed,
        hours = excluded.hours, counts = excluded.counts;
    DELETE FROM sensor_days d USING merged_days m
      WHERE m.observed = 0 AND (d.asset, d.date, d.sensor) = (m.asset, m.date, m.sensor);
    UPDATE assets a SET measured_from = d.first, measured_to = d.last
      FROM (SELECT asset FROM staged_days GROUP BY asset) s
        LEFT JOIN LATERAL (SELECT min(date) AS first, max(date) AS last FROM sensor_days WHERE asset = s.asset) d ON true
      WHERE a.number = s.asset AND (a.measured_from, a.measured_to) IS DISTINCT FROM (d.first, d.last)`)
}

/** One row of sensor_days while the parts of a file are laid over it. */
class DayInMerging {
  private readonly starts: readonly number[]
  private readonly day
  private readonly before: Float64Array
  private readonly said: Float64Array
  private readonly saidOn: Float64Array

  constructor(
    private readonly first: StagedPart,
    clocks: Clocks,
    private readonly tally: Tally,
  ) {
    this.day = clocks.day(first.zone, dayNumber(first.date))
    this.starts = startsIn(this.day, first.native_minutes)
    const { length } = this.starts
    this.before = first.stored ? unpack(first.stored, length) : new Float64Array(length).fill(MISSING)
    this.said = new Float64Array(length).fill(UNSAID)
    this.saidOn = new Float64Array(length)
  }

  takes({ asset, date, sensor }: StagedPart): boolean {
    return this.first.sensor === sensor && this.first.date === date && this.first.asset === asset
  }

  add({ counts: packed, blanks, lines, again }: StagedPart, merged: Merged): void {
    const counts = unpack(packed, this.starts.length)
    let told = 0
    const lineOfNext = () => lines?.readUInt32LE(told++ * 4) ?? 0
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] !== MISSING) this.say(i, counts[i] as number, lineOfNext(), merged)
    }
    for (let at = 0; blanks && at < blanks.length; at += 2) {
      this.say(blanks.readUInt16LE(at), MISSING, lineOfNext(), merged)
    }
    for (let at = 0; again && at < again.length; at += 24) {
      this.say(again.readDoubleLE(at), again.readDoubleLE(at + 8), again.readDoubleLE(at + 16), merged)
    }
  }

  private say(interval: number, count: number, line: number, merged: Merged): void {
    const said = this.said[interval] as number
    if (said === UNSAID) {
      this.said[interval] = count
      this.saidOn[interval] = line
    } else if (said === count) merged.unchanged++
    else this.tally.reject(line, contradiction(count, said, this.saidOn[interval] as number))
  }

  /** The day as it becomes, if it changes. */
  close(merged: Merged): Part | undefined {
    let changed = 0
    const after = this.before.map((before, i) => {
      const said = this.said[i] as number
      if (said === UNSAID) return before
      if (said === before) merged.unchanged++
      else changed++
      return said
    })
    merged.stored += changed
    if (changed === 0) return undefined
    const { asset, company, sensor, native_minutes: nativeMinutes } = this.first
    const key = { asset, company, sensor, nativeMinutes, date: this.day.number }
    return { key, packed: packDay(this.day, this.starts, after), blanks: null, lines: null, again: null }
  }
}

/** The reason why a row is faulty that says something else than an earlier one. */
export function contradiction(count: number, earlier: number, line: number): string {
  const told = (value: number) => (value === MISSING ? 'empty' : String(value))
  return `impressions ${told(count)}, but line ${line} says ${told(earlier)} for the same interval`
}
