/**
 * Loads the demo. Each import can be repeated, and the keys are issued last, in the transaction that marks the demo as
 * loaded: a load that was interrupted is completed by the next one, and keys are issued only once.
 */
import { Readable } from 'node:stream'
import type { ClientBase, Pool } from 'pg'
import { issueKey, type KeyGrant } from '../../db/api-keys/api-keys'
import type { Environment } from '../../db/api-keys/key-format'
import { isExternalId } from '../../db/assets/external-ids'
import { NO_FIGURES } from '../../db/figures'
import type { RowError } from '../../db/file-errors'
import { type OnWait, reportingWaits, takeLock } from '../../db/locks'
import { recordOperation } from '../../db/operations/record'
import { OperatorError } from '../../db/operator-error'
import { BEGIN, CommitError, commitShownBy, inTransaction } from '../../db/transaction'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { CountImporter } from '../counts/count-importer'
import { installationAt, loadSensors } from '../counts/installations'
import { importFile } from '../import-file'
import type { Kind } from '../kind-names'
import { KINDS } from '../kinds'
import { RowCounter } from '../row-counter'
import { generateDemographics, generateOrigins, type SensorDay, sensorDays } from './counts'
import { ASSETS, COMPANIES, dateBefore, moveDate, SENSORS, VENDORS } from './network'
import { demoId } from './random'

const ids = COMPANIES.map(({ id }) => id)

/** The API keys of the demo. */
const GRANTS = [
  ...COMPANIES.map(({ id, name }) => grant('partner', name, [id])),
  grant('two_companies', 'two companies', ids.slice(1)),
  grant('reseller', 'reseller of two companies', ids.slice(0, 2), { reseller: true }),
  grant('legacy', 'legacy ids', ids.slice(0, 1), { scopes: ['partner:metrics:legacy:read'] }),
  grant('no_company', 'no company', []),
  grant('analyst', 'analyst of all companies', 'all', { scopes: ['internal:graphql:read'] }),
]

function grant(kind: string, label: string, companies: KeyGrant['companies'], options: Partial<KeyGrant> = {}) {
  return { companies, scopes: [], reseller: false, rate: null, ...options, kind, label: `Demo: ${label}` }
}

export type LoadedDemo = Awaited<ReturnType<typeof loadDemo>>
export type DemoKey = LoadedDemo['keys'][number]

/** Returns whether the database has no companies, or only those of a demo whose load was interrupted. */
export async function canLoadDemo(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM companies WHERE NOT id = ANY ($1) LIMIT 1', [ids])
  return rowCount === 0 && !(await isDemoLoaded(pool))
}

async function isDemoLoaded(db: Pool | ClientBase): Promise<boolean> {
  const { rows } = await db.query('SELECT demo_loaded_at IS NOT NULL AS loaded FROM service')
  return rows[0].loaded
}

/**
 * Loads the demo and issues its keys. If it was loaded before, nothing changes and there are no keys.
 *
 * @param pool connections of the owner, at least two
 * @param now seconds since 1970; the day before is the last one with counts
 * @throws OperatorError when other data conflicts with it, or another process is loading it for a minute
 */
export async function loadDemo(
  pool: Pool,
  environment: Environment,
  now = Date.now() / 1000,
  days = 90,
  onWait?: OnWait,
) {
  const client = await pool.connect()
  try {
    await client.query(`${BEGIN}; SET LOCAL lock_timeout = '60s'`)
    await reportingWaits(pool, client, onWait, () => takeLock(client, 'demo')).catch(error => {
      throw error.code === '55P03' ? new OperatorError('DEMO_BUSY', 'another process is loading the demo') : error
    })
    const figures = { companies: COMPANIES.length, assets: ASSETS.length, sensors: SENSORS.length, days }
    if (await isDemoLoaded(client)) return { loaded: false, ...figures, keys: [] }
    await importAll(pool, now, days, onWait)
    await recordOperation(client, { command: 'demo', figures })
    await client.query('UPDATE service SET demo_loaded_at = now()')
    const keys = []
    for (const grant of GRANTS) {
      const { id, key } = await issueKey(client, environment, grant)
      keys.push({ kind: grant.kind, id, key, label: grant.label })
    }
    await commitShownBy('demo', client)
    return { loaded: true, ...figures, keys }
  } catch (error) {
    // The history has no imports of the demo, which goes on if it is loaded again.
    throw error instanceof CommitError ? new CommitError('demo') : error
  } finally {
    // Closing the connection rolls the transaction back, unless it is committed, and releases the lock.
    client.release(true)
  }
}

