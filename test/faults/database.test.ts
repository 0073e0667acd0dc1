import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Pool } from 'pg'
import { openPool } from '../../db/postgres/pool'
import { Command, DataDir, type Env, runJson } from '../support/command'
import { Factory } from '../support/factories'
import { send } from '../support/service'
import { Server } from './server'
import { Watcher } from './watcher'

jest.setTimeout(180_000)

/** Within so many milliseconds of the database's return everything is as before. */
const RECOVERY_MS = 5_000

const META = '/v1/partner/meta'

let server: Server
let owner: Pool
let key: string
/** Of others. */
let others: string[]
let service: Command
let watcher: Watcher

beforeAll(async () => {
  server = await Server.start()
  await runJson(['migrate'], server.env)
  owner = openPool(server.ownerUrl)
  const make = new Factory(owner, 'production')
  const company = await make.company()
  for (let i = 0; i < 3; i++) await make.sensor({ asset: await make.asset({ company }) })
  const makeKey = () => make.key([company], { scopes: ['internal:graphql:read'] })
  key = await makeKey()
  others = await Promise.all([makeKey(), makeKey(), makeKey()])
})
afterAll(async () => {
  await owner?.end()
  await server?.dispose()
})

const begin = async (env: Env = {}): Promise<void> => {
  service = new Command(['serve'], { ...server.env, RATE_LIMIT: '1000000', LOG_LEVEL: 'error', ...env })
  watcher = await Watcher.of(await service.url(), key)
}

/** Everything was told as it has to be, by one process, which ends in good order. */
const end = async (): Promise<void> => {
  await watcher.stop()
  const { code, stderr } = await service.end('SIGTERM')
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('internal error')])
}

