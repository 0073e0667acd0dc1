/**
 * Imports a CSV file: adds its rows to the sink of its kind, validates them together, and stores them in one
 * transaction. One rejected row means that nothing is stored, unless `skipFaulty` is set.
 */
import type { Readable } from 'node:stream'
import type { ClientBase, Pool } from 'pg'
import { type Figures, NO_FIGURES, refusedFigures } from '../db/figures'
import { FileError, type OnRowError } from '../db/file-errors'
import type { OnWait } from '../db/locks'
import { recordOperation } from '../db/operations/record'
import {
  type ChangeReason,
  checkClosedMonths,
  type RestatementOptions,
  stateReason,
} from '../db/operations/restatement'
import { inTransaction, toFileError } from '../db/transaction'
import { addRows, type RowOptions } from './add-rows'
import type { Kind } from './kind-names'
import { RowCounter } from './row-sink'

/** The reasons of kinds that move counts: their time zones or installations are corrected. */
const REASONS: Partial<Record<Kind, ChangeReason>> = { assets: 'time_zone', sensors: 'move' }

export interface ImportOptions extends RowOptions, RestatementOptions {
  /** Receives each rejected row, not always in the order of the file. */
  onRowError?: OnRowError
  onWait?: OnWait
  /** The file and the given options, which are recorded with the kind and the figures of the import. */
  details?: object
}

/**
 * Imports one file in one transaction.
 *
 * @param pool connections of the owner that are not pipelined
 * @param stream the file's bytes: CSV, decompressed
 * @returns figures; when rows were rejected and `skipFaulty` is not set, nothing was stored
 * @throws FileError, with figures, when the file as a whole is refused; nothing was stored then
 */
export function importFile(pool: Pool, kind: Kind, stream: Readable, options: ImportOptions = {}): Promise<Figures> {
  return readWith(stream, options, counter =>
    inTransaction(pool, client => importRows(client, kind, stream, options, counter), options.onWait),
  )
}

/** Imports one file within a transaction, which the caller rolls back; refuses what its commit would refuse. */
export const importInto = (
  client: ClientBase,
  kind: Kind,
  stream: Readable,
  options: ImportOptions,
): Promise<Imported> =>
  readWith(stream, options, async counter => {
    const imported = await importRows(client, kind, stream, options, counter)
    await checkClosedMonths(client)
    return imported
  })

interface Imported {
  commit: boolean
  result: Figures
}

async function importRows(
  client: ClientBase,
  kind: Kind,
  stream: Readable,
  options: ImportOptions,
  counter: RowCounter,
): Promise<Imported> {
  await stateReason(client, REASONS[kind] ?? 'import', options)
  const sink = await addRows(client, kind, stream, options, counter)
  await sink.validate()
  const { read, rejected } = counter
  if (rejected > 0 && !options.skipFaulty) return { commit: false, result: refusedFigures(counter) }
  const result = { ...NO_FIGURES, read, ...(await sink.store()), rejected }
  const { details } = options
  if (details) await recordOperation(client, { command: `import ${kind}`, details, figures: result })
  return { commit: true, result }
}

/** Ends the stream in any case, and gives an error the figures. */
async function readWith<Result>(
  stream: Readable,
  { onRowError }: ImportOptions,
  work: (counter: RowCounter) => Promise<Result>,
): Promise<Result> {
  const counter = new RowCounter(onRowError)
  try {
    return await work(counter)
  } catch (error) {
    const translated = toFileError(error)
    if (translated instanceof FileError) translated.figures = refusedFigures(counter)
    throw translated
  } finally {
    stream.destroy()
  }
}

export interface MonthChange {
  asset_id: string
  /** Its name. */
  asset: string
  /** `YYYY-MM` */
  month: string
  /** Impressions of the month; null without counts. */
  old: number | null
  new: number | null
}

export type ImportFile = (kind: Kind, stream: Readable, options: ImportOptions) => Promise<Figures>

/**
 * Runs `work` in a transaction, which is rolled back at the end: each file sees what those before it would have stored.
 *
 * @param pool at least two connections of the owner
 */
export function dryRun(
  pool: Pool,
  work: (importFile: ImportFile) => Promise<void>,
  onWait?: OnWait,
): Promise<MonthChange[]> {
  const run = async (client: ClientBase) => {
    await work((kind, stream, options) => tryFile(client, kind, stream, options))
    return { commit: false, result: await readMonthChanges(client, pool) }
  }
  return inTransaction(pool, run, onWait)
}

/** Imports a file in a savepoint, so that the files behind it can be imported if it is refused. */
async function tryFile(client: ClientBase, kind: Kind, stream: Readable, options: ImportOptions): Promise<Figures> {
  await client.query('SAVEPOINT file')
  let imported: Imported | undefined
  try {
    imported = await importInto(client, kind, stream, options)
    return imported.result
  } finally {
    await client.query(imported?.commit ? 'RELEASE file' : 'ROLLBACK TO file')
  }
}

/** Other connections read the totals before this transaction; nothing else changes them, because it holds the lock. */
async function readMonthChanges(client: ClientBase, pool: Pool): Promise<MonthChange[]> {
  const { rows } = await client.query<{ asset_id: string; asset: string; first: string; new: number | null }>(`
    WITH months AS MATERIALIZED (
      SELECT DISTINCT a.number AS asset, a.id, a.name, month_start(t.month) AS first
      FROM touched t JOIN assets a ON a.number = t.asset WHERE t.month IS NOT NULL
    )
    SELECT m.id AS asset_id, m.name AS asset, m.first::text, sum(d.impressions)::float8 AS new
    FROM months m LEFT JOIN sensor_days d
      ON d.asset = m.asset AND d.date >= m.first AND d.date < m.first + interval '1 month'
    GROUP BY m.id, m.name, m.first ORDER BY m.id, m.first`)
  const before = await pool.query<{ old: number | null }>(
    `SELECT sum(d.impressions)::float8 AS old
     FROM unnest($1::text[], $2::date[]) WITH ORDINALITY AS m (id, first, n)
       LEFT JOIN assets a ON a.id = m.id
       LEFT JOIN sensor_days d ON d.asset = a.number AND d.date >= m.first AND d.date < m.first + interval '1 month'
     GROUP BY m.n ORDER BY m.n`,
    [rows.map(({ asset_id }) => asset_id), rows.map(({ first }) => first)],
  )
  return rows
    .map(({ asset_id, asset, first, ...row }, i) => ({
      asset_id,
      asset,
      month: first.slice(0, 7),
      old: before.rows[i]?.old ?? null,
      new: row.new,
    }))
    .filter(change => change.old !== change.new)
}