async function importAll(pool: Pool, now: number, days: number, onWait: OnWait | undefined): Promise<void> {
  const load = (kind: Kind, rows: readonly object[]) => importRows(pool, kind, rows, onWait)
  await load('companies', COMPANIES)
  await load('vendors', Object.values(VENDORS))
  await load('assets', ASSETS)
  await load('sensors', SENSORS)
  const moved = SENSORS.filter(({ next }) => next).map(sensor => {
    return { ...sensor, asset_id: sensor.next!.id, installed_at: moveDate(now, sensor.asset) }
  })
  await load('sensors', moved)
  const counted = [...sensorDays(now, days)]
  await importDays(pool, counted, onWait)
  const totals = new Map<string, Parameters<typeof generateOrigins>>()
  for (const { asset, date, counts } of counted) {
    const [, , total] = totals.get(asset.id + date) ?? [asset, date, 0]
    totals.set(asset.id + date, [asset, date, counts.reduce((sum, count) => sum + Math.max(0, count), total)])
  }
  const audiences = [...totals.values()]
  await load(
    'origins',
    audiences.flatMap(day => generateOrigins(...day)),
  )
  await load(
    'demographics',
    audiences.flatMap(day => generateDemographics(...day)),
  )
  await load('notes', [
    ...moved.map(({ serial, installed_at: from }) => {
      const text = 'The sensor was moved to another asset'
      return { id: demoId('note', serial), sensor: serial, from, kind: 'break', text }
    }),
    ...ASSETS.slice(0, 1).map(asset => {
      const [from, to] = [3, 2].map(days => dateBefore(now, asset, days))
      const text = 'Road works beside the panel: fewer people than usual'
      return { id: demoId('note', asset.id), asset_id: asset.id, from, to, kind: 'caveat', text }
    }),
  ])
  await refreshDemoHealth(pool, now)
}

/** Returns a request for the last seven days of an asset. */
export function examplePath(): string {
  const [from, to] = [7, 1].map(days => dateBefore(Date.now() / 1000, ASSETS[0]!, days))
  return `/v1/partner/assets/${ASSETS[0]!.id}/impressions/daily?from_date=${from}&to_date=${to}`
}

/** By the condition of a sensor: status, minutes since it was seen, and reason. */
const CHECKS: Record<string, [status: string, silence: number, reason: string]> = {
  '!': ['degraded', 9, 'intervals_missing'],
  '?': ['offline', 7_500, 'no_contact'],
}

/** Stores a health check of each sensor that the demo has installed, at `now` (seconds since 1970): nothing else checks them. */
export async function refreshDemoHealth(pool: Pool, now = Date.now() / 1000): Promise<void> {
  const { rows } = await pool.query('SELECT id FROM sensors WHERE asset IS NOT NULL')
  const installed = new Set(rows.map(({ id }) => id))
  const instant = (minutesAgo: number) => new Date(Math.floor(now - 60 * minutesAgo) * 1000).toISOString()
  const checked = SENSORS.filter(({ id, condition }) => condition !== '+' && installed.has(id))
  const checks = checked.map(({ serial, condition }) => {
    const [status, silence, reason] = CHECKS[condition] ?? ['healthy', 2, '']
    return { sensor: serial, checked_at: instant(0), status, last_seen_at: instant(silence), reason }
  })
  await importRows(pool, 'health', checks)
}

/** Imports objects like the rows of a file. Their fields are the columns of the kind, without commas; others are ignored. */
async function importRows(pool: Pool, kind: Kind, rows: readonly object[], onWait?: OnWait): Promise<void> {
  const columns = [...KINDS[kind].columns, ...Object.keys(rows[0] ?? {}).filter(isExternalId)]
  const lines = rows.map(row => columns.map(column => (row as Record<string, unknown>)[column]).join(','))
  const stream = Readable.from([[columns.join(','), ...lines].join('\n')])
  const errors: RowError[] = []
  await importFile(pool, kind, stream, { onRowError: error => errors.push(error), ...(onWait && { onWait }) })
  if (errors[0]) throw new OperatorError('DEMO_REFUSED', `the demo cannot be imported: ${kind}: ${errors[0].reason}`)
}

/** Imports the counts without CSV, because there are millions of them, in place of stored counts that differ. */
async function importDays(pool: Pool, days: Iterable<SensorDay>, onWait: OnWait | undefined): Promise<void> {
  const counter = new RowCounter(({ reason }) => {
    throw new OperatorError('DEMO_REFUSED', `the counts of the demo conflict: ${reason}`)
  })
  const run = async (client: ClientBase) => {
    const importer = new CountImporter(client, await loadLocalDays(client), counter)
    const sensors = await loadSensors(client)
    for (const {
      sensor: { serial },
      start,
      counts,
    } of days) {
      const sensor = sensors.get(serial)!
      const installation = installationAt(sensor.installations, start)!
      const day = importer.buffer.openDay(sensor, installation, importer.days.dayAt(installation.zone, start))
      for (let i = 0; i < counts.length; i++) importer.add(day, i, counts[i]!, ++counter.read)
      await importer.flushIfFull()
    }
    await importer.validate()
    return { commit: true, result: { ...NO_FIGURES, ...(await importer.store()) } }
  }
  await inTransaction(pool, run, onWait)
}
