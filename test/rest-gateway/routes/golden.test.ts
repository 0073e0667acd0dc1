/**
 * The legacy interface is frozen to the byte: every route and every error has its answer kept in golden/. A file changes
 * only by a decision that the CHANGELOG names; one that is missing is written by `GOLDEN=write npx jest golden`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { MISSING } from '../../../db/calendar/packed-counts'
import { legacyCode } from '../../../rest-gateway/middleware/error-handler'
import { ERRORS, type ErrorCode } from '../../../schema/errors'
import { Service, type ServiceOptions } from '../../support/service'

const NOW = Date.parse('2026-11-01T12:00:00Z')

let service: Service
let keys: { plain: string; reseller: string; mover: string }

beforeAll(async () => {
  service = await Service.start({ now: () => NOW, statementTimeoutMs: 400 })
  const { make } = service
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
    mover: await make.key([acme, zeta], { scopes: ['partner:metrics:legacy:read'] }),
  }
})
afterAll(() => service.stop())

const PATH = '/v1/metrics/assets'

const get = async (path: string, key?: string, method?: string): Promise<string> =>
  (await service.get(path, { ...(key && { key }), ...(method && { method }) })).text

/** While something is wrong with the database. */
async function whileWrong(wrong: string, right: string): Promise<string> {
  const client = await service.owner.connect()
  try {
    await client.query(wrong)
    return await get(PATH, keys.plain)
  } finally {
    await client.query(right)
    client.release()
  }
}

function raw(text: string): Promise<string> {
  const { port, hostname } = new URL(service.url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.end(text))
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer.slice(answer.indexOf('\r\n\r\n') + 4)))
  })
}

const answers: Record<string, () => Promise<string>> = {
  'assets.json': () => get(PATH, keys.plain),
  'assets-reseller.json': () => get(PATH, keys.reseller),
  'assets-none.json': async () => get(PATH, await service.make.key([])),
  'legacy-ids.json': () => get(`${PATH}/legacy-ids`, keys.mover),
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
  'error-HEADERS_TOO_LARGE.json': () => raw(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`),
  'error-TIMEOUT.json': () => whileWrong('BEGIN; LOCK TABLE companies', 'ROLLBACK'),
  'error-INTERNAL.json': () =>
    whileWrong(
      'ALTER TABLE companies RENAME COLUMN name TO other',
      'ALTER TABLE companies RENAME COLUMN other TO name',
    ),
  'error-RATE_LIMITED.json': () =>
    elsewhere({ quota: 1 }, async (other, key) => {
      await other.get(PATH, { key })
      return (await other.get(PATH, { key })).text
    }),
  'error-UNAVAILABLE.json': () =>
    elsewhere({}, async (other, key) => {
      const { rows } = await other.owner.query('SELECT current_database() AS name')
      await other.owner.query(`ALTER DATABASE ${rows[0].name} CONNECTION LIMIT 0`)
      return (await other.get(PATH, { key })).text
    }),
}

async function elsewhere(
  options: ServiceOptions,
  answer: (other: Service, key: string) => Promise<string>,
): Promise<string> {
  const other = await Service.start(options)
  try {
    return await answer(other, await other.make.key([]))
  } finally {
    await other.stop()
  }
}

const folder = join(__dirname, 'golden')

test.each(Object.keys(answers))('%s is what it always was', async name => {
  const bytes = await (answers[name] as () => Promise<string>)()
  const file = join(folder, name)
  if (process.env.GOLDEN === 'write' && !existsSync(file)) writeFileSync(file, bytes)
  expect(bytes).toBe(readFileSync(file, 'utf8'))
})

test('every error that the interface can answer has its body kept', () => {
  const kept = readdirSync(folder).flatMap(name => name.match(/^error-([A-Z_]+)/)?.[1] ?? [])
  const partnersOnly: ErrorCode[] = ['GRAIN_NOT_AVAILABLE', 'INVALID_CURSOR', 'QUERY_TOO_COSTLY']
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter(code => !partnersOnly.includes(code))
  const named = codes.flatMap(code => [...(code === 'NOT_FOUND' ? [code] : []), legacyCode(code)])
  expect([...new Set(kept)].sort()).toEqual([...new Set(named)].sort())
  expect(readdirSync(folder).sort()).toEqual(Object.keys(answers).sort())
})
