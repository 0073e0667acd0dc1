/** A server in front of PostgreSQL counts the attempts to log in, and refuses them as long as the test says so. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyHash, makeKey } from '../../../db/api-keys/key-format'
import { ReaderPool } from '../../../db/postgres/reader-pool'
import { createDatabase, type TestDatabase } from '../../support/databases'

jest.setTimeout(60_000)

const LIMITS = { connections: 10, statementTimeoutMs: 5_000, connectTimeoutMs: 10_000 }

const HASH = keyHash(makeKey('dev'))

/** The time between two attempts. A timer of the test may be a bit early. */
const PAUSE_MS = 99

/** PostgreSQL's response to a login that finds no connection left. */
const TOO_MANY_CLIENTS = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0')
  const header = Buffer.from('E....')
  header.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([header, fields])
})()

let database: TestDatabase
/** The host behind the server. */
let upstreamUrl: string
let refused = 0
let isFull: boolean
const sockets = new Set<Socket>()

const server = createServer(client => {
  client.on('error', () => {})
  if (isFull) {
    refused++
    client.once('data', () => client.end(TOO_MANY_CLIENTS))
    return
  }
  const { hostname, port } = new URL(upstreamUrl)
  const upstream = connect(Number(port), hostname).on('error', () => {})
  sockets.add(client).add(upstream)
  client.pipe(upstream).pipe(client)
})

beforeAll(async () => {
  database = await createDatabase()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => {
  refused = 0
  isFull = true
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise(resolve => server.close(resolve))
  await database.drop()
})

/** Returns the URL of a host through the server. */
function throughServer(url: string): string {
  upstreamUrl = url
  return Object.assign(new URL(url), { port: String((server.address() as AddressInfo).port) }).href
}

/** Reads as a request does. Resolves with the code of the error, or none. */
const read = async (pool: ReaderPool): Promise<string | undefined> => {
  const reader = pool.readerFor(HASH)
  const rows = reader.read({ name: 'one', text: 'SELECT 1 AS one' })
  await reader.authenticate().catch(() => {})
  return rows.then(
    () => undefined,
    error => error.code,
  )
}

/** Reads several times at once. Resolves with the distinct results. */
const readAtOnce = async (pool: ReaderPool, times: number) => [
  ...new Set(await Promise.all(Array.from({ length: times }, () => read(pool)))),
]

test('requests that PostgreSQL has no connection for fail at once, and cost it a login every 100 ms, not one each', async () => {
  const pool = new ReaderPool(throughServer(database.readerUrl), LIMITS)
  try {
    const start = performance.now()
    for (let i = 0; i < 30; i++) {
      expect(await readAtOnce(pool, 10)).toEqual(['UNAVAILABLE'])
      await sleep(10)
    }
    expect(refused).toBeGreaterThan(LIMITS.connections)
    expect(refused).toBeLessThanOrEqual(LIMITS.connections + (performance.now() - start) / PAUSE_MS + 1)
  } finally {
    await pool.close()
  }
})

test('once PostgreSQL has a connection left, requests are served again without another failure in between', async () => {
  const pool = new ReaderPool(throughServer(database.readerUrl), LIMITS)
  try {
    expect(await read(pool)).toBe('UNAVAILABLE')
    isFull = false
    while (await read(pool)) await sleep(10)
    expect(await readAtOnce(pool, LIMITS.connections)).toEqual([undefined])
    expect(refused).toBe(1)
  } finally {
    await pool.close()
  }
})
