/** Overload through the whole application. The queue, the limits of connections and floods have tests of their own. */
import { setTimeout as sleep } from 'node:timers/promises'
import { makeKey } from '../../../db/api-keys/key-format'
import { Proxies } from '../../../rest-gateway/edge/proxies'
import { createDatabase, type TestDatabase } from '../../support/databases'
import { send, type TestResponse } from '../../support/http'
import { Lock } from '../../support/lock'
import { watchTraffic } from '../../support/traffic'
import { World, type WorldOptions } from '../../support/world'

const META = '/v1/partner/meta'

let database: TestDatabase
let world: World
let key: string

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

async function start(options: WorldOptions): Promise<void> {
  world = await World.open({ ...options, database: { ...database, drop: async () => {} } })
  key = await world.make.key([await world.make.company()])
}
afterEach(() => world.stop())

const fetchStatus = async (path: string, presented = key, headers = {}): Promise<number> =>
  (await world.get(path, { key: presented, headers })).status

/** Runs an action while no request that reads a table can finish. */
async function whileLocked(table: string, action: () => Promise<void>): Promise<void> {
  const lock = await Lock.take(world.database.ownerUrl, `LOCK TABLE ${table}`)
  return action().finally(() => lock.release())
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(1)
}

test('a key with many requests holds two thirds of the connections, and delays no other; one that waits too long gets 503, and counts', async () => {
  await start({ connections: 3, statementTimeoutMs: 20_000, connectTimeoutMs: 1_000 })
  const other = await world.make.key([])
  // Keys are callers of their own once they proved valid.
  for (const each of [key, other]) await fetchStatus(META, each)
  const { queue } = world.gateway.database
  let many: Promise<number[]> = Promise.resolve([])
  await whileLocked('assets', async () => {
    many = Promise.all(Array.from({ length: 5 }, () => fetchStatus('/v1/partner/assets')))
    await until(() => queue.waiting === 3)
    for (let i = 0; i < 5; i++) expect(await fetchStatus(META, other)).toBe(200)
    await until(() => queue.waiting === 0)
  })
  expect((await many).sort()).toEqual([200, 200, 503, 503, 503])
  const { headers } = await world.get(META, { key })
  expect(headers.ratelimit).toContain(`r=${1_000_000 - 7};`)
})

test('a long page lets others read between two of its batches', async () => {
  await start({ connections: 1 })
  const company = await world.make.company()
  await world.make.together(async make => {
    for (let i = 0; i < 45; i++) await make.asset({ company })
  })
  const reader = await world.make.key([company])
  for (const each of [key, reader]) await fetchStatus(META, each)
  const { database } = world.gateway
  const order: string[] = []
  const fetch = async (path: string, presented: string) => {
    expect(await fetchStatus(path, presented)).toBe(200)
    order.push(path)
  }
  const range = 'from_date=2025-01-01&to_date=2025-12-31&limit=45'
  const page = `/v1/partner/impressions/profiles?${range}`
  let both: Promise<unknown> = Promise.resolve()
  await whileLocked('assets', async () => {
    const first = fetch(page, reader)
    await until(() => database.connections.total > database.connections.idle)
    both = Promise.all([first, fetch(META, key)])
    await until(() => database.queue.waiting === 1)
  })
  await both
  expect(order).toEqual([META, page])
})

test('the database is asked once for all who ask at once whether the service is ready', async () => {
  await start({})
  const { statements } = await watchTraffic(async () => {
    const checks = await Promise.all(Array.from({ length: 20 }, () => send(`${world.url}/readyz`)))
    for (const { status } of checks) expect(status).toBe(200)
  })
  expect(statements).toHaveLength(1)
})

test.each([
  ['without a valid key', 'of their address', [], 1],
  ['behind a trusted proxy', 'of the addresses that it forwards', ['127.0.0.1'], 2],
])('clients %s are the callers %s', async (_, __, proxies, running) => {
  await start({ connections: 2, limits: { proxies: new Proxies(proxies) } })
  const clients = ['203.0.113.1', '203.0.113.2']
  const forwarded = (client: string) => fetchStatus(META, makeKey('dev'), { 'X-Forwarded-For': client })
  const { database } = world.gateway
  let both: Promise<number[]> = Promise.resolve([])
  await whileLocked('api_keys', async () => {
    both = Promise.all(clients.map(forwarded))
    const inUse = () => database.connections.total - database.connections.idle
    await until(() => inUse() === running && database.queue.waiting === clients.length - running)
  })
  expect(await both).toEqual([401, 401])
})

test('while the event loop is late requests without an accepted key are answered 503, others and health checks 200', async () => {
  await start({ limits: { maxEventLoopDelayMs: 30 } })
  await until(async () => (await fetchStatus(META)) === 200)
  const block = () => {
    const end = performance.now() + 150
    while (performance.now() < end);
  }
  const blocking = setInterval(block, 1)
  try {
    let shed: TestResponse
    do shed = await world.get(META, { key: makeKey('dev') })
    while (shed.status === 401)
    expect([shed.status, shed.headers['retry-after'], shed.body.error.code]).toEqual([503, '1', 'UNAVAILABLE'])
    for (const path of ['/healthz', '/readyz']) expect((await send(world.url + path)).status).toBe(200)
    expect(await fetchStatus(META)).toBe(200)
  } finally {
    clearInterval(blocking)
  }
  await until(async () => (await world.get(META)).status === 401)
})
