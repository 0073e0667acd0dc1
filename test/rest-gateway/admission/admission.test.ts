import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { makeKey } from '../../../db/api-keys/key-format'
import { admission, type LoadLimits } from '../../../rest-gateway/admission/admission'
import { ConnectionGuard } from '../../../rest-gateway/admission/connection-guard'
import { Proxies } from '../../../rest-gateway/admission/proxies'
import { bodyParts } from '../../../rest-gateway/app'
import { errorHandler } from '../../../rest-gateway/middleware/error-handler'
import { send, type TestResponse } from '../../support/http'
import { World } from '../../support/world'

const META = '/v1/partner/meta'

/** Other addresses: on Linux the whole of 127/8 is the loopback device. */
const ELSEWHERE = process.platform === 'linux' ? ['127.0.0.2', '127.0.0.3'] : ['127.0.0.1']

let world: World
let key: string

async function start(options: Parameters<typeof World.open>[0]): Promise<void> {
  world = await World.open(options)
  const company = await world.make.company()
  await world.make.sensor({ asset: await world.make.asset({ company }) })
  key = await world.make.key([company])
}
afterEach(() => world.stop())

const fetchStatus = async (path: string): Promise<number> => (await world.get(path, { key })).status

async function open(text: string, localAddress?: string): Promise<Socket> {
  const { port, hostname } = new URL(world.url)
  const socket = connect({ port: Number(port), host: hostname, localAddress })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

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

const WAITING_FOR_LOCK = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(1)
}

test('a caller with half of the requests allowed in flight is answered 503 with Retry-After', async () => {
  await start({ limits: { maxInFlight: 2 } })
  let first: Promise<number> | undefined
  await whileLocked('companies', async () => {
    first = fetchStatus(META)
    await until(async () => (await world.owner.query(WAITING_FOR_LOCK)).rowCount === 1)
    const { status, headers, body } = await world.get(META, { key })
    expect([status, headers['retry-after'], body.error.code]).toEqual([503, '1', 'UNAVAILABLE'])
  })
  expect(await first).toBe(200)
  expect(await fetchStatus(META)).toBe(200)
})

test('a caller with a single request is served before most of another caller’s thirty', async () => {
  await start({ connections: 1 })
  const other = await world.make.key([])
  // Keys are callers of their own once they proved valid.
  for (const each of [key, other]) await world.get(META, { key: each })
  const { scheduler } = world.gateway
  const statuses: number[] = []
  let thirty: Promise<number>[] = []
  let single: Promise<[number, number]> | undefined
  await whileLocked('companies', async () => {
    thirty = Array.from({ length: 30 }, async () => statuses.push(await fetchStatus(META)))
    await until(() => scheduler.waiting === 29)
    single = world.get(META, { key: other }).then(({ status }) => [status, statuses.length])
    await until(() => scheduler.waiting === 30)
  })
  const [status, before] = (await single) as [number, number]
  expect(status).toBe(200)
  expect(before).toBeLessThan(10)
  await Promise.all(thirty)
})

test('callers without a valid key are identified by their address', async () => {
  await start({ limits: { maxInFlight: 2 } })
  const statuses: number[] = []
  let both: Promise<unknown> = Promise.resolve()
  await whileLocked('api_keys', async () => {
    const keys = [makeKey('dev'), makeKey('dev')]
    both = Promise.all(keys.map(async made => statuses.push((await world.get(META, { key: made })).status)))
    await until(() => statuses.length === 1)
  })
  await both
  // One caller may have half of what is in flight.
  expect(statuses).toEqual([503, 401])
})

test('behind a trusted proxy they are identified by the address that it forwards', async () => {
  await start({ limits: { maxInFlight: 2, proxies: new Proxies(['127.0.0.1']) } })
  let both: Promise<number[]> | undefined
  await whileLocked('api_keys', async () => {
    const statuses: Promise<number>[] = []
    for (const client of ['203.0.113.1', '203.0.113.2']) {
      const headers = { 'X-Forwarded-For': client }
      statuses.push(world.get(META, { key: makeKey('dev'), headers }).then(({ status }) => status))
    }
    both = Promise.all(statuses)
  })
  expect(await both).toEqual([401, 401])
})

test('a request that waits too long for a slot is answered 503', async () => {
  await start({ connections: 1, statementTimeoutMs: 20_000 })
  let first: Promise<number> | undefined
  await whileLocked('companies', async () => {
    first = fetchStatus(META)
    expect(await fetchStatus(META)).toBe(503)
  })
  expect(await first).toBe(200)
})

