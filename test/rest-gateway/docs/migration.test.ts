/** Compares the recorded examples of the migration guide with real responses. `EXAMPLES=write npx jest migration` records them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MISSING } from '../../../db/calendar/packed-counts'
import { World } from '../../support/world'

/** A request and the body of its response. */
interface Exchange {
  request: string
  response: string
}

/** By name, a legacy request and the partner requests that replace it. */
type MigrationExamples = Record<string, { legacy: Exchange[]; partner: Exchange[] }>

const NOW = Date.parse('2026-10-26T12:00:00Z')

const file = join(__dirname, '..', '..', '..', 'rest-gateway', 'docs', 'migration-examples.json')

let world: World

beforeAll(async () => {
  world = await World.open({ now: () => NOW, cursorSecret: Buffer.alloc(32) })
})
afterAll(() => world.stop())

/** Returns a response body, indented and with long lists cut. */
function format(text: string): string {
  const cut = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.length > 4 ? [...value.slice(0, 3).map(cut), `… ${value.length - 3} more`] : value.map(cut)
    }
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]))
  }
  return JSON.stringify(cut(JSON.parse(text)), null, 2).replace(/"(… \d+ more)"/g, '$1')
}

async function record(): Promise<MigrationExamples> {
  const { make } = world
  const company = await make.company('Acme Outdoor', { id: 'c0acme00000000000000000a' })
  const times = { created_at: '2025-03-01T09:00:00Z', updated_at: '2026-06-01T09:00:00Z' }
  const location = { city: 'Berlin', region: 'DE-BE', latitude: 52.5069, longitude: 13.3329, venue_type_id: 20301 }
  const makeAsset = (id: string, legacy_id: number, name: string) =>
    make.asset({ company, id, legacy_id, name, ...location, ...times })
  const asset = await makeAsset('a0zoo000000000000000000a', 101, 'Zoo, east gate')
  await makeAsset('a0zoo000000000000000000b', 102, 'Zoo, west gate')
  const vendor = await make.vendor('minute', { name: 'Own' })
  const sensor = await make.sensor({
    asset,
    vendor,
    id: 's0zoo000000000000000000a',
    serial: 'SN-000101',
    health_status: 'healthy',
    health_checked_at: '2026-10-26T11:55:00Z',
    health_last_seen_at: '2026-10-26T11:54:00Z',
  })
  // Installing the sensor has changed the record of the asset.
  for (const table of ['assets', 'sensors']) {
    await world.owner.query(`UPDATE ${table} SET updated_at = $1`, [times.updated_at])
  }
  await make.counts(sensor, '2026-10-24', minute =>
    minute === 1 ? MISSING : Math.round(9 + 8 * Math.sin(minute / 229)),
  )
  await make.counts(sensor, '2026-10-25', minute => Math.round(7 + 6 * Math.sin(minute / 229)))
  const key = await make.key([company], { scopes: ['partner:metrics:legacy:read'] })
  const reseller = await make.key([company], { reseller: true })
  const get = async (path: string, apiKey = key): Promise<Exchange> => {
    const { status, text } = await world.get(path, { key: apiKey })
    expect(status).toBe(200)
    return { request: `GET ${path}`, response: format(text) }
  }
  const range = 'from_date=2026-10-24&to_date=2026-10-26'
  const partner = '/v1/partner/assets'
  const daily = await get('/v1/metrics/assets/101?start=2026-10-24&end=2026-10-26')
  return {
    ids: { legacy: [await get('/v1/metrics/assets/legacy-ids')], partner: [await get(`${partner}?limit=1`)] },
    list: { legacy: [await get('/v1/metrics/assets')], partner: [await get(`${partner}?limit=1`)] },
    reseller: { legacy: [await get('/v1/metrics/assets', reseller)], partner: [await get('/v1/partner/meta')] },
    daily: { legacy: [daily], partner: [await get(`${partner}/${asset.id}/impressions/daily?${range}`)] },
    summary: { legacy: [daily], partner: [await get(`${partner}/${asset.id}/impressions/summary?${range}`)] },
    minutes: {
      legacy: [await get('/v1/metrics/assets/101/per-minute?date=2026-10-24')],
      partner: [
        await get(`${partner}/${asset.id}/impressions/timeseries?grain=minute&from_date=2026-10-24&to_date=2026-10-24`),
      ],
    },
    sensors: {
      legacy: [daily],
      partner: [await get(`${partner}/${asset.id}`), await get(`/v1/partner/sensors?asset_id=${asset.id}`)],
    },
  }
}

test('the recorded examples equal the responses of both interfaces', async () => {
  const examples = await record()
  if (process.env.EXAMPLES === 'write') writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`)
  expect(examples).toEqual(JSON.parse(readFileSync(file, 'utf8')))
})
