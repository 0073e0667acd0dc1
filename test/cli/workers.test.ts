import { Agent, get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../db/postgres/pool'
import { Command, type Env, isAlive, run, runJson } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { send } from '../support/service'

jest.setTimeout(60_000)

/** Asks, on a connection of its own unless there is an agent: the status, or how it failed. */
const ask = (url: string, key: string, agent: Agent | false = false): Promise<number | string | undefined> =>
  new Promise(resolve => {
    get(url, { agent, headers: { 'X-API-Key': key } }, response => {
      response
        .on('error', error => resolve(error.message))
        .on('end', () => resolve(response.statusCode))
        .resume()
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })

// biome-ignore lint/suspicious/noExplicitAny: log lines are looked into freely
const linesOf = (service: Command): any[] =>
  service.stderr
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

/** The processes that have answered requests. */
const pidsOf = (service: Command): number[] => [
  ...new Set(linesOf(service).flatMap(({ msg, pid }) => (msg === 'request' ? [pid] : []))),
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

  /** Starts a service whose workers have all answered once. */
  const serve = async (settings: Env = {}) => {
    const service = new Command(['serve'], { ...env, ...settings })
    const url = await service.url()
    while (pidsOf(service).length < 2) await ask(`${url}/healthz`, '')
    return { service, url, started: linesOf(service)[0] }
  }

  describe('of one service that is told to end', () => {
    let service: Command
    let url: string
    let started: { pid: number }
    beforeAll(async () => {
      ;({ service, url, started } = await serve({ RATE_LIMIT: '25', RATE_WINDOW_SECONDS: '3600' }))
    })

    test('share the rate limit of a key, to the request', async () => {
      const answers = await Promise.all(Array.from({ length: 60 }, () => ask(`${url}/v1/partner/meta`, key)))
      expect(pidsOf(service)).toHaveLength(2)
      expect(answers.filter(status => status === 200)).toHaveLength(25)
      expect(answers.filter(status => status === 429)).toHaveLength(35)
    })

    test('lose no legacy call that they counted', async () => {
      const other = (await runJson(['keys', 'issue', '--no-company'], env)).document.key
      const asked = await Promise.all(Array.from({ length: 20 }, () => ask(`${url}/v1/metrics/assets`, other)))
      expect(new Set(asked)).toEqual(new Set([200]))
      await service.end('SIGTERM')
      const owner = openPool(database.ownerUrl)
      const { rows } = await owner.query('SELECT sum(calls) AS calls FROM legacy_calls')
      await owner.end()
      expect(rows).toEqual([{ calls: 20 }])
    })

    test('answered on one port, which was announced once', async () => {
      expect(started).toMatchObject({ msg: 'started', url, workers: 2 })
      expect(pidsOf(service)).not.toContain(started.pid)
      const { code, stdout } = await service.end('SIGTERM')
      expect([code, stdout]).toEqual([0, `listening on ${url}\n`])
      const said = linesOf(service).map(({ msg }) => msg)
      const requests = said.filter(msg => msg === 'request')
      expect(said).toEqual(['started', ...requests, 'stopping', 'stopped'])
    })
  })

  test.each(['the primary', 'all processes'])('answer all that they accepted when %s gets SIGTERM', async who => {
    const { service, url, started } = await serve({ RATE_LIMIT: '1000000' })
    const pids = who === 'the primary' ? [started.pid] : [...pidsOf(service), started.pid]
    const answers: (number | string | undefined)[] = []
    const clients = Array.from({ length: 16 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      let answer: number | string | undefined = 200
      while (answer === 200) {
        answer = await ask(`${url}/v1/partner/meta`, key, agent)
        answers.push(answer)
      }
      agent.destroy()
      return answer
    })
    while (answers.length < 500) await sleep(1)
    for (const pid of pids) process.kill(pid, 'SIGTERM')
    expect(new Set(await Promise.all(clients))).toEqual(new Set(['ECONNREFUSED']))
    expect(new Set(answers)).toEqual(new Set([200, 'ECONNREFUSED']))
    expect((await service.ended).code).toBe(0)
    expect(pidsOf(service).some(isAlive)).toBe(false)
  })

  test('name the port that they cannot have, once, and leave', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const { code, stdout, stderr } = await run(['serve'], { ...env, PORT: `${port}` })
    other.close()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.split('\n').filter(line => !line.startsWith('{'))).toEqual([
      `error: cannot listen on 127.0.0.1:${port} (PORT): it is in use`,
      '',
    ])
  })

  describe('of one service', () => {
    let service: Command
    let url: string
    let started: { metrics: string }
    beforeAll(async () => {
      ;({ service, url, started } = await serve())
    })

    test('tell Prometheus what each of them counted', async () => {
      for (let i = 0; i < 10; i++) await ask(`${url}/v1/partner/meta`, key)
      const { text } = await send(started.metrics)
      const counts = [
        ...text.matchAll(/^http_requests_total\{operation="ReadMeta",status="200",code="",worker="(\d)"\} (\d+)$/gm),
      ]
      expect(counts.map(([, worker]) => worker)).toEqual(['1', '2'])
      expect(counts.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(10)
      expect(text).toMatch(/^service_workers\{worker="primary"\} 2$/m)
      expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds\{worker="2"\} /m)
    })

    test('are replaced when they die, while the others go on answering', async () => {
      const [victim] = pidsOf(service) as [number]
      process.kill(victim, 'SIGKILL')
      while (isAlive(victim)) await sleep(1)
      const answers = []
      while (pidsOf(service).length < 3) answers.push(await ask(`${url}/v1/partner/meta`, key))
      expect(new Set(answers)).toEqual(new Set([200]))
      expect(linesOf(service)).toContainEqual(
        expect.objectContaining({
          msg: 'a worker died; another takes its place',
          worker_pid: victim,
          ended: 'SIGKILL',
        }),
      )
      expect((await send(started.metrics)).text).toMatch(/^service_worker_restarts_total\{worker="primary"\} 1$/m)
    })

    test('end with the primary, however it ends', async () => {
      const workers = pidsOf(service)
      await service.end('SIGKILL')
      while (workers.some(isAlive)) await sleep(1)
    })
  })
})
