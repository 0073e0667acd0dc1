/** Floods of a built service, from another address than its partner's: the greatest inputs, and more connections than it has room for. */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { openPool } from '../../db/postgres/pool'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { Factory } from '../support/factories'
import { send } from '../support/http'
import { rounds } from '../support/rounds'

jest.setTimeout(120_000)

const META = '/v1/partner/meta'

const FLOOD_MS = rounds(5_000, 60_000)

/** On Linux the whole of 127/8 is the loopback device. */
const ELSEWHERE = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'

let database: TestDatabase
let partnerKey: string
let otherKey: string
/** A path with a large response. */
let minutes: string
let service: Command
let url: string

beforeAll(async () => {
  database = await createDatabase()
  const owner = openPool(database.ownerUrl)
  const make = new Factory(owner, 'production')
  const company = await make.company()
  const asset = await make.asset({ company })
  await make.counts(await make.sensor({ asset }), '2026-01-01', interval => interval % 50)
  partnerKey = await make.key([company])
  otherKey = await make.key([company], { scopes: ['internal:graphql:read'] })
  minutes = `/v1/partner/assets/${asset.id}/impressions/timeseries?grain=minute&from_date=2026-01-01&to_date=2026-01-01`
  await owner.end()
  service = new Command(['serve'], { ...settingsOf(database), RATE_LIMIT: '1000000000', LOG_LEVEL: 'error' })
  url = await service.url()
})
afterAll(() => database?.drop())

interface RequestOptions {
  agent?: Agent
  body?: string | Buffer
  headers?: OutgoingHttpHeaders
}

/** Returns the status of a response; `closed` where the connection ends without one, `timeout` where none comes. */
function fetchStatus(path: string, { agent, body, headers }: RequestOptions = {}): Promise<number | string> {
  return new Promise(resolve => {
    const sent = request(new URL(path, url), {
      agent: agent ?? false,
      localAddress: ELSEWHERE,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'X-API-Key': otherKey, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    })
    sent.setTimeout(30_000, () => {
      resolve('timeout')
      sent.destroy()
    })
    sent.on('error', () => resolve('closed'))
    sent.on('response', response => {
      response.on('error', () => resolve('closed'))
      response.on('end', () => resolve(response.statusCode as number)).resume()
    })
    sent.end(body)
  })
}

/**
 * Repeats requests of several clients for a while. Meanwhile health checks succeed, and a partner gets its responses or a proper 503;
 * afterwards it gets them again and again.
 *
 * @returns how often each status was received
 */
async function flood(clients: number, fetch: (client: number) => Promise<number | string>) {
  const statuses: Record<string, number> = {}
  const end = performance.now() + FLOOD_MS
  let running = clients
  const loops = Array.from({ length: clients }, async (_, client) => {
    while (performance.now() < end) {
      const status = await fetch(client)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    running--
  })
  let served = 0
  while (running > 0) {
    expect((await send(`${url}/healthz`)).status).toBe(200)
    const { status, headers } = await send(url + META, { key: partnerKey })
    if (status === 200) served++
    else expect([status, headers['retry-after']]).toEqual([503, '1'])
    await sleep(25)
  }
  await Promise.all(loops)
  expect(served).toBeGreaterThan(0)
  for (let succeeded = 0; succeeded < 20; ) {
    const { status } = await send(url + META, { key: partnerKey })
    succeeded = status === 200 ? succeeded + 1 : 0
  }
  return statuses
}

const unexpected = (statuses: Record<string, number>, expected: string[]): string[] =>
  Object.keys(statuses).filter(status => !expected.includes(status))

const open = (text: string): Socket => {
  const { port, hostname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, localAddress: ELSEWHERE }, () => socket.write(text))
  return socket.on('error', () => {}).resume()
}

test('large responses on 900 connections, beside 100 whose requests come byte by byte, are sent or refused', async () => {
  const beginnings = [
    'GET /v1/partner/meta HTTP/1.1\r\nHost: x\r\nX-A: ',
    `POST /graphql HTTP/1.1\r\nHost: x\r\nX-API-Key: ${otherKey}\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{`,
  ]
  const slow = Array.from({ length: 100 }, (_, i) => open(beginnings[i % 2] as string))
  const feeding = setInterval(() => slow.map(socket => socket.write('a')), 50)
  const agent = new Agent({ keepAlive: true })
  const statuses = await flood(900, () => fetchStatus(minutes, { agent }))
  clearInterval(feeding)
  for (const socket of [...slow, agent]) socket.destroy()
  expect(unexpected(statuses, ['200', '503', 'closed'])).toEqual([])
  expect(statuses[200]).toBeGreaterThan(0)
})

const repeat = (number: number, part: (i: number) => string): string =>
  Array.from({ length: number }, (_, i) => part(i)).join(' ')

const QUERIES = [
  `{ ${repeat(20_000, () => '__typename')} }`,
  `{ ${repeat(900, i => `a${i}: meta { version }`)} }`,
  `{ ${repeat(90, i => `a${i}: assets(limit: 500) { nodes { id name sensors { id } } }`)} }`,
  `{ ...F0 } ${repeat(60, i => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F60 on Query { __typename }`,
  `{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`,
  `{ assets { nodes ${'{ sensors { asset '.repeat(300)}{ id }${' } }'.repeat(300)} } }`,
  `{ ${'['.repeat(1_900)}`,
  `{ assets(limit: ${'9'.repeat(10_000)}) { nodes { id } } }`,
  `query (${repeat(600, i => `$v${i}: String`)}) { __typename }`,
  `{ __schema { types { fields { type { ${'ofType { '.repeat(40)}name${' }'.repeat(40)} } } } } }`,
  `{ __schema { types { ${'fields { type { '.repeat(6)}name${' } }'.repeat(6)} } } }`,
]

const BODIES: RequestOptions[] = [
  { body: JSON.stringify({ query: 'query ($v: [ID!]) { __typename }', variables: { v: Array(60_000).fill('x') } }) },
  { body: '['.repeat(250_000) },
  { body: `{"query":"{__typename}","variables":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}` },
  { body: Buffer.alloc(20 * 1024 * 1024, ' ') },
  { body: gzipSync(Buffer.alloc(200 * 1024 * 1024)), headers: { 'Content-Encoding': 'gzip' } },
]

test('GraphQL queries and bodies that are expensive to parse, validate or execute are answered or refused', async () => {
  let number = 0
  // A comment makes each query a new one, which no cache contains.
  const unique = (query: string) => ({ body: JSON.stringify({ query: `#${number++}\n${query}` }) })
  const bodies = [...QUERIES.map(query => () => unique(query)), ...BODIES.map(body => () => body)]
  const statuses = await flood(bodies.length, client => fetchStatus('/graphql', bodies[client]?.()))
  // The connection of a body that is too large may close while it is sent.
  expect(unexpected(statuses, ['200', '400', '413', '503', 'closed'])).toEqual([])
  expect(statuses[400]).toBeGreaterThan(0)
})

test('connections on which no complete head arrives are closed', async () => {
  const sockets = Array.from({ length: 50 }, (_, i) => open(i % 2 ? '' : 'GET / HTTP/1.1\r\nX-A: '))
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('close', resolve))))
})

test('after all that the service stops without an error, and has logged no internal one', async () => {
  const { code, stderr } = await service.end('SIGTERM')
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('internal error')])
})
