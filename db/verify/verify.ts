/** Recomputes everything that is stored as an aggregate or a copy of something else, and compares it with what is stored. */
import type { ClientBase, Pool } from 'pg'
import { refuseAs } from '../file-errors'
import type { OnWait } from '../locks'
import { recordOperation } from '../operations/record'
import { describeRevision, type RevisionOptions } from '../operations/revision'
import { OperatorError } from '../operator-error'
import { inSnapshot, inTransaction } from '../transaction'
import { compareTable, type OnDifference, readParts, touchDifferent } from './compare'
import { DERIVED_TABLES, type DerivedTable, type Part } from './derived-tables'
import { checkSensorDays } from './sensor-days'

interface VerifyOptions extends RevisionOptions {
  /** The first local day that is checked; months from its month on. */
  since?: string | undefined
  /** Told for whom a repair waits. */
  onWait?: OnWait
}

export interface Verification {
  /** Rows by table. */
  checked: Record<string, number>
  found: number
  repaired: number
}

/** Verifies the data as it is at one moment, beside everything else. Changes nothing. */
export const verify = (pool: Pool, onDifference: OnDifference, options: VerifyOptions = {}): Promise<Verification> =>
  inSnapshot(pool, async client => {
    const { checked, found } = await check(client, onDifference, options)
    return { checked, found, repaired: 0 }
  })

/**
 * Verifies the data while no import runs, and stores the expected values, in one transaction together with its record.
 *
 * @throws OperatorError REPAIR_FAILED; nothing was changed then
 */
export function repair(pool: Pool, onDifference: OnDifference, options: VerifyOptions = {}): Promise<Verification> {
  const run = async (client: ClientBase) => {
    await describeRevision(client, 'repair', options)
    const { checked, found, repairable } = await check(client, onDifference, options, true)
    const repaired = Object.values(repairable).reduce((sum, number) => sum + number, 0)
    if (repaired > 0) {
      await recordOperation(client, { command: 'verify --repair', figures: repairable })
      await refresh(client, repairable, await readParts(client, options.since))
    }
    return { commit: repaired > 0, result: { checked, found, repaired } }
  }
  return inTransaction(pool, run, options.onWait).catch(refuseAs('REPAIR_FAILED'))
}

/** Each part reads an index, not the whole table once more. */
const BY_INDEX = 'SET LOCAL enable_seqscan = off; SET LOCAL jit = off'

/** Reports all differences. Returns the numbers of rows, and of differences that a repair sets, by table. */
async function check(client: ClientBase, onDifference: OnDifference, { since }: VerifyOptions, repairing = false) {
  await client.query(BY_INDEX)
  const parts = await readParts(client, since)
  // The data comes first.
  const checked: Record<string, number> = { sensor_days: 0 }
  const repairable: Record<string, number> = {}
  let found = 0
  const add = (table: string, rows: number) => {
    checked[table] = (checked[table] ?? 0) + rows
  }
  const count: OnDifference = difference => {
    found++
    if (difference.repairable) repairable[difference.table] = (repairable[difference.table] ?? 0) + 1
    return onDifference(difference)
  }
  for (const derived of DERIVED_TABLES) {
    for (const part of partsOf(derived, parts)) add(derived.table, await compareTable(client, derived, part, count))
  }
  for (const part of parts) add('sensor_days', await checkSensorDays(client, part, count, repairing))
  return { checked, found, repairable }
}

const partsOf = ({ time }: DerivedTable, parts: readonly Part[]) => (time ? parts : parts.slice(0, 1))

/** Touches what differs in these tables, and refreshes what derives from it, as the commit would. */
async function refresh(client: ClientBase, tables: object, parts: readonly Part[]): Promise<void> {
  // The days that were stored again come first.
  await client.query(REFRESH)
  for (const derived of DERIVED_TABLES.filter(({ table }) => table in tables)) {
    for (const part of partsOf(derived, parts)) await touchDifferent(client, derived, part)
    await client.query(REFRESH)
  }
  const refuse: OnDifference = ({ table, row, column }) => {
    const difference = `${table}: ${column} of ${row} differs after the repair: nothing was changed`
    throw new OperatorError('REPAIR_FAILED', difference)
  }
  for (const derived of DERIVED_TABLES) {
    for (const part of derived.touch ? partsOf(derived, parts) : []) await compareTable(client, derived, part, refuse)
  }
}

const REFRESH = 'SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED'
