import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Pool } from 'pg'
import { openPool } from '../../db/postgres/pool'
import { Command, type Env, runJson } from '../support/command'
import { Factory } from '../support/factories'
import { send } from '../support/http'
import { rounds } from '../support/rounds'
import { Monitor } from './monitor'
import { Server } from './server'

jest.setTimeout(rounds(180_000, 900_000))

/** The longest time until all paths respond 200 again, with time for a busy machine. Usually it is well below 5 s. */
const MAX_RECOVERY_MS = 15_000

const META = '/v1/partner/meta'

let server: Server
let owner: Pool
let key: string
let otherKeys: string[]
let service: Command
let monitor: Monitor

beforeAll(async () => {
  server = await Server.start()
  await runJson(['migrate'], server.env)
  owner = openPool(server.ownerUrl)
  const make = new Factory(owner, 'production')
  const company = await make.company()
  for (let i = 0; i < 3; i++) await make.sensor({ asset: await make.asset({ company }) })
  const makeKey = () => make.key([company], { scopes: ['internal:graphql:read'] })
  key = await makeKey()
  otherKeys = await Promise.all([makeKey(), makeKey(), makeKey()])
})
afterAll(async () => {
  await owner?.end()
  await server?.dispose()
})

const begin = async (env: Env = {}): Promise<void> => {
  service = new Command(['serve'], { ...server.env, RATE_LIMIT: '1000000', LOG_LEVEL: 'error', ...env })
  monitor = await Monitor.start(await service.url(), key)
}

/** Checks that all responses were expected, that nothing was logged as an internal error, and that the service ends with 0. */
const end = async (): Promise<void> => {
  await monitor.stop()
  const { code, stderr } = await service.end('SIGTERM')
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('internal error')])
}

describe('the service responds 503 or 504, and recovers with the database, when PostgreSQL', () => {
  test('is killed', async () => {
    await begin()
    server.kill()
    await monitor.until('/readyz', 503)
    await monitor.until(META, 503)
    await server.restart()
    expect(await monitor.recovery()).toBeLessThan(MAX_RECOVERY_MS)
    await end()
  })

  test('is paused again and again, with short timeouts', async () => {
    await begin({ STATEMENT_TIMEOUT_MS: '500', CONNECT_TIMEOUT_MS: '1000' })
    for (let i = 0; i < rounds(3, 20); i++) {
      server.pause()
      await monitor.until('/readyz', 503)
      await sleep(rounds(500, 20_000) * (i % 4))
      server.resume()
      expect(await monitor.recovery()).toBeLessThan(MAX_RECOVERY_MS)
    }
    await end()
  })

  test('has no connection left', async () => {
    await begin()
    const { rows } = await owner.query("SELECT setting::int AS maximum FROM pg_settings WHERE name = 'max_connections'")
    const clients: Client[] = []
    const occupy = async () => {
      const client = new Client({ connectionString: server.ownerUrl })
      client.on('error', () => {})
      await client.connect()
      clients.push(client)
    }
    const terminator = await owner.connect()
    try {
      for (let i = 0; i < 2; i++) {
        await terminator.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'partner-metrics reader'",
        )
        for (let i = 0; i < rows[0].maximum; i++) await occupy().catch(() => {})
      }
      await monitor.until(META, 503)
    } finally {
      terminator.release()
      await Promise.all(clients.map(client => client.end()))
    }
    expect(await monitor.recovery()).toBeLessThan(MAX_RECOVERY_MS)
    await end()
  })
})

test('while statements wait for a lock, each is cancelled after its timeout, others get no connection, and no request stays behind', async () => {
  const blocker = new Client({ connectionString: server.ownerUrl })
  await blocker.connect()
  await begin({ POOL_SIZE: '4', CONNECT_TIMEOUT_MS: '1000', STATEMENT_TIMEOUT_MS: '3000' })
  // Several callers: a single one never gets all connections beside others.
  const others = await Promise.all(otherKeys.map(key => Monitor.start(monitor.url, key)))
  await Promise.all(others.map(other => other.until(META, 200)))
  // Neither the routes nor GraphQL can read.
  await blocker.query('BEGIN; LOCK TABLE companies, assets, sensors')
  const locked = performance.now()
  await monitor.until('/readyz', 503)
  const statuses = () => {
    const all = others.flatMap(({ observations }) => observations)
    const during = all.filter(({ path, at, ms }) => path === META && at - ms > locked)
    return new Set(during.map(({ status }) => status))
  }
  // Some requests get a connection and wait for the lock, others wait for a connection.
  while (statuses().size < 2) await sleep(20)
  expect(statuses()).toEqual(new Set([503, 504]))
  for (const other of [monitor, ...others]) await other.stop()
  const { rows } = await blocker.query(
    `SELECT pid, state, query FROM pg_stat_activity
     WHERE application_name = 'partner-metrics reader' AND state IN ('active', 'idle in transaction')`,
  )
  expect(rows).toEqual([])
  await blocker.query('ROLLBACK')
  await blocker.end()
  expect((await send(monitor.url + META, { key })).status).toBe(200)
  await end()
})

describe('a service that is stopped', () => {
  test('ends with 0 and responds to every request although PostgreSQL is paused', async () => {
    await begin({ STATEMENT_TIMEOUT_MS: '500', CONNECT_TIMEOUT_MS: '1000', SHUTDOWN_TIMEOUT_MS: '2000' })
    server.pause()
    try {
      await monitor.until('/readyz', 503)
      await monitor.stop()
      expect((await service.end('SIGTERM')).code).toBe(0)
    } finally {
      server.resume()
    }
  })

  /** Returns the status of a response, or the code of the error. `refused` means that there was no connection. */
  const fetchStatus = (url: string, agent: Agent): Promise<number | string> =>
    new Promise(resolve => {
      const sent = request(url + META, { agent, headers: { 'X-API-Key': key } })
      let isConnected = false
      sent.on('socket', socket => {
        if (socket.connecting) socket.once('connect', () => (isConnected = true))
        else isConnected = true
      })
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(isConnected ? (error.code as string) : 'refused'))
      sent.on('response', response => {
        response.on('error', error => resolve(error.message))
        response.on('end', () => resolve(response.statusCode as number)).resume()
      })
      sent.end()
    })

  test('loses no request on open connections', async () => {
    service = new Command(['serve'], { ...server.env, RATE_LIMIT: '1000000', SHUTDOWN_TIMEOUT_MS: '30000' })
    const url = await service.url()
    let statuses: (number | string)[] = []
    const clients = Array.from({ length: 30 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let status: number | string = 200; status !== 'refused'; statuses.push(status)) {
        status = await fetchStatus(url, agent)
      }
      agent.destroy()
    })
    while (statuses.length < rounds(300, 3_000)) await sleep(5)
    statuses = []
    const { code } = await service.end('SIGTERM')
    await Promise.all(clients)
    expect(code).toBe(0)
    expect(new Set(statuses)).toEqual(new Set([200, 'refused']))
  })
})
