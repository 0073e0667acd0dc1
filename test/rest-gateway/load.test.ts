import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Service, send } from '../harness'

const META = '/v1/partner/meta'

let service: Service
let key: string

const begin = async (limits: Parameters<typeof Service.start>[0]) => {
  service = await Service.start(limits)
  const company = await service.make.company()
  await service.make.sensor({ asset: await service.make.asset({ company }) })
  key = await service.make.key([company])
}
afterEach(() => service.stop())

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
  const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf(META)))
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect(await statusOf(META)).toBe(200)
})

test('who asks once finds a place beside a crowd, and is served between its requests', async () => {
  await begin({ limits: { maxInFlight: 80 }, connections: 1 })
  const other = await service.make.key([])
  const lock = await service.owner.connect()
  await lock.query('BEGIN; LOCK TABLE companies')
  const crowd: number[] = []
  const asked = Array.from({ length: 100 }, async () => crowd.push(await statusOf(META)))
  // One caller may have half of the places.
  await until(async () => crowd.length === 60)
  const once = service.get(META, { key: other }).then(({ status }) => [status, crowd.length])
  // Its turn comes behind this one's.
  expect((await send(`${service.url}/healthz`)).status).toBe(200)
  await lock.query('ROLLBACK')
  lock.release()
  const [status, before] = await once
  expect(status).toBe(200)
  expect(before).toBeLessThan(70)
  await Promise.all(asked)
  expect(crowd.filter(status => status === 200)).toHaveLength(40)
})

test('callers who do not fetch their answers are among those at once, until they are gone', async () => {
  await begin({ limits: { maxInFlight: 2 } })
  const [asset] = (await service.read('/v1/partner/assets', key)).data
  const week = `/v1/partner/assets/${asset.id}/impressions/timeseries?grain=minute&from_date=2026-01-01&to_date=2026-01-07`
  const request = `GET ${week} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
  const dawdlers = [await open(request), await open(request)]
  for (const dawdler of dawdlers) dawdler.pause()
  // At first the buffers of the connections hold what they are sent.
  for (let shed = 0; shed < 30; ) {
    if ((await statusOf(META)) === 503) shed++
    else {
      shed = 0
      for (const dawdler of dawdlers) dawdler.write(request)
    }
  }
  for (const dawdler of dawdlers) dawdler.destroy()
  await until(async () => (await statusOf(META)) === 200)
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
  expect(await statusOf(META)).toBe(200)
  const lag = () => {
    const end = performance.now() + 150
    while (performance.now() < end);
  }
  const lagging = setInterval(lag, 1)
  let shed: Answer
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
