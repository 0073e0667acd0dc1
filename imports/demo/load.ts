/** Loads the demo and issues its keys, in one transaction. */
import { Readable } from 'node:stream'
import type { ClientBase, Pool } from 'pg'
import { issueKey, type KeyGrant } from '../../db/api-keys/api-keys'
import type { Environment } from '../../db/api-keys/key-format'
import { isExternalId } from '../../db/assets/external-ids'
import { dayNumber, listStarts } from '../../db/calendar/local-days'
import { packDay } from '../../db/calendar/packed-counts'
import { createStagingTables, type StagedDay, stageDays } from '../../db/counts/staged-days'
import type { RowError } from '../../db/file-errors'
import type { OnWait } from '../../db/locks'
import { recordOperation } from '../../db/operations/record'
import { readServiceState } from '../../db/operations/status'
import { OperatorError } from '../../db/operator-error'
import { inTransaction } from '../../db/transaction'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { installationAt, loadSensors } from '../counts/installations'
import { mergeDays, storeDays } from '../counts/merge-days'
import { importInto } from '../import-file'
import type { Kind } from '../kind-names'
import { KINDS } from '../kinds'
import { RowCounter } from '../row-sink'
import { type DayTotal, generateCounts, generateDemographics, generateOrigins } from './counts'
import { ASSETS, COMPANIES, dateBefore, demoId, HEALTH, MOVED, SENSORS, VENDORS } from './network'

const ids = COMPANIES.map(({ id }) => id)

/** The API keys of the demo: kind, label, companies, and what else they are granted. */
const GRANTS: [kind: string, label: string, KeyGrant['companies'], Partial<KeyGrant>?][] = [
  ...COMPANIES.map(({ id, name }): (typeof GRANTS)[number] => ['partner', name, [id]]),
  ['two_companies', 'two companies', ids.slice(1)],
  ['reseller', 'reseller of two companies', ids.slice(0, 2), { reseller: true }],
  ['legacy', 'legacy ids', ids.slice(0, 1), { scopes: ['partner:metrics:legacy:read'] }],
  ['no_company', 'no company', []],
  ['analyst', 'analyst of all companies', 'all', { scopes: ['internal:graphql:read'] }],
]

export type LoadedDemo = Awaited<ReturnType<typeof loadDemo>>
export type DemoKey = LoadedDemo['keys'][number]

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
    const { hasDemo } = await readServiceState(client)
    if (!hasDemo) {
      await importAll(client, now, days)
      await recordOperation(client, { command: 'demo', figures })
      await client.query('UPDATE service SET demo_loaded_at = now()')
      for (const [kind, name, companies, granted] of GRANTS) {
        const grant = { scopes: [], reseller: false, rate: null, ...granted, companies, label: `Demo: ${name}` }
        const { id, key } = await issueKey(client, environment, grant)
        keys.push({ kind, id, key, label: grant.label })
      }
    }
    return { commit: !hasDemo, result: { loaded: !hasDemo, ...figures, keys } }
  }
  return inTransaction(pool, load, onWait)
}

async function importAll(client: ClientBase, now: number, days: number): Promise<void> {
  const before = (ago: number) => dateBefore(now, ASSETS[0]!.time_zone, ago)
  const moved = { ...MOVED, installed_at: before(Math.ceil(days / 2)) }
  await importRows(client, 'companies', COMPANIES)
  await importRows(client, 'vendors', VENDORS)
  await importRows(client, 'assets', ASSETS)
  await importRows(client, 'sensors', SENSORS)
  await importRows(client, 'sensors', [moved])
  await importCounts(client, now, days)
  const { rows: totals } = await client.query<DayTotal>(
    `SELECT a.id AS asset_id, d.date::text, sum(d.impressions)::integer AS impressions
     FROM sensor_days d JOIN assets a ON a.number = d.asset WHERE a.id = ANY ($1) GROUP BY a.id, d.date`,
    [ASSETS.map(({ id }) => id)],
  )
  await importRows(client, 'origins', totals.flatMap(generateOrigins))
  await importRows(client, 'demographics', totals.flatMap(generateDemographics))
  const text = 'Road works beside the panel: fewer people than usual'
  const move = 'The sensor was moved to another asset'
  await importRows(client, 'notes', [
    { id: demoId('note', 'break'), sensor: moved.serial, from: moved.installed_at, kind: 'break', text: move },
    { id: demoId('note', 'caveat'), asset_id: ASSETS[0]!.id, from: before(3), to: before(2), kind: 'caveat', text },
  ])
  await importHealth(client, now)
}

/** Returns a request for the last seven days of an asset. */
export function examplePath(): string {
  const [from, to] = [7, 1].map(days => dateBefore(Date.now() / 1000, ASSETS[0]!.time_zone, days))
  return `/v1/partner/assets/${ASSETS[0]!.id}/impressions/daily?from_date=${from}&to_date=${to}`
}

/** Stores health checks at `now` (seconds since 1970), which nothing else makes. */
export const refreshDemoHealth = (pool: Pool, now = Date.now() / 1000): Promise<void> =>
  inTransaction(pool, async client => ({ commit: true, result: await importHealth(client, now) }))

/** Stores a health check of each sensor that is installed. */
async function importHealth(client: ClientBase, now: number): Promise<void> {
  const { rows } = await client.query('SELECT id FROM sensors WHERE asset IS NOT NULL')
  const installed = new Set(rows.map(({ id }) => id))
  const instant = (minutesAgo: number) => new Date(Math.floor(now - 60 * minutesAgo) * 1000).toISOString()
  const checked = SENSORS.filter(({ id, billable_state }) => billable_state !== 'pending' && installed.has(id))
  const checks = checked.map(({ serial, health }) => {
    const [silence, reason] = HEALTH[health]
    return { sensor: serial, checked_at: instant(0), status: health, last_seen_at: instant(silence), reason }
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
async function importCounts(client: ClientBase, now: number, days: number): Promise<void> {
  const localDays = await loadLocalDays(client)
  const sensors = await loadSensors(client)
  function* stagedDays(): Generator<StagedDay> {
    for (const sensor of SENSORS.filter(({ asset }) => asset.status === 'active')) {
      const { number, installations } = sensors.get(sensor.serial)!
      const zone = sensor.asset.time_zone
      const today = dayNumber(dateBefore(now, zone, 0))
      for (let ago = days; ago > (sensor.health === 'offline' ? 5 : 0); ago--) {
        const day = localDays.day(zone, today - ago)
        const counts = generateCounts(sensor, day)
        if (!counts) continue
        const { asset, company, nativeMinutes } = installationAt(installations, day.start)!
        const packed = packDay(day, listStarts(day, nativeMinutes), counts)
        yield { asset, company, sensor: number, nativeMinutes, day: day.number, packed }
      }
    }
  }
  await createStagingTables(client)
  await stageDays(client, 'staged_days', stagedDays())
  await mergeDays(client, { days: localDays, counter: new RowCounter(refuse) })
  await storeDays(client)
  await client.query('DISCARD TEMP')
}
