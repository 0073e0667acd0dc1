/** What a crowd of callers, some of them hostile, does to the others: on one process as it runs in production. */
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { openPool } from '../../db/pools'
import { Command } from '../command'
import { createDatabase, settingsOf, type TestDatabase } from '../databases'
import { Factory } from '../factories'
import { mostMemory } from './memory'
import { childrenOf } from './server'

const META = '/v1/partner/meta'

/** What no crowd may drive the memory beyond, in MiB. */
const MEMORY = 700

let database: TestDatabase
let key: string
let crowdKey: string
let week: string
let service: Command
let url: URL

beforeAll(async () => {
  database = await createDatabase()
  const owner = openPool(database.ownerUrl)
  const make = new Factory(owner, 'production')
  const company = await make.company()
  const asset = await make.asset({ company })
  const sensor = await make.sensor({ asset })
  for (let day = 1; day <= 7; day++) await make.counts(sensor, `2026-01-0${day}`, interval => interval % 50)
  key = await make.key([company])
  crowdKey = await make.key([company], { scopes: ['internal:graphql:read'] })
  week = `/v1/partner/assets/${asset.id}/impressions/timeseries?grain=minute&from_date=2026-01-01&to_date=2026-01-07`
  await owner.end()
})
afterAll(() => database?.drop())

/** One process a core, as in production. */
beforeEach(async () => {
  const env = { ...settingsOf(database), WORKERS: '2', RATE_LIMIT: '1000000000', LOG_LEVEL: 'error' }
  service = new Command(['serve'], env)
  url = new URL(await service.url())
})

/** The most that any of its processes ever had, in MiB. */
const memory = (): number => Math.max(...[service.pid, ...childrenOf(service.pid)].map(mostMemory))

/** All is as it was before within 5 s, in bounded memory, and the service ends in good order. */
const end = async (): Promise<void> => {
  const began = performance.now()
  let well = 0
  while (well < 20) well = (await ask(META, { caller: key })) === 200 ? well + 1 : 0
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(memory()).toBeLessThan(MEMORY)
  const { code, stderr } = await service.end('SIGTERM')
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('a fault of ours')])
}

interface Asked {
  /** The key; that of the crowd when none is told. */
  caller?: string
  agent?: Agent
  body?: string | Buffer
  headers?: Record<string, string>
}

/** The status of an answer; 0 where its connection was turned away. */
const ask = (path: string, { caller = crowdKey, agent, body, headers }: Asked = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const all = { 'X-API-Key': caller, ...(body && { 'Content-Type': 'application/json' }), ...headers }
    const asking = request(new URL(path, url), { agent: agent ?? false, headers: all, method: body ? 'POST' : 'GET' })
    asking.setTimeout(30_000, () => asking.destroy(new Error('left hanging')))
    asking.on('error', (error: NodeJS.ErrnoException) =>
      /ECONNRESET|EPIPE/.test(String(error.code)) ? resolve(0) : reject(error),
    )
    asking.on('response', response => {
      response.on('error', () => resolve(0))
      response.on('end', () => resolve(response.statusCode as number)).resume()
    })
    asking.end(body)
  })

/** What a few callers of the usual kind are told meanwhile, and the time that the slowest hundredth takes, in ms. */
async function usualCallers(until: Promise<unknown>): Promise<{ statuses: Record<number, number>; p99: number }> {
  let over = false
  until.finally(() => {
    over = true
  })
  const times: number[] = []
  const statuses: Record<number, number> = {}
  const caller = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!over) {
      const began = performance.now()
      const status = await ask(META, { caller: key, agent })
      times.push(performance.now() - began)
      statuses[status] = (statuses[status] ?? 0) + 1
      await sleep(5)
    }
    agent.destroy()
  }
  await Promise.all([until, ...Array.from({ length: 5 }, caller)])
  times.sort((a, b) => a - b)
  return { statuses, p99: times[Math.floor(times.length * 0.99)] as number }
}

/** What the usual callers are told meanwhile; how long they wait is told beside how long they do in the calm. */
async function besides(what: string, until: () => Promise<unknown>): Promise<Record<number, number>> {
  await usualCallers(sleep(500))
  const calm = await usualCallers(sleep(2_000))
  const { statuses, p99 } = await usualCallers(until())
  process.stderr.write(
    `${what}: p99 ${p99.toFixed(1)} ms beside ${calm.p99.toFixed(1)} ms in the calm, ${JSON.stringify(statuses)}, ${Math.round(memory())} MiB\n`,
  )
  return statuses
}

