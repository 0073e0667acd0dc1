/** Temporary tables of sensor-days, which wait there until the whole file is known to be valid. */
import type { ClientBase } from 'pg'
import type { PackedDay } from '../calendar/packed-counts'
import { BINARY_HEADER, BINARY_TRAILER, binaryRow, copyIn } from './copy'

/** A sensor-day, as it is stored or as a part of the file gives it. */
export interface StagedDay {
  asset: number
  company: number
  sensor: number
  nativeMinutes: number
  /** Days since 1970-01-01. */
  day: number
  /** The period with which it is set aside. */
  setAside?: number | null
  packed: PackedDay
  part?: DayPart
}

/** The part of a file that concerns one sensor-day. */
interface DayPart {
  /** Rows with a count, and rows that are empty. */
  counted?: number
  emptied?: number
  /** Whether rows of the part have to be compared or added up, even if the day is new. */
  isCompared?: boolean
  /** All rows: interval (or second of the day, where they are added up), count and line, 4 bytes each. Null if `packed` tells all. */
  rowValues?: Buffer | null
  /** Seconds of the day at which rows start, 4 bytes each; null if they show that the rows fit the sensor. */
  rowStarts?: Buffer | null
}

/** The columns that staged days, `sensor_days` and `set_aside_days` share. */
export const DAY_COLUMNS = 'asset, company, sensor, native_minutes, date, impressions, observed, hours, counts'

const COLUMNS = `part, set_aside, ${DAY_COLUMNS}, counted, emptied, compared, row_values, row_starts`

/** 2000-01-01, the day from which PostgreSQL counts dates, in days since 1970-01-01. */
const POSTGRES_EPOCH = 10_957

/** Bytes sent at once. */
const CHUNK_SIZE = 256 * 1024

type StagingTable = 'staged_days' | 'merged_days'

export async function createStagingTables(client: ClientBase): Promise<void> {
  for (const table of ['staged_days', 'merged_days'] satisfies StagingTable[]) {
    // STORAGE EXTERNAL: compressing values that are deleted soon would cost more than it saves.
    await client.query(`
      DROP TABLE IF EXISTS pg_temp.${table};
      CREATE TEMPORARY TABLE ${table} (
        part integer, set_aside integer, asset integer, company integer, sensor integer, native_minutes smallint, date date,
        impressions bigint, observed smallint, hours bytea, counts bytea,
        counted integer, emptied integer, compared smallint, row_values bytea, row_starts bytea
      ) ON COMMIT DROP;
      ALTER TABLE ${table} ALTER counts SET STORAGE EXTERNAL, ALTER row_values SET STORAGE EXTERNAL`)
  }
}

/** Stages stored days, which are compared like those of a file. @param selection SQL of a table with a condition */
export const stageStored = (client: ClientBase, selection: string, values: readonly unknown[]): Promise<unknown> =>
  client.query(
    `INSERT INTO staged_days (part, ${DAY_COLUMNS}, counted, emptied, compared)
     SELECT row_number() OVER (), ${DAY_COLUMNS}, observed, 0, 1 FROM ${selection}`,
    [...values],
  )

/**
 * Writes days to a table.
 *
 * @param firstPart number of the first day; the numbers keep the order of the file
 * @returns the next number
 */
export async function stageDays(
  client: ClientBase,
  table: StagingTable,
  days: Iterable<StagedDay>,
  firstPart = 0,
): Promise<number> {
  let part = firstPart
  function* chunks() {
    let rows: Buffer[] = [BINARY_HEADER]
    let size = 0
    for (const day of days) {
      const row = encodeRow(part++, day)
      rows.push(row)
      size += row.length
      if (size < CHUNK_SIZE) continue
      yield Buffer.concat(rows)
      rows = []
      size = 0
    }
    yield Buffer.concat([...rows, BINARY_TRAILER])
  }
  await copyIn(client, `COPY ${table} (${COLUMNS}) FROM STDIN (FORMAT binary)`, chunks())
  return part
}

const encodeRow = (part: number, day: StagedDay): Buffer =>
  binaryRow([
    [4, part],
    day.setAside == null ? null : [4, day.setAside],
    [4, day.asset],
    [4, day.company],
    [4, day.sensor],
    [2, day.nativeMinutes],
    [4, day.day - POSTGRES_EPOCH],
    [8, day.packed.impressions],
    [2, day.packed.observed],
    day.packed.hours,
    day.packed.counts,
    [4, day.part?.counted ?? 0],
    [4, day.part?.emptied ?? 0],
    [2, day.part?.isCompared ? 1 : 0],
    day.part?.rowValues ?? null,
    day.part?.rowStarts ?? null,
  ])
