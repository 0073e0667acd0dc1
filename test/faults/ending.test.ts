import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Pool } from 'pg'
import { openPool } from '../../db/postgres/pool'
import { Command, DataDir, run, runJson } from '../support/command'
import { Factory } from '../support/factories'
import { send } from '../support/http'
import { rounds } from '../support/rounds'
import { Server } from './server'

jest.setTimeout(180_000)

const META = '/v1/partner/meta'

let server: Server
let owner: Pool
let key: string

beforeAll(async () => {
  server = await Server.start()
  await run(['migrate'], server.env)
  owner = openPool(server.ownerUrl)
  const make = new Factory(owner, 'production')
  key = await make.key([await make.company()])
})
afterAll(async () => {
  await owner?.end()
  await server?.dispose()
})

describe('a service that gets SIGTERM', () => {
  let service: Command
  let url: string
  const settings = {
    STATEMENT_TIMEOUT_MS: '30000',
    CONNECT_TIMEOUT_MS: '30000',
    SHUTDOWN_TIMEOUT_MS: '30000',
  }
  beforeEach(async () => {
    service = new Command(['serve'], { ...server.env, RATE_LIMIT: '1000000', LOG_LEVEL: 'error', ...settings })
    url = await service.url()
  })

  /** Returns the status of a response, or the code of the error. `refused` means that there was no connection. */
  const fetchStatus = (agent?: Agent): Promise<number | string> =>
    new Promise(resolve => {
      const sent = request(url + META, { agent: agent ?? false, headers: { 'X-API-Key': key } })
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

  test('answers every request that it accepted', async () => {
    const blocker = new Client({ connectionString: server.ownerUrl })
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE companies')
    const statuses = Array.from({ length: 200 }, () => fetchStatus())
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    // All connections for reading.
    while ((await owner.query(waiting)).rowCount !== 10);
    // This request is accepted after all of the others.
    await send(`${url}/healthz`)
    const ended = service.end('SIGTERM')
    await blocker.query('ROLLBACK')
    await blocker.end()
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
    expect((await ended).code).toBe(0)
  })

  test('loses no request on open connections', async () => {
    let statuses: (number | string)[] = []
    const run = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (;;) {
        const status = await fetchStatus(agent)
        statuses.push(status)
        if (status === 'refused') break
      }
      agent.destroy()
    }
    const clients = Array.from({ length: 30 }, run)
    while (statuses.length < rounds(300, 3_000)) await sleep(5)
    statuses = []
    const { code } = await service.end('SIGTERM')
    await Promise.all(clients)
    expect(code).toBe(0)
    expect(new Set(statuses)).toEqual(new Set([200, 'refused']))
  })
})

test('a service that is killed at any moment starts again with everything that it had acknowledged', async () => {
  const dir = new DataDir()
  // The first start creates the database and loads the demo, and is killed meanwhile.
  const env = { DATA_DIR: dir.path, METRICS_ENV: 'dev', LOG_LEVEL: 'error' }
  try {
    for (let ms = 100; ms <= 4_000; ms += rounds(800, 400)) {
      const service = new Command(['serve'], env)
      await sleep(ms)
      await service.end('SIGKILL')
      const pid = dir.postmaster()
      // Every other time PostgreSQL is killed, too.
      if (pid && ms % 1_600 > 800) process.kill(pid, 'SIGKILL')
    }
    const service = new Command(['serve'], env)
    const url = await service.url()
    const { key } = (await runJson(['keys', 'issue', '--all-companies', '--scope', 'internal:graphql:read'], env))
      .document
    await service.end('SIGKILL')
    dir.killPostmaster()
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
