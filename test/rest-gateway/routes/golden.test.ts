/**
 * The legacy interface is frozen to the byte: golden/ contains a response of each route and each error. A file changes only
 * with an entry in the changelog. `GOLDEN=write npx jest golden` writes missing files.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { MISSING } from '../../../db/calendar/packed-counts'
import { legacyCode } from '../../../rest-gateway/middleware/error-handler'
import { ERRORS, type ErrorCode } from '../../../schema/errors'
import { World, type WorldOptions } from '../../support/world'

const NOW = Date.parse('2026-11-01T12:00:00Z')

let world: World
let keys: { plain: string; reseller: string; withScope: string }

beforeAll(async () => {
  world = await World.open({ now: () => NOW, statementTimeoutMs: 2_000 })
  const { make } = world
  const [acme, zeta] = [await make.company('Acme Außenwerbung'), await make.company('Zeta "Out of Home"')]
  const minutes = await make.asset({
    company: acme,
    id: 'minutes0',
    legacy_id: 101,
    name: 'Zoo – “Eingang”',
    latitude: 52.5069,
    longitude: 13.3329,
  })
  const quarters = await make.asset({
    company: zeta,
    id: 'quarters',
    legacy_id: 102,
    name: 'Halte/stelle',
    latitude: -31.5,
    longitude: 159.0666,
    time_zone: 'Australia/Lord_Howe',
  })
  const hours = await make.asset({ company: acme, id: 'hours000', legacy_id: 1003, name: 'Hours' })
  await make.asset({ company: acme, id: 'silent00', legacy_id: 99, name: 'No sensor' })
  await make.asset({ company: acme, id: 'idless00' })
  const health = { health_status: 'healthy', health_checked_at: new Date(NOW - 60_000).toISOString() }
  const own = await make.sensor({ asset: minutes, serial: 'SN-2', ...health })
  await make.counts(own, '2026-10-24', minute => (minute < 3 ? MISSING : minute % 11))
  await make.counts(own, '2026-10-26', () => 0)
  const mixed = [
    await make.sensor({ asset: quarters, serial: 'LH-9', grain: 'quarter_hour' }),
    await make.sensor({ asset: quarters, serial: 'LH-10' }),
  ]
  for (const sensor of mixed)
    await make.counts(sensor, '2026-04-05', interval => (interval % 13 === 0 ? MISSING : interval % 7))
  await make.counts(
    await make.sensor({ asset: hours, serial: 'H', grain: 'hour' }),
    '2026-10-25',
    hour => hour * 1_000_003,
  )
  keys = {
    plain: await make.key([acme, zeta]),
    reseller: await make.key([acme, zeta], { reseller: true }),
    withScope: await make.key([acme, zeta], { scopes: ['partner:metrics:legacy:read'] }),
  }
})
afterAll(() => world.stop())

const PATH = '/v1/metrics/assets'

/** Values of Accept. The interface never had another format than JSON, and ignores it. */
const ACCEPTED = ['*/*', 'text/csv', 'text/plain']

let headers: Record<string, string>

const get = async (path: string, key?: string, method?: string): Promise<string> =>
  (await world.get(path, { headers, ...(key && { key }), ...(method && { method }) })).text

/** Returns the response between a statement that breaks the database and one that repairs it. */
async function getBetween(breakIt: string, repairIt: string): Promise<string> {
  const client = await world.owner.connect()
  try {
    await client.query(breakIt)
    return await get(PATH, keys.plain)
  } finally {
    await client.query(repairIt)
    client.release()
  }
}

/** Sends text on a socket. @returns the body of the response */
function sendRaw(text: string): Promise<string> {
  const { port, hostname } = new URL(world.url)
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect(Number(port), hostname, () => socket.end(text))
    socket.on('data', chunk => {
      response += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(response.slice(response.indexOf('\r\n\r\n') + 4)))
  })
}

