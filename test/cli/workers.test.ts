import { Agent, get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../db/postgres/pool'
import { Command, isAlive } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { type Env, runJson } from '../support/in-process'
import { send } from '../support/service'

jest.setTimeout(60_000)

/** Sends a request, on a new connection unless there is an agent. Resolves with the status, or with the error. */
const fetchStatus = (url: string, key: string, agent: Agent | false = false): Promise<number | string | undefined> =>
  new Promise(resolve => {
    get(url, { agent, headers: { 'X-API-Key': key } }, response => {
      response
        .on('error', error => resolve(error.message))
        .on('end', () => resolve(response.statusCode))
        .resume()
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })

// biome-ignore lint/suspicious/noExplicitAny: log lines have various fields
const readLog = (service: Command): any[] =>
  service.stderr
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

/** Returns the processes that have answered requests. */
const findPids = (service: Command): number[] => [
  ...new Set(readLog(service).flatMap(({ msg, pid }) => (msg === 'request' ? [pid] : []))),
]

describe('several workers', () => {
  let database: TestDatabase
  let env: Env
  let key: string
  beforeAll(async () => {
    database = await createDatabase()
    env = { ...settingsOf(database), WORKERS: '2' }
    key = (await runJson(['keys', 'issue', '--no-company'], env)).document.key
  })
  afterAll(() => database.drop())

  /** Starts a service, and waits until each worker has answered a request. */
  const serve = async (settings: Env = {}) => {
    const service = new Command(['serve'], { ...env, ...settings })
    const url = await service.url()
    while (findPids(service).length < 2) await fetchStatus(`${url}/healthz`, '')
    return { service, url, started: readLog(service)[0] }
  }

  describe('of a service that is stopped', () => {
    let service: Command
    let url: string
    let started: { pid: number }
    beforeAll(async () => {
      ;({ service, url, started } = await serve({ RATE_LIMIT: '25', RATE_WINDOW_SECONDS: '3600' }))
    })

    test('share the rate limit of a key exactly', async () => {
      const statuses = await Promise.all(Array.from({ length: 60 }, () => fetchStatus(`${url}/v1/partner/meta`, key)))
      expect(findPids(service)).toHaveLength(2)
      expect(statuses.filter(status => status === 200)).toHaveLength(25)
      expect(statuses.filter(status => status === 429)).toHaveLength(35)
    })

    test('lose none of the legacy calls that they counted', async () => {
      const other = (await runJson(['keys', 'issue', '--no-company'], env)).document.key
      const calls = Array.from({ length: 20 }, () => fetchStatus(`${url}/v1/metrics/assets`, other))
      expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
      await service.end('SIGTERM')
      const owner = openPool(database.ownerUrl)
      const { rows } = await owner.query('SELECT sum(calls) AS calls FROM legacy_calls')
      await owner.end()
      expect(rows).toEqual([{ calls: 20 }])
    })

    test('listened on one port, which was printed once', async () => {
      expect(started).toMatchObject({ msg: 'started', url, workers: 2 })
      expect(findPids(service)).not.toContain(started.pid)
      const { code, stdout } = await service.end('SIGTERM')
      expect([code, stdout]).toEqual([0, `listening on ${url}\n`])
      const messages = readLog(service).map(({ msg }) => msg)
      const requests = messages.filter(msg => msg === 'request')
      expect(messages).toEqual(['started', ...requests, 'stopping', 'stopped'])
    })
  })

  test.each(['the primary', 'all processes'])(
    'answer every request on open connections when %s gets SIGTERM',
    async target => {
      const { service, url, started } = await serve({ RATE_LIMIT: '1000000' })
      const pids = target === 'the primary' ? [started.pid] : [...findPids(service), started.pid]
      const statuses: (number | string | undefined)[] = []
      const clients = Array.from({ length: 16 }, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        let status: number | string | undefined = 200
        while (status === 200) {
          status = await fetchStatus(`${url}/v1/partner/meta`, key, agent)
          statuses.push(status)
        }
        agent.destroy()
        return status
      })
      while (statuses.length < 500) await sleep(1)
      for (const pid of pids) process.kill(pid, 'SIGTERM')
      expect(new Set(await Promise.all(clients))).toEqual(new Set(['ECONNREFUSED']))
      expect(new Set(statuses)).toEqual(new Set([200, 'ECONNREFUSED']))
      expect((await service.ended).code).toBe(0)
      expect(findPids(service).some(isAlive)).toBe(false)
    },
  )

  test('answer on the other workers the connections that a killed one had not accepted', async () => {
    const { service, url } = await serve()
    const [pid] = findPids(service) as [number]
    // It gets one more connection, which it does not accept.
    process.kill(pid, 'SIGSTOP')
    let completed = 0
    const statuses = Array.from({ length: 6 }, () =>
      fetchStatus(`${url}/healthz`, '').finally(() => {
        completed++
      }),
    )
    while (completed < 5) await sleep(5)
    process.kill(pid, 'SIGKILL')
    expect(await Promise.all(statuses)).toEqual(Array(6).fill(200))
    expect((await service.end('SIGTERM')).code).toBe(0)
  })

  test('report once that their port is in use, and exit', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const { code, stdout, stderr } = await new Command(['serve'], { ...env, PORT: `${port}` }).ended
    other.close()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.split('\n').filter(line => !line.startsWith('{'))).toEqual([
      `error: cannot listen on 127.0.0.1:${port} (PORT): it is in use`,
      '',
    ])
  })

  describe('of a running service', () => {
    let service: Command
    let url: string
    let started: { metrics: string }
    beforeAll(async () => {
      ;({ service, url, started } = await serve())
    })

    test('have metrics each', async () => {
      for (let i = 0; i < 10; i++) await fetchStatus(`${url}/v1/partner/meta`, key)
      const { text } = await send(started.metrics)
      const counts = [
        ...text.matchAll(/^http_requests_total\{operation="ReadMeta",status="200",code="",worker="(\d)"\} (\d+)$/gm),
      ]
      expect(counts.map(([, worker]) => worker)).toEqual(['1', '2'])
      expect(counts.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(10)
      expect(text).toMatch(/^service_workers\{worker="primary"\} 2$/m)
      expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds\{worker="2"\} /m)
    })

    test('are replaced on the same port when they are killed, while the others answer', async () => {
      const victims = findPids(service)
      for (const [i, victim] of victims.entries()) {
        process.kill(victim, 'SIGKILL')
        const death = expect.objectContaining({
          msg: 'a worker died; starting another',
          worker_pid: victim,
          ended: 'SIGKILL',
        })
        while (isAlive(victim)) await sleep(1)
        const statuses = []
        while (findPids(service).length < 3 + i) statuses.push(await fetchStatus(`${url}/v1/partner/meta`, key))
        expect(new Set(statuses)).toEqual(new Set([200]))
        expect(readLog(service)).toContainEqual(death)
      }
      expect((await send(started.metrics)).text).toMatch(/^service_worker_restarts_total\{worker="primary"\} 2$/m)
    })

    test('refuse nothing when all are killed at once: requests wait for their successors', async () => {
      const victims = findPids(service).slice(-2)
      for (const victim of victims) process.kill(victim, 'SIGKILL')
      while (victims.some(isAlive)) await sleep(1)
      const statuses = Array.from({ length: 50 }, () => fetchStatus(`${url}/v1/partner/meta`, key))
      expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
    })

    test('exit with the primary when it is killed', async () => {
      const workers = findPids(service)
      await service.end('SIGKILL')
      while (workers.some(isAlive)) await sleep(1)
    })
  })
})
