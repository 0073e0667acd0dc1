import { Agent, get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../db/postgres/pool'
import { Command, isAlive } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { type Env, runJson } from '../support/in-process'
import { send } from '../support/service'
import { startWhileLocked } from '../support/start-while-locked'

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

/** Returns the workers that have answered requests, and have not ended. */
const findWorkers = (service: Command): number[] => findPids(service).filter(isAlive)

/** Returns the workers that have answered requests. */
const findPids = (service: Command): number[] => [
  ...new Set([...service.stderr.matchAll(/"pid":(\d+),.*"msg":"request"/g)].map(([, pid]) => Number(pid))),
]

describe('several workers', () => {
  let database: TestDatabase
  let env: Env
  beforeAll(async () => {
    database = await createDatabase()
    env = { ...settingsOf(database), WORKERS: '2' }
  })
  afterAll(() => database.drop())

  /** Issues a key. Without a rate of its own, it has the one of the settings. */
  const issueKey = async (...options: string[]): Promise<string> =>
    (await runJson(['keys', 'issue', '--no-company', ...options], env)).document.key

  /** Issues a key for requests in a loop: no number of requests uses up its rate. */
  const issueUnlimitedKey = () => issueKey('--rate', '1000000/s')

  /** Waits until each worker has answered a request. @returns the URL, and the line of the log on the start */
  const untilAnswered = async (service: Command) => {
    const url = await service.url()
    while (findWorkers(service).length < 2) await fetchStatus(`${url}/healthz`, '')
    return { url, started: readLog(service).find(({ msg }) => msg === 'started') }
  }

  describe('of a service that is stopped', () => {
    let service: Command
    let response: Promise<string>
    let url: string
    let started: { pid: number }
    beforeAll(async () => {
      ;({ service, response } = await startWhileLocked({ ...env, RATE_LIMIT: '25', RATE_WINDOW_SECONDS: '3600' }))
      ;({ url, started } = await untilAnswered(service))
    })

    test('answer requests that came while they were starting', async () => {
      expect(await response).toMatch(/^HTTP\/1.1 200 /)
    })

    test('share the rate limit of a key exactly', async () => {
      const key = await issueKey()
      const statuses = await Promise.all(Array.from({ length: 60 }, () => fetchStatus(`${url}/v1/partner/meta`, key)))
      expect(findPids(service)).toHaveLength(2)
      expect(statuses.filter(status => status === 200)).toHaveLength(25)
      expect(statuses.filter(status => status === 429)).toHaveLength(35)
    })

    test('answer every request on open connections when all processes get SIGTERM, and lose no legacy call', async () => {
      const legacyKey = await issueKey()
      const calls = Array.from({ length: 20 }, () => fetchStatus(`${url}/v1/metrics/assets`, legacyKey))
      expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
      const key = await issueUnlimitedKey()
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
      const workers = findWorkers(service)
      for (const pid of [...workers, started.pid]) process.kill(pid, 'SIGTERM')
      expect(new Set(await Promise.all(clients))).toEqual(new Set(['ECONNREFUSED']))
      expect(new Set(statuses)).toEqual(new Set([200, 'ECONNREFUSED']))
      expect((await service.ended).code).toBe(0)
      expect(workers.some(isAlive)).toBe(false)
      const owner = openPool(database.ownerUrl)
      const { rows } = await owner.query('SELECT sum(calls) AS calls FROM legacy_calls')
      await owner.end()
      expect(rows).toEqual([{ calls: 20 }])
    })

    test('listened on one port, which was printed once', async () => {
      expect(started).toMatchObject({ msg: 'started', url, workers: 2 })
      expect(findPids(service)).not.toContain(started.pid)
      const { code, stdout } = await service.ended
      expect([code, stdout]).toEqual([0, `listening on ${url}\n`])
      const messages = readLog(service).map(({ msg }) => msg)
      expect(messages.filter(msg => msg !== 'request')).toEqual(['started', 'stopping', 'stopped'])
      expect(messages.at(-1)).toBe('stopped')
    })
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
    let started: { pid: number; metrics: string }
    let key: string
    beforeAll(async () => {
      service = new Command(['serve'], env)
      ;({ url, started } = await untilAnswered(service))
      key = await issueUnlimitedKey()
    })

    /** Waits for a number of new workers that have answered requests, and returns the statuses of all requests. */
    async function fetchUntilReplaced(pids: number[], count: number): Promise<Set<number | string | undefined>> {
      const statuses = []
      while (findPids(service).filter(pid => !pids.includes(pid)).length < count) {
        statuses.push(await fetchStatus(`${url}/v1/partner/meta`, key))
        await sleep(5)
      }
      return new Set(statuses)
    }

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

    test('answer on the other workers the connections that a killed one had not accepted, and are replaced', async () => {
      const pids = findPids(service)
      const [pid] = pids as [number]
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
      expect(await fetchUntilReplaced(pids, 1)).toEqual(new Set([200]))
    })

    test('are replaced on the same port when they are killed, while the others answer', async () => {
      const pids = findPids(service)
      const [, victim] = pids as [number, number]
      process.kill(victim, 'SIGKILL')
      const death = { msg: 'a worker died; starting another', worker_pid: victim, ended: 'SIGKILL' }
      while (isAlive(victim)) await sleep(1)
      expect(await fetchUntilReplaced(pids, 1)).toEqual(new Set([200]))
      expect(readLog(service)).toContainEqual(expect.objectContaining(death))
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
      await untilAnswered(service)
      const workers = findWorkers(service)
      await service.end('SIGKILL')
      while (workers.some(isAlive)) await sleep(1)
    })
  })
})
