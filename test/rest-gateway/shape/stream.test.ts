/** Streamed responses: whole lists in short reads, while nothing is held for slow clients. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import pino from 'pino'
import { keyHash } from '../../../db/api-keys/key-format'
import { MAX_STREAMS } from '../../../rest-gateway/edge/rates'
import type { Made } from '../../support/factories'
import { World } from '../../support/world'

const CONNECTIONS = 2

const ASSETS = 70

/** Ten years, so that the rows do not fit into the buffers of sockets. */
const RANGE = 'from_date=2016-01-01&to_date=2025-12-31'

const DAYS = 3653

const PATH = `/v1/partner/impressions?${RANGE}&output=csv`

let world: World
let company: Made
let key: string

/** The entries of the log that are not about whole requests. */
const entries: Record<string, unknown>[] = []

beforeAll(async () => {
  const write = (line: string) => {
    const entry = JSON.parse(line)
    if (entry.msg !== 'request') entries.push(entry)
  }
  world = await World.open({
    connections: CONNECTIONS,
    quota: 10_000,
    windowSeconds: 3_600,
    log: pino({ level: 'info' }, { write }),
  })
  company = await world.make.company()
  await world.make.together(async make => {
    for (let i = 0; i < ASSETS; i++) {
      const asset = await make.asset({ company })
      if (i % 10 === 0) await make.counts(await make.sensor({ asset, grain: 'day' }), '2025-12-31', () => i)
    }
  })
}, 60_000)
beforeEach(async () => {
  entries.length = 0
  key = await world.make.key([company])
})
afterAll(() => world.stop())

interface Opened {
  outgoing: ClientRequest
  response: IncomingMessage
}

/** Opens a response without reading it. On a busy machine, a request waits for a slot in vain, and is repeated. */
async function open(path = PATH, headers = {}): Promise<Opened> {
  const opened = await new Promise<Opened>((resolve, reject) => {
    const outgoing = request(world.url + path, { headers: { 'X-API-Key': key, ...headers } })
    outgoing.on('error', reject)
    outgoing.on('response', response => resolve({ outgoing, response: response.pause() }))
    outgoing.end()
  })
  if (opened.response.statusCode !== 503) return opened
  await rest(opened.response)
  return open(path, headers)
}

/** Returns the bytes of a response, and whether it ended as it should. */
const rest = (response: IncomingMessage) =>
  new Promise<{ bytes: Buffer; complete: boolean }>(resolve => {
    const chunks: Buffer[] = []
    response.on('data', chunk => chunks.push(chunk))
    response.on('error', () => {})
    response.on('close', () => resolve({ bytes: Buffer.concat(chunks), complete: response.complete }))
    response.resume()
  })

const remaining = async (): Promise<number> => {
  const { headers } = await world.get('/v1/partner/meta', { key })
  return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1])
}

/** Waits until no stream reads: all wait for their clients. */
async function untilIdle(): Promise<void> {
  const inUse = () => {
    const { total, idle, waiting } = world.gateway.database.connections
    return total - idle + waiting
  }
  while (inUse() > 0) await sleep(5)
}

test('a slow client holds no connection to the database, delays nobody, and is charged for its rows', async () => {
  const before = await remaining()
  const slow = await Promise.all(Array.from({ length: CONNECTIONS + 1 }, () => open()))
  await untilIdle()
  expect((await world.get('/v1/partner/assets?limit=1', { key })).status).toBe(200)
  const bodies = await Promise.all(slow.map(({ response }) => rest(response)))
  for (const { bytes, complete } of bodies) {
    expect(complete).toBe(true)
    expect(bytes.equals(bodies[0]?.bytes as Buffer)).toBe(true)
  }
  expect(bodies[0]?.bytes.toString().split('\r\n')).toHaveLength(1 + ASSETS * DAYS + 1)
  // 255,710 rows are two requests; the list, and each one for the rest, count too.
  let others = 1
  const counted = async () => before - (await remaining()) - ++others
  while ((await counted()) < 2 * slow.length) await sleep(5)
  expect(await counted()).toBe(2 * slow.length)
}, 60_000)

test('an error in mid-stream closes the connection without the end of the response', async () => {
  const { response } = await open()
  await world.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE companies = $1', [[company.number]])
  const { bytes, complete } = await rest(response)
  expect(complete).toBe(false)
  expect(bytes.toString()).toMatch(/^asset_id,start,impressions,coverage\r\n/)
  while (entries.length === 0) await sleep(5)
  // A key that was revoked is no error of the service.
  expect(entries).toMatchObject([{ level: 40, msg: 'stream', complete: false, code: 'INVALID_API_KEY' }])
  await world.owner.query('UPDATE api_keys SET deactivated_at = NULL')
})

test('a key has a limited number of streams at once, which broken connections free', async () => {
  const [row] = await world.rows('SELECT id FROM api_keys WHERE hash = $1', [keyHash(key)])
  const presented = { id: String(row?.id), rate: null, expires_at: null }
  for (let i = 1; i < MAX_STREAMS; i++) world.gateway.rates.openStream(presented)
  const { outgoing, response } = await open()
  const refused = await world.get(PATH, { key })
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED'])
  expect(refused.headers['retry-after']).toBe('5')
  response.on('error', () => {})
  outgoing.destroy()
  let next = await open()
  while (next.response.statusCode === 429) {
    await rest(next.response)
    next = await open()
  }
  expect(next.response.statusCode).toBe(200)
  next.response.on('error', () => {})
  next.outgoing.destroy()
})

test('a streamed response is compressed as it is sent, without an entity tag, and HEAD gets its headers', async () => {
  const path = `/v1/partner/impressions?from_date=2025-01-01&to_date=2025-12-31&output=csv`
  const { response } = await open(path, { 'Accept-Encoding': 'gzip' })
  expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'X-API-Key, Accept, Accept-Encoding' })
  // Reverse proxies do not buffer it.
  expect(response.headers['x-accel-buffering']).toBe('no')
  expect(response.headers.etag).toBeUndefined()
  const { bytes } = await rest(response)
  expect(gunzipSync(bytes).toString().split('\r\n')).toHaveLength(1 + ASSETS * 365 + 1)
  const head = await world.get(PATH, { key, method: 'HEAD' })
  const contentType = 'text/csv; charset=utf-8; header=present'
  expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', contentType])
})
