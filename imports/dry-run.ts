/** Imports files without storing them, and reports the monthly totals that would change. */
import type { Readable } from 'node:stream'
import type { ClientBase, Pool } from 'pg'
import type { Figures } from '../db/figures'
import type { OnWait } from '../db/locks'
import { inTransaction } from '../db/transaction'
import { type ImportOptions, importInto } from './import-file'
import type { Kind } from './kind-names'

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
 * Runs `work` in one transaction, which is rolled back at the end: each file sees what those before it would have stored.
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
  let imported: Awaited<ReturnType<typeof importInto>> | undefined
  try {
    const result = await importInto(client, kind, stream, options)
    imported = result
    return result.result
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
