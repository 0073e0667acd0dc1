/** Overload through the whole application. What each guard does is in its own tests. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeKey } from '../../../db/api-keys/key-format'
import { Proxies } from '../../../rest-gateway/admission/proxies'
import { send, type TestResponse } from '../../support/http'
import { World } from '../../support/world'

const META = '/v1/partner/meta'

/** Other addresses: on Linux the whole of 127/8 is the loopback device. */
const ELSEWHERE = process.platform === 'linux' ? ['127.0.0.2', '127.0.0.3'] : ['127.0.0.1']

let world: World
let key: string

async function start(options: Parameters<typeof World.open>[0]): Promise<void> {
  world = await World.open(options)
  key = await world.make.key([await world.make.company()])
}
afterEach(() => world.stop())

const fetchStatus = async (path: string, presented = key, headers = {}): Promise<number> =>
  (await world.get(path, { key: presented, headers })).status

async function open(text: string, localAddress?: string): Promise<Socket> {
  const { port, hostname } = new URL(world.url)
  const socket = connect({ port: Number(port), host: hostname, localAddress })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const head = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n`

/** Runs an action while no request that reads a table can finish. */
async function whileLocked<Result>(table: string, action: () => Promise<Result>): Promise<Result> {
  const client = await world.owner.connect()
  await client.query(`BEGIN; LOCK TABLE ${table}`)
  try {
    return await action()
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(1)
}

test('a flood of unread pages, slow bodies and unfinished heads takes nothing from clients with a key', async () => {
  await start({ limits: { maxInFlight: 2, maxConnections: 60, maxConnectionsPerAddress: 40 } })
  const unread = await Promise.all(
    ELSEWHERE.map(address => open('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(32), address)),
  )
  // The first bytes have come; no more are read.
  for (const attacker of unread) await once(attacker, 'readable')
  const body = `${head('POST', '/graphql')}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`
  const slow = await Promise.all(Array.from({ length: 20 }, () => open(body)))
  for (let i = 0; i < 200; i++) slow.push(await open('GET / HTTP/1.1\r\nX-A: ', ELSEWHERE[i % ELSEWHERE.length]))
  for (let i = 0; i < 5; i++) expect(await fetchStatus(META)).toBe(200)
  for (const attacker of [...unread, ...slow]) attacker.destroy()
})

test('requests of one key wait for those of another in turn, and are answered 503 if they wait too long', async () => {
  await start({ connections: 1, statementTimeoutMs: 20_000 })
  const other = await world.make.key([])
  // Keys are callers of their own once they proved valid.
  for (const each of [key, other]) await fetchStatus(META, each)
  const { scheduler } = world.gateway
  const statuses: number[] = []
  let thirty: Promise<number>[] = []
  let single: Promise<[number, number]> | undefined
  await whileLocked('companies', async () => {
    thirty = Array.from({ length: 30 }, async () => statuses.push(await fetchStatus(META)))
    await until(() => scheduler.waiting === 29)
    single = fetchStatus(META, other).then(status => [status, statuses.length])
    await until(() => scheduler.waiting === 30)
  })
  const [status, before] = (await single) as [number, number]
  expect(status).toBe(200)
  expect(before).toBeLessThan(10)
  await Promise.all(thirty)
  await whileLocked('companies', async () => {
    single = Promise.all([fetchStatus(META), fetchStatus(META)]) as Promise<[number, number]>
    await until(() => scheduler.waiting === 1)
    await until(() => scheduler.waiting === 0)
  })
  expect((await single)?.toSorted()).toEqual([200, 503])
})

test.each([
  ['without a valid key', 'of their address', [], [401, 503]],
  ['behind a trusted proxy', 'of the addresses that it forwards', ['127.0.0.1'], [401, 401]],
])('clients %s are the callers %s; each may have half of what is in flight', async (_, __, proxies, expected) => {
  await start({ limits: { maxInFlight: 2, proxies: new Proxies(proxies) } })
  const statuses: number[] = []
  let both: Promise<unknown> = Promise.resolve()
  await whileLocked('api_keys', async () => {
    const clients = ['203.0.113.1', '203.0.113.2']
    const forwarded = (client: string) => fetchStatus(META, makeKey('dev'), { 'X-Forwarded-For': client })
    both = Promise.all(clients.map(async client => statuses.push(await forwarded(client))))
    if (proxies.length === 0) await until(() => statuses.length === 1)
  })
  await both
  expect(statuses.toSorted()).toEqual(expected)
})

test('while the event loop is late requests without an accepted key are answered 503, others and health checks 200', async () => {
  await start({ limits: { maxEventLoopDelayMs: 60 } })
  await until(async () => (await fetchStatus(META)) === 200)
  const block = () => {
    const end = performance.now() + 150
    while (performance.now() < end);
  }
  const blocking = setInterval(block, 1)
  let shed: TestResponse
  do shed = await world.get(META, { key: makeKey('dev') })
  while (shed.status === 401)
  expect([shed.status, shed.headers['retry-after'], shed.body.error.code]).toEqual([503, '1', 'UNAVAILABLE'])
  for (const path of ['/healthz', '/readyz']) expect((await send(world.url + path)).status).toBe(200)
  expect(await fetchStatus(META)).toBe(200)
  clearInterval(blocking)
  await until(async () => (await world.get(META)).status === 401)
})

test('when authenticated clients hold all connections, health checks are answered and other requests get 503', async () => {
  await start({ limits: { maxConnections: 2 } })
  const clients = []
  for (let i = 0; i < 2; i++) {
    const client = await open(`${head('GET', META)}\r\n`)
    await once(client, 'data')
    clients.push(client)
  }
  for (const [path, status] of [
    ['/healthz', 200],
    ['/readyz', 200],
    [META, 503],
  ] as const) {
    const socket = await open(`${head('GET', path)}\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(text).toContain('\r\nConnection: close\r\n')
  }
  for (const client of clients) {
    client.write(`${head('GET', META)}\r\n`)
    expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)
    client.destroy()
  }
})
