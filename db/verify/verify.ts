/** Recomputes everything that is stored as an aggregate or a copy of something else, and compares it with what is stored. */
import type { ClientBase, Pool } from 'pg'
import { FileError } from '../import/errors'
import { inTransaction } from '../import/transaction'
import type { OnWait } from '../locks'
import { recordOperation } from '../operations/record'
import { OperatorError } from '../operator-error'
import { checkCopiedColumns, repairCopiedColumns } from './copied-columns'
import { checkDerivedTables, repairDerivedTables } from './derived-tables'
import type { Difference, OnDifference } from './differences'
import { checkOriginMonths } from './origin-months'
import { checkSensorDays } from './sensor-days'

export interface Verification {
  /** Rows by table. */
  checked: Record<string, number>
  found: number
  repaired: number
}

/** Verifies the data as it is at one moment, beside everything else. Changes nothing. */
export async function verify(pool: Pool, onDifference: OnDifference): Promise<Verification> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    let found = 0
    const checked = await check(client, false, difference => {
      found++
      return onDifference(difference)
    })
    return { checked, found, repaired: 0 }
  } finally {
    client.release(true)
  }
}

/**
 * Verifies the data while no import runs, and stores the expected values, in one transaction together with its record.
 *
 * @throws OperatorError REPAIR_FAILED; nothing was changed then
 */
export async function repair(pool: Pool, onDifference: OnDifference, onWait?: OnWait): Promise<Verification> {
  const repaired: Record<string, number> = {}
  let found = 0
  const count = async (difference: Difference) => {
    found++
    if (difference.repairable) repaired[difference.table] = (repaired[difference.table] ?? 0) + 1
    await onDifference(difference)
  }
  const run = async (client: ClientBase) => {
    const checked = await check(client, true, count)
    const total = Object.values(repaired).reduce((sum, number) => sum + number, 0)
    if (total > 0) {
      await repairCopiedColumns(client)
      await repairDerivedTables(client)
      await checkDerived(client, ({ table, row, column }) => {
        throw new OperatorError(
          'REPAIR_FAILED',
          `${table}: ${column} of ${row} differs after the repair: nothing was changed`,
        )
      })
      await recordOperation(client, { command: 'verify --repair', figures: repaired })
    }
    return { commit: total > 0, result: { checked, found, repaired: total } }
  }
  return inTransaction(pool, run, onWait).catch(error => {
    throw error instanceof FileError ? new OperatorError('REPAIR_FAILED', error.message) : error
  })
}

async function check(client: ClientBase, repairing: boolean, onDifference: OnDifference) {
  // First, because storing days changes what derives from them.
  const derived = await checkDerived(client, onDifference)
  return {
    sensor_days: await checkSensorDays(client, repairing, onDifference),
    origin_months: await checkOriginMonths(client, onDifference),
    ...derived,
  }
}

const checkDerived = async (client: ClientBase, onDifference: OnDifference) => ({
  ...(await checkCopiedColumns(client, onDifference)),
  ...(await checkDerivedTables(client, onDifference)),
})