test('JSON that is nested too deeply is refused without being parsed', async () => {
  await start({})
  const analyst = await world.make.key([], { scopes: ['internal:graphql:read'] })
  const post = (variables: string) =>
    world.get('/graphql', {
      key: analyst,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"query":"{__typename}","variables":{"a":${variables}}}`,
    })
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect((await post(nested(101))).status).toBe(400)
  expect((await post(nested(98))).status).toBe(200)
  expect((await post(JSON.stringify('"['.repeat(200)))).status).toBe(200)
})

test('pages that clients without a key do not read take nothing from clients with one', async () => {
  await start({ limits: { maxInFlight: 2 } })
  const attackers = await Promise.all(
    ELSEWHERE.map(address => open('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(32), address)),
  )
  // The first bytes have come; no more are read.
  for (const attacker of attackers) await once(attacker, 'readable')
  for (let i = 0; i < 5; i++) expect(await fetchStatus(META)).toBe(200)
  for (const attacker of attackers) attacker.destroy()
})

describe('a response that its client does not read', () => {
  // More than the buffers of both ends of a connection hold.
  const large = Buffer.alloc(20 * 1024 * 1024)
  let server: Server
  let url: string
  const stalled: Socket[] = []

  /** Serves `/v1/large` and `/v1/small`. Any key is valid. */
  async function serve(limits: Partial<LoadLimits>): Promise<void> {
    await start({ limits })
    const { gateway } = world
    const connections = new ConnectionGuard(gateway.limits)
    const app = new Koa()
    app.silent = true
    app.use(errorHandler(gateway.log))
    app.use(bodyParts)
    app.use((ctx, next) => {
      ctx.state.reads = { batches: 0, rows: 0, waitedMs: 0 }
      return next()
    })
    app.use(admission(gateway, connections))
    app.use(ctx => {
      ctx.state.keyId = ctx.get('X-API-Key')
      ctx.body = ctx.path === '/v1/large' ? large : 'small'
    })
    server = createServer()
    connections.protect(server, app.callback())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  afterEach(() => {
    for (const socket of stalled.splice(0)) socket.destroy()
    server.closeAllConnections()
    server.close()
  })

  /** Returns the status of a large response, of which no more than the first bytes are read. */
  async function stall(presented: string, localAddress = '127.0.0.1'): Promise<number> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress })
    stalled.push(socket)
    socket.on('error', () => {})
    socket.write(`GET /v1/large HTTP/1.1\r\nHost: x\r\nX-API-Key: ${presented}\r\n\r\n`)
    await once(socket, 'readable')
    return Number(String(socket.read(12)).slice(9))
  }
  const small = async (presented: string): Promise<number> => (await send(`${url}/v1/small`, { key: presented })).status

  test('is dropped at the limit of requests in flight, at once if its client has no valid key', async () => {
    await serve({ maxInFlight: 1 })
    expect(await stall('')).toBe(200)
    expect(await small('one')).toBe(200)
    expect(await stall('two')).toBe(200)
    expect(await small('one')).toBe(503)
    // It makes room when it has made no progress for some time.
    await until(async () => (await small('one')) === 200)
  })

  test('counts with its bytes, of which a caller may have half, until it is dropped', async () => {
    await serve({ maxUnsentBytes: 3 * large.length })
    for (const presented of ['one', 'two', 'three']) expect(await small(presented)).toBe(200)
    expect(await stall('one')).toBe(200)
    expect(await stall('one')).toBe(503)
    expect(await small('one')).toBe(200)
    expect(await stall('two')).toBe(200)
    // Clients without a key cannot have the rest: theirs is dropped for one with a key.
    expect(await stall('', ELSEWHERE[0])).toBe(200)
    expect(await stall('three')).toBe(200)
    await until(async () => (await stall('one')) === 200)
  })
})

test('a request whose body is still on its way is not in flight', async () => {
  await start({ limits: { maxInFlight: 2 } })
  const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`
  const slow = await Promise.all(Array.from({ length: 20 }, () => open(`${head}Content-Length: 9\r\n\r\n{`)))
  for (let i = 0; i < 5; i++) expect(await fetchStatus(META)).toBe(200)
  for (const socket of slow) socket.destroy()
})

test('more than 32 requests on a connection before the first response: the 33rd is refused, and the connection closed', async () => {
  await start({ connections: 1 })
  const socket = await open(`GET ${META} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`.repeat(100))
  let text = ''
  for await (const chunk of socket) text += chunk
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  expect(statuses).toEqual([...Array(32).fill(200), 503])
  expect(text).toContain('\r\nRetry-After: 1\r\n')
  expect(text).toContain('\r\nConnection: close\r\n')
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
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
  const clients = []
  for (let i = 0; i < 2; i++) {
    const client = await open(request(META))
    await once(client, 'data')
    clients.push(client)
  }
  const get = async (path: string): Promise<string> => {
    const socket = await open(request(path))
    let text = ''
    for await (const chunk of socket) text += chunk
    return text
  }
  for (const [path, status] of [
    ['/healthz', 200],
    ['/readyz', 200],
    [META, 503],
  ] as const) {
    const text = await get(path)
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(text).toContain('\r\nConnection: close\r\n')
  }
  for (const client of clients) {
    client.write(request(META))
    expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)
    client.destroy()
  }
})
