/** Recomputes everything that is stored as an aggregate or a copy of something else, and compares it with what is stored. */
import type { ClientBase, Pool } from 'pg'
import { refuseAs } from '../file-errors'
import type { OnWait } from '../locks'
import { recordOperation } from '../operations/record'
import { type RestatementOptions, stateReason } from '../operations/restatement'
import { inSnapshot, inTransaction } from '../transaction'
import { compareTable, type DerivedTable, mendTable, type OnDifference, type Part, readParts } from './compare'
import { readLostReferences } from './derived-records'
import { DERIVED_TABLES, REFRESH } from './derived-tables'
import { checkSensorDays } from './sensor-days'

interface VerifyOptions extends RestatementOptions {
  /** The first local day that is checked; months from its month on. */
  since?: string | undefined
  onWait?: OnWait
}

export interface Verification {
  /** Rows by table. */
  checked: Record<string, number>
  found: number
  repaired: number
}

/** Verifies the data as it is at one moment, beside everything else. Changes nothing. */
export const verify = (pool: Pool, onDifference: OnDifference, { since }: VerifyOptions = {}): Promise<Verification> =>
  inSnapshot(pool, client => check(client, onDifference, since))

/**
 * Mends the data while no import runs, in one transaction together with its record. If differences would be left, only a backup
 * mends them: nothing is changed, and these are reported. The pool needs two connections.
 *
 * @param onDifference told, too, whether the difference is repaired
 * @throws OperatorError REPAIR_FAILED; nothing was changed then
 */
export function repair(
  pool: Pool,
  onDifference: (...[difference, repaired]: [...Parameters<OnDifference>, boolean]) => Promise<void>,
  { since, onWait, ...restatement }: VerifyOptions = {},
): Promise<Verification> {
  const run = async (client: ClientBase) => {
    await stateReason(client, 'repair', restatement)
    await mend(client, since, restatement)
    const left = await check(client, difference => onDifference(difference, false), since)
    if (left.found > 0) return { commit: false, result: left }
    const figures: Record<string, number> = {}
    // This connection does not see yet what the transaction has changed.
    const before = await inSnapshot(pool, reader =>
      check(
        reader,
        difference => {
          figures[difference.table] = (figures[difference.table] ?? 0) + 1
          return onDifference(difference, true)
        },
        since,
      ),
    )
    if (before.found > 0) await recordOperation(client, { command: 'verify --repair', figures })
    return { commit: before.found > 0, result: { ...before, repaired: before.found } }
  }
  return inTransaction(pool, run, onWait).catch(refuseAs('REPAIR_FAILED'))
}

/** Each part reads an index, not the whole table once more. */
const BY_INDEX = 'SET LOCAL enable_seqscan = off; SET LOCAL jit = off'

async function check(client: ClientBase, onDifference: OnDifference, since: string | undefined): Promise<Verification> {
  await client.query(BY_INDEX)
  const parts = await readParts(client, since)
  const checked: Record<string, number> = { sensor_days: 0 }
  let found = 0
  const count: OnDifference = difference => {
    found++
    return onDifference(difference)
  }
  if (since === undefined) {
    for (const reference of await readLostReferences(client)) await compareTable(client, reference, parts[0]!, count)
  }
  for (const derived of DERIVED_TABLES) {
    let rows = 0
    for (const part of partsOf(derived, parts, since)) rows += await compareTable(client, derived, part, count)
    checked[derived.table] = Math.max(rows, checked[derived.table] ?? 0)
  }
  for (const part of parts) checked.sensor_days! += await checkSensorDays(client, part, count)
  return { checked, found, repaired: 0 }
}

function partsOf(
  { time, readsAllDays }: DerivedTable,
  parts: readonly Part[],
  since: string | undefined,
): readonly Part[] {
  if (readsAllDays && since !== undefined) return []
  return time ? parts : parts.slice(0, 1)
}

/** Mends what differs, in the order in which it derives. */
async function mend(client: ClientBase, since: string | undefined, restatement: RestatementOptions): Promise<void> {
  await client.query(BY_INDEX)
  const parts = await readParts(client, since)
  // Storing again what was served touches nothing. Sensor-days may have been served as they are stored.
  const alterTriggers = (change: string) =>
    client.query(RECORDS.map(table => `ALTER TABLE ${table} ${change} TRIGGER USER`).join(';'))
  await alterTriggers('DISABLE')
  for (const part of parts) await checkSensorDays(client, part, async () => {}, true)
  await client.query(`${LEAVE_SERVED}; ${REFRESH}`)
  // Nothing else changes what was final.
  await stateReason(client, 'repair', { ...restatement, restate: true })
  for (const derived of DERIVED_TABLES)
    for (const part of partsOf(derived, parts, since)) await mendTable(client, derived, part)
  await alterTriggers('ENABLE')
}

/** Tables whose triggers touch what changes. */
const RECORDS = ['assets', 'sensors', 'installations', 'origin_days', 'demographic_days']

/** Leaves of the days that were touched those that are served otherwise. */
const LEAVE_SERVED = `
  WITH stored AS (DELETE FROM touched RETURNING kind, asset, month, days)
  INSERT INTO touched (kind, asset, company, month, days)
    SELECT s.kind, s.asset, a.company, s.month, bit_or(1 << day - 1)
    FROM stored s JOIN assets a ON a.number = s.asset CROSS JOIN generate_series(1, 31) AS day
      LEFT JOIN asset_month_arrays m USING (asset, kind, month) LEFT JOIN LATERAL (
        SELECT total, observed FROM defined_days WHERE asset = s.asset AND kind = s.kind AND date = month_start(s.month) + day - 1) AS d ON true
    WHERE s.days >> day - 1 & 1 = 1 AND (m.totals[day], m.observed[day]) IS DISTINCT FROM (d.total::integer, d.observed)
    GROUP BY s.kind, s.asset, a.company, s.month`
