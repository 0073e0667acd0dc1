import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { makeKey } from '../../../db/api-keys/key-format'
import { bound } from '../../../rest-gateway/admission/admission'
import { errorBoundary } from '../../../rest-gateway/middleware/error-handler'
import { Service, send, type TestResponse } from '../../support/service'

const META = '/v1/partner/meta'

let service: Service
let key: string

const begin = async (limits: Parameters<typeof Service.start>[0]) => {
  service = await Service.start(limits)
  const company = await service.make.company()
  await service.make.sensor({ asset: await service.make.asset({ company }) })
  key = await service.make.key([company])
}
let hurry: NodeJS.Timeout | undefined
/** From now on those who were refused and ask again are not let wait, as they are otherwise. */
const letNobodyWait = () => {
  hurry = setInterval(() => service.gateway.tarpit.makeRoom(), 1)
}
afterEach(() => {
  clearInterval(hurry)
  return service.stop()
})

const statusOf = async (path: string): Promise<number> => (await service.get(path, { key })).status

async function open(text: string): Promise<Socket> {
  const { port, hostname } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const until = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(1)
}

test('more requests at once than the service takes are shed', async () => {
  await begin({ limits: { maxInFlight: 2 }, connections: 1 })
  letNobodyWait()
  const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf(META)))
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect(await statusOf(META)).toBe(200)
})

test('who asks once finds a place beside a crowd, and is served between its requests', async () => {
  await begin({ limits: { maxInFlight: 80 }, connections: 1 })
  const other = await service.make.key([])
  // Only keys that proved good are callers by themselves.
  for (const each of [key, other]) await service.get(META, { key: each })
  const lock = await service.owner.connect()
  await lock.query('BEGIN; LOCK TABLE companies')
  const crowd: number[] = []
  const asked = Array.from({ length: 100 }, async () => crowd.push(await statusOf(META)))
  const { scheduler } = service.gateway
  // One caller may have half of the places; one has its turn.
  await until(async () => scheduler.waiting === 39)
  const once = service.get(META, { key: other }).then(({ status }) => [status, crowd.length])
  await until(async () => scheduler.waiting === 40)
  await lock.query('ROLLBACK')
  lock.release()
  const [status, before] = await once
  expect(status).toBe(200)
  expect(before).toBeLessThan(10)
  letNobodyWait()
  await Promise.all(asked)
  expect(new Set(crowd)).toEqual(new Set([200, 503]))
})

test('who was refused and asks again at once is let wait, and nobody else', async () => {
  await begin({ limits: { maxInFlight: 2 } })
  const other = await service.make.key([])
  for (const each of [key, other]) await service.get(META, { key: each })
  const lock = await service.owner.connect()
  await lock.query('BEGIN; LOCK TABLE companies')
  // One caller may have half of the places.
  const first = statusOf(META)
  expect(await statusOf(META)).toBe(503)
  let told: number | undefined
  const again = statusOf(META).then(status => (told = status))
  // It comes before these.
  for (let i = 0; i < 3; i++) await send(`${service.url}/healthz`)
  await lock.query('ROLLBACK')
  lock.release()
  expect(await first).toBe(200)
  for (let i = 0; i < 5; i++) expect((await service.get(META, { key: other })).status).toBe(200)
  expect(told).toBeUndefined()
  expect(await again).toBe(503)
})

test('callers without a good key are told apart by their address only', async () => {
  await begin({ limits: { maxInFlight: 2 } })
  const lock = await service.owner.connect()
  await lock.query('BEGIN; LOCK TABLE api_keys')
  const [first, second] = Array.from({ length: 2 }, () => service.get(META, { key: makeKey('dev') }))
  expect((await second)?.status).toBe(503)
  await lock.query('ROLLBACK')
  lock.release()
  expect((await first)?.status).toBe(401)
})

test('bodies that are nested too deep are refused without being parsed', async () => {
  await begin({})
  const ask = (variables: string) =>
    service.get('/graphql', {
      key,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"query":"{__typename}","variables":{"a":${variables}}}`,
    })
  const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const analyst = await service.make.key([], { scopes: ['internal:graphql:read'] })
  key = analyst
  expect((await ask(lists(101))).status).toBe(400)
  expect((await ask(lists(98))).status).toBe(200)
  expect((await ask(JSON.stringify('"['.repeat(200)))).status).toBe(200)
})

test('a response that its client does not read counts as in flight until the connection closes', async () => {
  await begin({})
  const app = new Koa()
  app.silent = true
  app.use(errorBoundary(service.gateway.log))
  app.use(bound({ ...service.gateway, limits: { ...service.gateway.limits, maxInFlight: 1 } }))
  // More than the buffers of both ends of a connection hold.
  const large = Buffer.alloc(128 * 1024 * 1024)
  const closed = new Promise(resolve => {
    app.use(async ({ res, path }, next) => {
      if (path === '/large') res.once('close', resolve)
      await next()
    })
  })
  app.use(ctx => {
    ctx.body = ctx.path === '/large' ? large : 'small'
  })
  const server = app.listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const stalled = connect(port, '127.0.0.1')
    stalled.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    // The first bytes have come; no more are read.
    await once(stalled, 'readable')
    expect((await send(`http://127.0.0.1:${port}/`)).status).toBe(503)
    stalled.destroy()
    await closed
    expect((await send(`http://127.0.0.1:${port}/`)).status).toBe(200)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('bodies that come drop by drop hold up nobody', async () => {
  await begin({ limits: { maxInFlight: 2 } })
  const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`
  const droppers = await Promise.all(Array.from({ length: 20 }, () => open(`${head}Content-Length: 9\r\n\r\n{`)))
  for (let i = 0; i < 5; i++) expect(await statusOf(META)).toBe(200)
  for (const dropper of droppers) dropper.destroy()
})

test('requests that come by the dozen on one connection are shed before they take the place of others', async () => {
  await begin({ connections: 1 })
  const socket = await open(`GET ${META} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`.repeat(100))
  let text = ''
  for await (const chunk of socket) text += chunk
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  expect(statuses).toEqual([...Array(32).fill(200), 503])
  expect(text).toContain('\r\nRetry-After: 1\r\n')
  expect(text).toContain('\r\nConnection: close\r\n')
})

test('while the event loop lags requests are shed, health is told, and then all is well again', async () => {
  await begin({ limits: { maxEventLoopDelayMs: 60 } })
  letNobodyWait()
  await until(async () => (await statusOf(META)) === 200)
  const lag = () => {
    const end = performance.now() + 150
    while (performance.now() < end);
  }
  const lagging = setInterval(lag, 1)
  let shed: TestResponse
  do shed = await service.get(META, { key })
  while (shed.status === 200)
  expect([shed.status, shed.headers['retry-after'], shed.body.error.code]).toEqual([503, '1', 'UNAVAILABLE'])
  for (const path of ['/healthz', '/readyz']) expect((await send(service.url + path)).status).toBe(200)
  clearInterval(lagging)
  await until(async () => (await statusOf(META)) === 200)
})

test('beyond so many connections new ones are turned away, and idle ones make room for those who come again', async () => {
  await begin({ limits: { maxConnections: 2 } })
  const come = async () => {
    const socket = await open('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
  }
  const came: boolean[] = []
  for (let i = 0; i < 20; i++) came.push(await come().catch(() => false))
  expect(new Set(came)).toEqual(new Set([true, false]))
  expect(came.filter(Boolean).length).toBeGreaterThan(2)
})
