import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Pool } from 'pg'
import { openPool } from '../../db/postgres/pool'
import { Command, DataDir, run, runJson } from '../support/command'
import { Factory } from '../support/factories'
import { send } from '../support/service'
import { Server } from './server'

jest.setTimeout(180_000)

const META = '/v1/partner/meta'

describe('a service that is told to end', () => {
  let server: Server
  let owner: Pool
  let key: string
  let service: Command
  let url: string
  const patience = {
    STATEMENT_TIMEOUT_MS: '30000',
    CONNECT_TIMEOUT_MS: '30000',
    SHUTDOWN_TIMEOUT_MS: '30000',
    MAX_IN_FLIGHT: '500',
  }
  beforeAll(async () => {
    server = await Server.start()
    await runJson(['migrate'], server.env)
    owner = openPool(server.ownerUrl)
    const make = new Factory(owner, 'production')
    key = await make.key([await make.company()])
  })
  afterAll(async () => {
    await owner?.end()
    await server?.dispose()
  })
  beforeEach(async () => {
    service = new Command(['serve'], { ...server.env, RATE_LIMIT: '1000000', LOG_LEVEL: 'error', ...patience })
    url = await service.url()
  })

  /** A status, or the fault that there was instead: `refused` where no connection was had. */
  const ask = (agent?: Agent): Promise<number | string> =>
    new Promise(resolve => {
      const asking = request(url + META, { agent: agent ?? false, headers: { 'X-API-Key': key } })
      let connected = false
      asking.on('socket', socket => {
        if (socket.connecting) socket.once('connect', () => (connected = true))
        else connected = true
      })
      asking.on('error', (error: NodeJS.ErrnoException) => resolve(connected ? (error.code as string) : 'refused'))
      asking.on('response', response => {
        response.on('error', error => resolve(error.message))
        response.on('end', () => resolve(response.statusCode as number)).resume()
      })
      asking.end()
    })

  test('answers all that it had begun, however many', async () => {
    const blocker = new Client({ connectionString: server.ownerUrl })
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE companies')
    const asked = Array.from({ length: 200 }, () => ask())
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    while ((await owner.query(waiting)).rowCount !== 10);
    // Whoever comes behind them all is answered: they all have come.
    await send(`${url}/healthz`)
    const ended = service.end('SIGTERM')
    await blocker.query('ROLLBACK')
    await blocker.end()
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
    expect((await ended).code).toBe(0)
  })

  test('loses no request of callers who ask all the time on connections that they keep', async () => {
    let told: (number | string)[] = []
    const asker = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (;;) {
        const outcome = await ask(agent)
        told.push(outcome)
        if (outcome === 'refused') break
      }
      agent.destroy()
    }
    const askers = Array.from({ length: 30 }, asker)
    while (told.length < 3_000) await sleep(5)
    told = []
    const { code } = await service.end('SIGTERM')
    await Promise.all(askers)
    expect(code).toBe(0)
    expect(new Set(told)).toEqual(new Set([200, 'refused']))
  })
})

test('a service that is killed at any moment starts again, with all that it had answered for', async () => {
  const dir = new DataDir()
  // The first start makes the database and loads the demo; it takes longest, and is the first to be killed.
  const env = { DATA_DIR: dir.path, METRICS_ENV: 'dev', LOG_LEVEL: 'error' }
  try {
    for (const ms of [100, 400, 800, 1_200, 1_600, 2_400, 3_200, 4_000]) {
      const service = new Command(['serve'], env)
      await sleep(ms)
      await service.end('SIGKILL')
      const pid = dir.postmaster()
      // Every other time the database goes with it.
      if (pid && ms % 800 === 0) process.kill(pid, 'SIGKILL')
    }
    const service = new Command(['serve'], env)
    const url = await service.url()
    const { key } = (await runJson(['keys', 'issue', '--all-companies', '--scope', 'internal:graphql:read'], env))
      .document
    await service.end('SIGKILL')
    process.kill(dir.postmaster() as number, 'SIGKILL')
    const again = new Command(['serve'], env)
    const { status, body } = await send((await again.url()) + META, { key })
    expect([status, body.companies.length]).toEqual([200, 3])
    expect(url).toMatch(/^http/)
    expect((await again.end('SIGTERM')).code).toBe(0)
    expect(dir.postmaster()).toBeUndefined()
    expect((await run(['demo'], env)).code).toBe(0)
  } finally {
    await dir.dispose()
  }
})