const open = (text: string): Socket => {
  const socket = connect(Number(url.port), url.hostname, () => socket.write(text))
  socket.on('error', () => {})
  socket.resume()
  return socket
}

const ALLOWED = [200, 400, 401, 404, 408, 413, 414, 431, 503]

test('500 connections that send their requests drop by drop are no hindrance', async () => {
  const heads = [
    'GET /v1/partner/meta HTTP/1.1\r\nX-A: ',
    '',
    `POST /graphql HTTP/1.1\r\nX-API-Key: ${crowdKey}\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{`,
  ]
  const statuses = await besides('slow-loris', async () => {
    const sockets = Array.from({ length: 500 }, (_, i) => open(heads[i % heads.length] as string))
    const dripping = setInterval(() => {
      for (const socket of sockets) socket.write('a')
    })
    await sleep(6_000)
    clearInterval(dripping)
    for (const socket of sockets) socket.destroy()
  })
  expect(Object.keys(statuses)).toEqual(['200'])
  await end()
})

test('connections whose head never comes to an end are closed', async () => {
  const sockets = Array.from({ length: 50 }, (_, i) => open(i % 2 ? '' : 'GET / HTTP/1.1\r\nX-A: '))
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('close', resolve))))
  await end()
})

test('four times as many requests at once as the service takes are answered or shed', async () => {
  const told: Record<number, number> = {}
  await besides('four times the capacity', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 900 })
    const end = performance.now() + 6_000
    const asker = async () => {
      while (performance.now() < end) {
        const status = await ask(week, { agent })
        told[status] = (told[status] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: 900 }, asker))
    agent.destroy()
  })
  process.stderr.write(`the crowd itself: ${JSON.stringify(told)}\n`)
  expect(Object.keys(told).filter(status => !['0', '200', '503'].includes(status))).toEqual([])
  expect(told[200]).toBeGreaterThan(0)
  await end()
})

test('huge heads, and requests by the thousand on one connection, are answered or refused', async () => {
  let text = ''
  const listen = (socket: Socket) =>
    new Promise<void>(resolve => {
      let own = ''
      socket.on('data', chunk => (own += chunk.toString('latin1')))
      socket.on('close', () => {
        text += own
        resolve()
      })
    })
  await besides('huge heads and pipelines', async () => {
    const requests = `GET ${META} HTTP/1.1\r\nX-API-Key: ${crowdKey}\r\n\r\n`.repeat(2_000)
    const last = 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'
    await Promise.all([
      ...Array.from({ length: 100 }, () => listen(open(`GET / HTTP/1.1\r\nX-A: ${'a'.repeat(200_000)}\r\n\r\n`))),
      ...Array.from({ length: 100 }, () => listen(open(`GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`))),
      ...Array.from({ length: 10 }, () => listen(open(requests + last))),
    ])
  })
  const statuses = new Set([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)))
  expect([...statuses].filter(status => !ALLOWED.includes(status))).toEqual([])
  expect(statuses).toContain(200)
  await end()
})

test('queries that are made to burst are refused or answered, each in time', async () => {
  const repeat = (count: number, part: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => part(i)).join(' ')
  const queries = [
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
  ].map(query => JSON.stringify({ query }))
  const bodies = [
    ...queries.map(body => ({ body, headers: {} })),
    {
      body: JSON.stringify({ query: 'query ($v: [ID!]) { __typename }', variables: { v: Array(60_000).fill('x') } }),
      headers: {},
    },
    { body: '['.repeat(250_000), headers: {} },
    { body: `{"query":"{__typename}","variables":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`, headers: {} },
    { body: Buffer.alloc(20 * 1024 * 1024, ' '), headers: {} },
    { body: gzipSync(Buffer.alloc(200 * 1024 * 1024)), headers: { 'Content-Encoding': 'gzip' } },
  ]
  const told: Record<string, number> = {}
  await besides('bursting queries', async () => {
    for (let i = 0; i < 5; i++) {
      const statuses = await Promise.all(bodies.map(asked => ask('/graphql', asked)))
      for (const status of statuses) told[status] = (told[status] ?? 0) + 1
    }
  })
  process.stderr.write(`the queries themselves: ${JSON.stringify(told)}\n`)
  // A connection may be cut while it still sends what nobody wants.
  expect(Object.keys(told).filter(status => ![0, ...ALLOWED].includes(Number(status)))).toEqual([])
  await end()
})
