/** The temporary tables in which days wait until the whole file is known to be good. */
import type { ClientBase } from 'pg'
import { BINARY_BEGIN, BINARY_END, binaryRow, copyIn } from '../copy'
import type { PackedDay } from './sensor-day'

/** Which row of sensor_days is meant. */
export interface DayKey {
  asset: number
  company: number
  sensor: number
  nativeMinutes: number
  /** Number of the day (calendar.ts). */
  date: number
}

/** What a part of the file says about a day. */
export interface Part {
  key: DayKey
  packed: PackedDay
  /** Intervals that it says are missing, 2 bytes each; null for none. */
  blanks: Buffer | null
  /** The lines of what it says, 4 bytes each: of its counts by interval, then of its blanks; null where it is the only part. */
  lines: Buffer | null
  /** What it says of intervals once more, in the order of the file: interval, count and line, 8 bytes each; null for nothing. */
  again: Buffer | null
}

const COLUMNS =
  'part, asset, company, sensor, native_minutes, date, impressions, observed, hours, counts, blanks, lines, again'

/** Days between 1970-01-01 and the day from which PostgreSQL counts. */
const EPOCH = 10_957

/** Bytes that go to the database at once. */
const PIECE = 256 * 1024

export type StagingTable = 'staged_days' | 'merged_days'

export async function createStaging(client: ClientBase): Promise<void> {
  for (const table of ['staged_days', 'merged_days'] satisfies StagingTable[]) {
    // What is known to be there for a moment only is not worth compressing.
    await client.query(`
      CREATE TEMPORARY TABLE ${table} (
        part integer, asset integer, company integer, sensor integer, native_minutes smallint, date date,
        impressions bigint, observed smallint, hours bytea, counts bytea, blanks bytea, lines bytea, again bytea
      ) ON COMMIT DROP;
      ALTER TABLE ${table} ALTER counts SET STORAGE EXTERNAL, ALTER lines SET STORAGE EXTERNAL`)
  }
}

/** @param firstPart parts are numbered on from here, in the order of the file */
export async function stage(
  client: ClientBase,
  table: StagingTable,
  parts: Iterable<Part>,
  firstPart = 0,
): Promise<number> {
  let part = firstPart
  function* pieces() {
    let held: Buffer[] = [BINARY_BEGIN]
    let size = 0
    for (const one of parts) {
      const row = rowOf(part++, one)
      held.push(row)
      size += row.length
      if (size < PIECE) continue
      yield Buffer.concat(held)
      held = []
      size = 0
    }
    yield Buffer.concat([...held, BINARY_END])
  }
  await copyIn(client, `COPY ${table} (${COLUMNS}) FROM STDIN (FORMAT binary)`, pieces())
  return part
}

const rowOf = (part: number, { key, packed, blanks, lines, again }: Part): Buffer =>
  binaryRow([
    [4, part],
    [4, key.asset],
    [4, key.company],
    [4, key.sensor],
    [2, key.nativeMinutes],
    [4, key.date - EPOCH],
    [8, packed.impressions],
    [2, packed.observed],
    packed.hours,
    packed.counts,
    blanks,
    lines,
    again,
  ])