const RESPONSES: Record<string, () => Promise<string>> = {
  'assets.json': () => get(PATH, keys.plain),
  'assets-reseller.json': () => get(PATH, keys.reseller),
  'assets-none.json': async () => get(PATH, await world.make.key([])),
  'legacy-ids.json': () => get(`${PATH}/legacy-ids`, keys.withScope),
  'daily.json': () => get(`${PATH}/101?start=2026-10-24&end=2026-10-27`, keys.plain),
  'daily-by-id.json': () => get(`${PATH}/minutes0?start=2026-10-24&end=2026-10-27`, keys.plain),
  'daily-without-data.json': () => get(`${PATH}/99?start=2026-10-24&end=2026-10-25`, keys.plain),
  'per-minute.json': () => get(`${PATH}/101/per-minute?date=2026-10-24`, keys.plain),
  'per-minute-repeated-half-hour.json': () => get(`${PATH}/102/per-minute?date=2026-04-05`, keys.plain),
  'per-minute-by-hours.json': () => get(`${PATH}/1003/per-minute?date=2026-10-25`, keys.plain),
  'per-minute-without-sensor.json': () => get(`${PATH}/99/per-minute?date=2026-10-24`, keys.plain),
  'error-MISSING_API_KEY.json': () => get(PATH),
  'error-INVALID_API_KEY.json': () => get(PATH, 'x'),
  'error-WRONG_ENVIRONMENT.json': () => get(PATH, 'msk_live_x'),
  'error-INSUFFICIENT_SCOPE.json': () => get(`${PATH}/legacy-ids`, keys.plain),
  'error-NOT_FOUND.json': () => get(`${PATH}/1/2/3`, keys.plain),
  'error-METHOD_NOT_ALLOWED.json': () => get(PATH, keys.plain, 'PUT'),
  'error-INVALID_ID.json': () => get(`${PATH}/100?start=2026-10-24&end=2026-10-24`, keys.plain),
  'error-REQUIRED_DATES-start.json': () => get(`${PATH}/101?end=2026-10-24`, keys.plain),
  'error-REQUIRED_DATES-end.json': () => get(`${PATH}/101?start=2026-10-24`, keys.plain),
  'error-REQUIRED_DATES-date.json': () => get(`${PATH}/101/per-minute`, keys.plain),
  'error-INVALID_DATE-start.json': () => get(`${PATH}/101?start=24.10.2026&end=2026-10-24`, keys.plain),
  'error-INVALID_DATE-end.json': () => get(`${PATH}/101?start=2026-10-24&end=2026-02-29`, keys.plain),
  'error-INVALID_DATE-date.json': () => get(`${PATH}/101/per-minute?date=today`, keys.plain),
  'error-INVALID_DATE-range.json': () => get(`${PATH}/101?start=2016-01-01&end=2026-10-24`, keys.plain),
  'error-INVALID_DATE_ORDER.json': () => get(`${PATH}/101?start=2026-10-25&end=2026-10-24`, keys.plain),
  'error-INVALID_PARAMETER.json': () => get(`${PATH}/101/per-minute?date=2026-10-24&date=2026-10-24`, keys.plain),
  'error-BAD_REQUEST.json': () => get(`${PATH}/%zz`),
  'error-URI_TOO_LONG.json': () => get(`${PATH}?${'x'.repeat(9000)}`),
  'error-HEADERS_TOO_LARGE.json': () => sendRaw(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`),
  'error-TIMEOUT.json': () => getBetween('BEGIN; LOCK TABLE companies', 'ROLLBACK'),
  'error-INTERNAL.json': () =>
    getBetween(
      'ALTER TABLE companies RENAME COLUMN name TO other',
      'ALTER TABLE companies RENAME COLUMN other TO name',
    ),
  'error-RATE_LIMITED.json': () =>
    withOtherService({ quota: 1 }, async (other, key) => {
      await other.get(PATH, { key, headers })
      return (await other.get(PATH, { key, headers })).text
    }),
  'error-UNAVAILABLE.json': () =>
    withOtherService({}, async (other, key) => {
      const { rows } = await other.owner.query('SELECT current_database() AS name')
      await other.owner.query(`ALTER DATABASE ${rows[0].name} CONNECTION LIMIT 0`)
      return (await other.get(PATH, { key, headers })).text
    }),
}

async function withOtherService(
  options: WorldOptions,
  request: (other: World, key: string) => Promise<string>,
): Promise<string> {
  const other = await World.open(options)
  try {
    return await request(other, await other.make.key([]))
  } finally {
    await other.stop()
  }
}

const folder = join(__dirname, 'golden')

describe.each(ACCEPTED)('with Accept: %s', accept => {
  beforeAll(() => {
    headers = { Accept: accept }
  })

  test.each(Object.keys(RESPONSES))('%s is unchanged to the byte', async name => {
    const bytes = await (RESPONSES[name] as () => Promise<string>)()
    const file = join(folder, name)
    if (process.env.GOLDEN === 'write' && !existsSync(file)) writeFileSync(file, bytes)
    expect(bytes).toBe(readFileSync(file, 'utf8'))
  })
})

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
  expect(readdirSync(folder).sort()).toEqual(Object.keys(RESPONSES).sort())
})
