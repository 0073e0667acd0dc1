/** Recomputes everything that is stored as an aggregate or a copy of something else, and compares it with what is stored. */
import type { ClientBase, Pool } from 'pg'
import { refuseAs } from '../file-errors'
import type { OnWait } from '../locks'
import { recordOperation } from '../operations/record'
import { describeRevision, type RevisionOptions } from '../operations/revision'
import { OperatorError } from '../operator-error'
import { inSnapshot, inTransaction } from '../transaction'
import { compareTable } from './compare'
import { COPIED_COLUMNS } from './copied-columns'
import { DERIVED_TABLES } from './derived-tables'
import {
  type Difference,
  exportSnapshot,
  type OnDifference,
  type OnProgress,
  type Part,
  readBounds,
  runParts,
  withSnapshot,
} from './parts'
import { type RepairedDay, sensorDayParts, storeDays } from './sensor-days'

interface VerifyOptions extends RevisionOptions {
  /** The first local day that is checked; months from its month on. */
  since?: string | undefined
  onProgress?: OnProgress
  /** Told for whom a repair waits. */
  onWait?: OnWait
}

export interface Verification {
  /** Rows by table. */
  checked: Record<string, number>
  found: number
  repaired: number
}

/**
 * Verifies the data as it is at one moment, beside everything else. Changes nothing.
 *
 * @param pool of two connections or more: one holds the snapshot that the others see
 */
export async function verify(
  pool: Pool,
  onDifference: OnDifference,
  options: VerifyOptions = {},
): Promise<Verification> {
  let found = 0
  const count = (difference: Difference) => {
    found++
    return onDifference(difference)
  }
  const checked = await inSnapshot(pool, client => check(pool, client, count, options))
  return { checked, found, repaired: 0 }
}

/**
 * Verifies the data while no import runs, and stores the expected values, in one transaction together with its record.
 *
 * @param pool as in `verify`
 * @throws OperatorError REPAIR_FAILED; nothing was changed then
 */
export async function repair(
  pool: Pool,
  onDifference: OnDifference,
  options: VerifyOptions = {},
): Promise<Verification> {
  const repaired: Record<string, number> = {}
  let found = 0
  const count = async (difference: Difference) => {
    found++
    if (difference.repairable) repaired[difference.table] = (repaired[difference.table] ?? 0) + 1
    await onDifference(difference)
  }
  const run = async (client: ClientBase) => {
    await describeRevision(client, 'repair', options)
    const checked = await check(pool, client, count, options, true)
    const total = Object.values(repaired).reduce((sum, number) => sum + number, 0)
    if (total > 0) {
      await repairTables(client, options.since)
      const bounds = await readBounds(client, options.since)
      await runParts([client], tableParts(bounds), ({ table, row, column }) => {
        throw new OperatorError(
          'REPAIR_FAILED',
          `${table}: ${column} of ${row} differs after the repair: nothing was changed`,
        )
      })
      await recordOperation(client, { command: 'verify --repair', figures: repaired })
    }
    return { commit: total > 0, result: { checked, found, repaired: total } }
  }
  return inTransaction(pool, run, options.onWait).catch(refuseAs('REPAIR_FAILED'))
}

/** Checks everything on the other connections of the pool, which see the snapshot of the client. */
async function check(
  pool: Pool,
  client: ClientBase,
  onDifference: OnDifference,
  { since, onProgress }: VerifyOptions,
  repairing = false,
): Promise<Record<string, number>> {
  // It waits for the others.
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  const snapshot = await exportSnapshot(client)
  const bounds = await readBounds(client, since)
  let storing = Promise.resolve()
  const store = (days: readonly RepairedDay[]) => {
    storing = storing.then(() => storeDays(client, days))
    return storing
  }
  const parts = [...tableParts(bounds), ...sensorDayParts(bounds.assets, repairing ? store : undefined)]
  const checked = await withSnapshot(pool, snapshot, Math.max(1, pool.options.max - 1), clients =>
    runParts(clients, parts, onDifference, onProgress),
  )
  // The data comes first.
  return { ...{ sensor_days: 0 }, ...checked }
}

/** Returns the parts of what the database derives by itself. */
const tableParts = (bounds: Awaited<ReturnType<typeof readBounds>>): Part[] =>
  Object.entries({ ...COPIED_COLUMNS, ...DERIVED_TABLES }).flatMap(([table, derived]) =>
    bounds[derived.by].map(each => ({
      table,
      check: (client: ClientBase, onDifference: OnDifference) =>
        compareTable(client, table, derived, each, onDifference),
    })),
  )

/** Replaces copied columns, and the rows of derived tables, those of days and months since a date. */
async function repairTables(client: ClientBase, since: string | undefined): Promise<void> {
  for (const { repair } of Object.values(COPIED_COLUMNS)) await client.query(repair({}))
  // Refreshes first what the transaction has changed so far.
  await client.query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED')
  for (const { repair } of Object.values(DERIVED_TABLES)) await client.query(repair({ since }))
}
