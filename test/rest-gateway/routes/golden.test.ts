/**
 * The legacy interface is frozen to the byte: golden/ contains a response of each route and each error. A file changes only
 * with an entry in the changelog. `GOLDEN=write npx jest golden` writes missing files.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MISSING } from '../../../db/calendar/packed-counts'
import { legacyCode } from '../../../rest-gateway/edge/errors'
import { ERRORS, type ErrorCode } from '../../../schema/errors'
import type { Factory } from '../../support/factories'
import { sendRaw } from '../../support/http'
import { World } from '../../support/world'

const NOW = Date.parse('2026-11-01T12:00:00Z')

let world: World
let keys: { plain: string; reseller: string; withScope: string }

beforeAll(async () => {
  world = await World.open({ now: () => NOW })
  await world.make.together(prepare)
})
afterAll(() => world.stop())

async function prepare(make: Factory): Promise<void> {
  const [acme, zeta] = [await make.company('Acme Außenwerbung'), await make.company('Zeta "Out of Home"')]
  const zoo = { name: 'Zoo – “Eingang”', latitude: 52.5069, longitude: 13.3329 }
  const minutes = await make.asset({ company: acme, id: 'minutes0', legacy_id: 101, ...zoo })
  const stop = { name: 'Halte/stelle', latitude: -31.5, longitude: 159.0666, time_zone: 'Australia/Lord_Howe' }
  const quarters = await make.asset({ company: zeta, id: 'quarters', legacy_id: 102, ...stop })
  const hours = await make.asset({ company: acme, id: 'hours000', legacy_id: 1003, name: 'Hours' })
  await make.asset({ company: acme, id: 'silent00', legacy_id: 99, name: 'No sensor' })
  await make.asset({ company: acme, id: 'idless00' })
  await make.asset({ legacy_id: 5 })
  const health = { health_status: 'healthy', health_checked_at: new Date(NOW - 60_000).toISOString() }
  const own = await make.sensor({ asset: minutes, serial: 'SN-2', ...health })
  // A sensor that was removed is not listed, nor does its health count.
  const removed = { installed_at: '2026-01-01T00:00:00Z', removed_at: '2026-02-01T00:00:00Z' }
  await make.sensor({ asset: minutes, serial: 'SN-1', ...health, health_status: 'offline', ...removed })
  await make.counts(own, '2026-10-24', minute => (minute < 3 ? MISSING : minute % 11))
  await make.counts(own, '2026-10-26', () => 0)
  for (const sensor of [
    await make.sensor({ asset: quarters, serial: 'LH-9', grain: 'quarter_hour' }),
    await make.sensor({ asset: quarters, serial: 'LH-10' }),
  ])
    await make.counts(sensor, '2026-04-05', interval => (interval % 13 === 0 ? MISSING : interval % 7))
  const hourly = await make.sensor({ asset: hours, serial: 'H', grain: 'hour' })
  await make.counts(hourly, '2026-10-25', hour => hour * 1_000_003)
  keys = {
    plain: await make.key([acme, zeta]),
    reseller: await make.key([acme, zeta], { reseller: true }),
    withScope: await make.key([acme, zeta], { scopes: ['partner:metrics:legacy:read'] }),
  }
}

const PATH = '/v1/metrics/assets'

/** The interface never had another format than JSON, and ignores what a client accepts. */
const headers = { Accept: 'text/csv' }

type Response = [status: number, body: string]

async function get(path: string, key?: string, method?: string): Promise<Response> {
  const { status, text } = await world.get(path, { headers, ...(key && { key }), ...(method && { method }) })
  return [status, text]
}

