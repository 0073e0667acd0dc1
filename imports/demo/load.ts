/** Loads the demo and issues its keys, in one transaction. */
import { Readable } from 'node:stream'
import type { ClientBase, Pool } from 'pg'
import { issueKey, type KeyGrant } from '../../db/api-keys/api-keys'
import type { Environment } from '../../db/api-keys/key-format'
import { isExternalId } from '../../db/assets/external-ids'
import type { RowError } from '../../db/file-errors'
import type { OnWait } from '../../db/locks'
import { recordOperation } from '../../db/operations/record'
import { OperatorError } from '../../db/operator-error'
import { inTransaction } from '../../db/transaction'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { CountImporter } from '../counts/count-importer'
import { installationAt, loadSensors } from '../counts/installations'
import { importInto } from '../import-file'
import type { Kind } from '../kind-names'
import { KINDS } from '../kinds'
import { RowCounter } from '../row-counter'
import { generateDemographics, generateOrigins, type SensorDay, sensorDays } from './counts'
import { ASSETS, type Asset, COMPANIES, dateBefore, moveDate, SENSORS, VENDORS } from './network'
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

/** Returns whether the demo is loaded, and whether there are companies of any kind. */
export async function readDemoState(db: Pool | ClientBase): Promise<{ loaded: boolean; used: boolean }> {
  const { rows } = await db.query(
    'SELECT demo_loaded_at IS NOT NULL AS loaded, EXISTS (SELECT FROM companies) AS used FROM service',
  )
  return rows[0]
}

/**
 * Loads the demo and issues its keys. If it was loaded before, nothing changes and there are no keys.
 *
 * @param pool connections of the owner, two if `onWait` is given
 * @param now seconds since 1970; the day before is the last one with counts
 * @throws OperatorError when other data conflicts with it
 */
export function loadDemo(pool: Pool, environment: Environment, now = Date.now() / 1000, days = 90, onWait?: OnWait) {
  const figures = { companies: COMPANIES.length, assets: ASSETS.length, sensors: SENSORS.length, days }
  const load = async (client: ClientBase) => {
    const keys: { kind: string; id: string; key: string; label: string }[] = []
    const { loaded } = await readDemoState(client)
    if (!loaded) {
      await importAll(client, now, days)
      await recordOperation(client, { command: 'demo', figures })
      await client.query('UPDATE service SET demo_loaded_at = now()')
      for (const { kind, label, ...grant } of GRANTS) {
        const { id, key } = await issueKey(client, environment, { ...grant, label })
        keys.push({ kind, id, key, label })
      }
    }
    return { commit: !loaded, result: { loaded: !loaded, ...figures, keys } }
  }
  return inTransaction(pool, load, onWait)
}

async function importAll(client: ClientBase, now: number, days: number): Promise<void> {
  const load = (kind: Kind, rows: readonly object[]) => importRows(client, kind, rows)
  await load('companies', COMPANIES)
  await load('vendors', Object.values(VENDORS))
  await load('assets', ASSETS)
  await load('sensors', SENSORS)
  const moved = SENSORS.filter(({ next }) => next).map(sensor => {
    return { ...sensor, asset_id: sensor.next!.id, installed_at: moveDate(now, sensor.asset) }
  })
  await load('sensors', moved)
  const counted = [...sensorDays(now, days)]
  await importDays(client, counted)
  const totals = new Map<string, Parameters<typeof generateOrigins>>()
  for (const { asset, date, counts } of counted) {
    const [, , total] = totals.get(asset.id + date) ?? [asset, date, 0]
    totals.set(asset.id + date, [asset, date, counts.reduce((sum, count) => sum + Math.max(0, count), total)])
  }
  const audiences = [...totals.values()]
  const origins = audiences.flatMap(day => generateOrigins(...day))
  await load('origins', origins)
  const demographics = audiences.flatMap(day => generateDemographics(...day))
  await load('demographics', demographics)
  const moves = moved.map(({ serial, installed_at: from }) => {
    const text = 'The sensor was moved to another asset'
    return { id: demoId('note', serial), sensor: serial, from, kind: 'break', text }
  })
  await load('notes', [...moves, roadWorks(now, ASSETS[0]!)])
  await importHealth(client, now)
}

function roadWorks(now: number, asset: Asset): object {
  const [from, to] = [3, 2].map(days => dateBefore(now, asset, days))
  const text = 'Road works beside the panel: fewer people than usual'
  return { id: demoId('note', asset.id), asset_id: asset.id, from, to, kind: 'caveat', text }
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

/** Stores health checks at `now` (seconds since 1970), which nothing else makes. */
export const refreshDemoHealth = (pool: Pool, now = Date.now() / 1000): Promise<void> =>
  inTransaction(pool, async client => ({ commit: true, result: await importHealth(client, now) }))

/** Stores a health check of each sensor that is installed. */
async function importHealth(client: ClientBase, now: number): Promise<void> {
  const { rows } = await client.query('SELECT id FROM sensors WHERE asset IS NOT NULL')
  const installed = new Set(rows.map(({ id }) => id))
  const instant = (minutesAgo: number) => new Date(Math.floor(now - 60 * minutesAgo) * 1000).toISOString()
  const checked = SENSORS.filter(({ id, condition }) => condition !== '+' && installed.has(id))
  const checks = checked.map(({ serial, condition }) => {
    const [status, silence, reason] = CHECKS[condition] ?? ['healthy', 2, '']
    return { sensor: serial, checked_at: instant(0), status, last_seen_at: instant(silence), reason }
  })
  await importRows(client, 'health', checks)
}

/** Imports objects like the rows of a file. Their fields are the columns of the kind, without commas; others are ignored. */
async function importRows(client: ClientBase, kind: Kind, rows: readonly object[]): Promise<void> {
  const columns = [...KINDS[kind].columns, ...Object.keys(rows[0] ?? {}).filter(isExternalId)]
  const lines = rows.map(row => columns.map(column => (row as Record<string, unknown>)[column]).join(','))
  const stream = Readable.from([[columns.join(','), ...lines].join('\n')])
  await importInto(client, kind, stream, { onRowError: refuse })
  // The next import has temporary tables of the same names.
  await client.query('DISCARD TEMP')
}

function refuse({ reason }: RowError): never {
  throw new OperatorError('DEMO_REFUSED', `the demo cannot be imported: ${reason}`)
}

/** Imports the counts without CSV, because there are millions of them. */
async function importDays(client: ClientBase, days: readonly SensorDay[]): Promise<void> {
  const counter = new RowCounter(refuse)
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
    counts.forEach((count, i) => {
      importer.add(day, i, count, ++counter.read)
    })
    await importer.flushIfFull()
  }
  await importer.validate()
  await importer.store()
  await client.query('DISCARD TEMP')
}