describe('the service answers, and is well again within 5 s of the database’s return, when PostgreSQL', () => {
  test('is killed', async () => {
    await begin()
    server.kill()
    await watcher.until('/readyz', 503)
    await watcher.until(META, 503)
    await sleep(1_000)
    await server.bringBack()
    expect(await watcher.recovered()).toBeLessThan(RECOVERY_MS)
    await end()
  })

  test('is killed in the embedded form, which the service brings back by itself', async () => {
    const dir = new DataDir()
    try {
      const env = { DATA_DIR: dir.path }
      const { key } = (await runJson(['keys', 'issue', '--no-company', '--scope', 'internal:graphql:read'], env))
        .document
      service = new Command(['serve'], { ...env, RATE_LIMIT: '1000000', LOG_LEVEL: 'error' })
      watcher = await Watcher.of(await service.url(), key)
      for (let i = 0; i < 3; i++) {
        const pid = dir.postmaster() as number
        process.kill(pid, 'SIGKILL')
        await watcher.until(META, 503)
        await dir.until(() => ![undefined, pid].includes(dir.postmaster()))
        expect(await watcher.recovered()).toBeLessThan(RECOVERY_MS)
      }
      await end()
      expect(dir.postmaster()).toBeUndefined()
    } finally {
      await dir.dispose()
    }
  })

  test('is halted for half a minute', async () => {
    await begin()
    server.halt()
    await watcher.until('/readyz', 503)
    await sleep(30_000)
    server.goOn()
    expect(await watcher.recovered()).toBeLessThan(RECOVERY_MS)
    await end()
  })

  test('is halted again and again, with little patience', async () => {
    await begin({ STATEMENT_TIMEOUT_MS: '500', CONNECT_TIMEOUT_MS: '1000' })
    for (let i = 0; i < 4; i++) {
      server.halt()
      await watcher.until('/readyz', 503)
      await sleep(500 * i)
      server.goOn()
      expect(await watcher.recovered()).toBeLessThan(RECOVERY_MS)
    }
    await end()
  })

  test('ends connections that are idle, at work and in a transaction, again and again', async () => {
    await begin()
    for (const state of ['idle', 'active', 'idle in transaction', '%']) {
      let ended = 0
      while (ended < 20) {
        const { rowCount } = await owner.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'partner-metrics reader' AND state LIKE $1`,
          [state],
        )
        ended += rowCount ?? 0
      }
      expect(await watcher.recovered()).toBeLessThan(RECOVERY_MS)
    }
    await end()
  })

  test('has no connection left', async () => {
    await begin()
    const { rows } = await owner.query("SELECT setting::int AS most FROM pg_settings WHERE name = 'max_connections'")
    const takers: Client[] = []
    const take = async () => {
      const taker = new Client({ connectionString: server.ownerUrl })
      taker.on('error', () => {})
      await taker.connect()
      takers.push(taker)
    }
    const client = await owner.connect()
    try {
      for (let i = 0; i < 2; i++) {
        await client.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'partner-metrics reader'",
        )
        for (let i = 0; i < rows[0].most; i++) await take().catch(() => {})
      }
      await watcher.until(META, 503)
    } finally {
      client.release()
      await Promise.all(takers.map(taker => taker.end()))
    }
    expect(await watcher.recovered()).toBeLessThan(RECOVERY_MS)
    await end()
  })
})

describe('when statements wait', () => {
  let blocker: Client
  beforeEach(async () => {
    blocker = new Client({ connectionString: server.ownerUrl })
    await blocker.connect()
  })
  afterEach(() => blocker.end())

  test('each is cancelled on the server and answered 504 in time', async () => {
    await begin({ STATEMENT_TIMEOUT_MS: '500' })
    await blocker.query('BEGIN; LOCK TABLE companies')
    await watcher.until(META, 504)
    await watcher.stop()
    const longest = Math.max(...watcher.told.map(({ ms }) => ms))
    expect(longest).toBeLessThan(5_000)
    const { rows } = await blocker.query(
      `SELECT pid, state, query FROM pg_stat_activity
       WHERE application_name = 'partner-metrics reader' AND state IN ('active', 'idle in transaction')`,
    )
    expect(rows).toEqual([])
    await blocker.query('ROLLBACK')
    expect((await send(watcher.url + META, { key })).status).toBe(200)
    await end()
  })

  test('and all connections with them, others are told 503, and all is well when the wait is over', async () => {
    await begin({ POOL_SIZE: '4', CONNECT_TIMEOUT_MS: '1000', STATEMENT_TIMEOUT_MS: '3000' })
    // One alone does not take all connections: who asks for what takes long has one at a time beside others.
    const crowd = await Promise.all(others.map(key => Watcher.of(watcher.url, key)))
    await Promise.all(crowd.map(one => one.until(META, 200)))
    // Neither what the routes ask for nor what queries do comes back.
    await blocker.query('BEGIN; LOCK TABLE companies, assets, sensors')
    const locked = performance.now()
    await watcher.until('/readyz', 503)
    for (const status of [503, 504]) await crowd[0]?.until(META, status)
    const during = crowd.flatMap(({ told }) => told.filter(({ path, at, ms }) => path === META && at - ms > locked))
    expect(new Set(during.map(({ status }) => status))).toEqual(new Set([503, 504]))
    await blocker.query('ROLLBACK')
    expect(await watcher.recovered()).toBeLessThan(RECOVERY_MS)
    for (const one of crowd) await one.stop()
    await end()
  })
})

describe('a service that is told to end', () => {
  test('does so in good order although PostgreSQL is halted, and nobody is left hanging', async () => {
    await begin({ STATEMENT_TIMEOUT_MS: '500', CONNECT_TIMEOUT_MS: '1000', SHUTDOWN_TIMEOUT_MS: '2000' })
    server.halt()
    try {
      await watcher.until('/readyz', 503)
      await watcher.stop()
      const began = performance.now()
      expect((await service.end('SIGTERM')).code).toBe(0)
      expect(performance.now() - began).toBeLessThan(10_000)
    } finally {
      server.goOn()
    }
  })
})