/** The file, its status, what follows PATH, and the key. */
const REQUESTS: [file: string, status: number, path: string, key: keyof typeof keys | undefined][] = [
  ['assets', 200, '', 'plain'],
  ['assets-reseller', 200, '', 'reseller'],
  ['legacy-ids', 200, '/legacy-ids', 'withScope'],
  ['daily', 200, '/101?start=2026-10-24&end=2026-10-27', 'plain'],
  ['daily-by-id', 200, '/minutes0?start=2026-10-24&end=2026-10-27', 'plain'],
  ['daily-without-data', 200, '/99?start=2026-10-24&end=2026-10-25', 'plain'],
  ['per-minute', 200, '/101/per-minute?date=2026-10-24', 'plain'],
  ['per-minute-repeated-half-hour', 200, '/102/per-minute?date=2026-04-05', 'plain'],
  ['per-minute-by-hours', 200, '/1003/per-minute?date=2026-10-25', 'plain'],
  ['per-minute-without-sensor', 200, '/99/per-minute?date=2026-10-24', 'plain'],
  ['error-MISSING_API_KEY', 401, '', undefined],
  ['error-INSUFFICIENT_SCOPE', 403, '/legacy-ids', 'plain'],
  ['error-NOT_FOUND', 404, '/1/2/3', 'plain'],
  ['error-INVALID_ID', 404, '/100?start=2026-10-24&end=2026-10-24', 'plain'],
  ['error-REQUIRED_DATES-start', 400, '/101?end=2026-10-24', 'plain'],
  ['error-REQUIRED_DATES-end', 400, '/101?start=2026-10-24', 'plain'],
  ['error-REQUIRED_DATES-date', 400, '/101/per-minute', 'plain'],
  ['error-INVALID_DATE-start', 400, '/101?start=24.10.2026&end=2026-10-24', 'plain'],
  ['error-INVALID_DATE-end', 400, '/101?start=2026-10-24&end=2026-02-29', 'plain'],
  ['error-INVALID_DATE-date', 400, '/101/per-minute?date=today', 'plain'],
  ['error-INVALID_DATE-range', 400, '/101?start=2016-01-01&end=2026-10-24', 'plain'],
  ['error-INVALID_DATE_ORDER', 400, '/101?start=2026-10-25&end=2026-10-24', 'plain'],
  ['error-INVALID_PARAMETER', 400, '/101/per-minute?date=2026-10-24&date=2026-10-24', 'plain'],
  ['error-BAD_REQUEST', 400, '/%zz', undefined],
]

/** The others. */
const RESPONSES: Record<string, [status: number, request: () => Promise<Response>]> = {
  'assets-none': [200, async () => get(PATH, await world.make.key([]))],
  'error-INVALID_API_KEY': [401, () => get(PATH, 'x')],
  'error-WRONG_ENVIRONMENT': [401, () => get(PATH, 'msk_live_x')],
  'error-METHOD_NOT_ALLOWED': [405, () => get(PATH, keys.plain, 'PUT')],
  'error-URI_TOO_LONG': [414, () => get(`${PATH}?${'x'.repeat(9000)}`)],
  'error-HEADERS_TOO_LARGE': [
    431,
    async () => {
      const text = await sendRaw(world.url, `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`)
      return [Number(text.slice(9, 12)), text.split('\r\n\r\n')[1]!]
    },
  ],
  'error-RATE_LIMITED': [
    429,
    async () => {
      const key = await world.make.key([], { rate_requests: 1, rate_seconds: 60 })
      await get(PATH, key)
      return get(PATH, key)
    },
  ],
}

const folder = join(__dirname, 'golden')

async function check(name: string, expected: number, [status, body]: Response): Promise<void> {
  expect(status).toBe(expected)
  const file = join(folder, `${name}.json`)
  if (process.env.GOLDEN === 'write' && !existsSync(file)) writeFileSync(file, body)
  expect(body).toBe(readFileSync(file, 'utf8'))
}

test.each(REQUESTS)('%s is unchanged to the byte', async (name, expected, path, key) =>
  check(name, expected, await get(PATH + path, key && keys[key])),
)

test.each(Object.entries(RESPONSES))('%s is unchanged to the byte', async (name, [expected, request]) =>
  check(name, expected, await request()),
)

test('every error of the legacy interface has a golden file', () => {
  const recorded = readdirSync(folder).flatMap(name => name.match(/^error-([A-Z_]+)/)?.[1] ?? [])
  const notLegacy: ErrorCode[] = [
    'GRAIN_NOT_AVAILABLE',
    'INVALID_CURSOR',
    'NOT_ACCEPTABLE',
    'QUERY_TOO_COSTLY',
    'RESYNC_REQUIRED',
  ]
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter(code => !notLegacy.includes(code))
  const named = codes.flatMap(code => [...(code === 'NOT_FOUND' ? [code] : []), legacyCode(code)])
  expect([...new Set(recorded)].sort()).toEqual([...new Set(named)].sort())
  // http.test.ts has the responses while the database is broken.
  const broken = ['error-TIMEOUT', 'error-INTERNAL', 'error-UNAVAILABLE']
  const names = [...REQUESTS.map(([name]) => name), ...Object.keys(RESPONSES), ...broken]
  expect(readdirSync(folder).sort()).toEqual(names.map(name => `${name}.json`).sort())
})
