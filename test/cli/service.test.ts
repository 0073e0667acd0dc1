/** The service as a process: its start, its metrics, traces and log, what it reports and counts, and its end. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, type Env } from '../support/command'
import { settingsOf } from '../support/databases'
import { metricsIn, OPS } from '../support/debian'
import { send } from '../support/http'
import { Lock } from '../support/lock'
import { World } from '../support/world'

jest.setTimeout(120_000)

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const PATH = '/v1/partner/assets'
const LEGACY = '/v1/metrics/assets'

let world: World
let env: Env
let key: string
let keyId: string
let collector: Awaited<ReturnType<typeof startCollector>>

/** Starts a collector of OpenTelemetry. */
async function startCollector() {
  let received = ''
  const server = createServer(async (request, response) => {
    for await (const chunk of request.setEncoding('latin1')) received += chunk
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    read: () => received,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Returns an id as protobuf has it. */
const bytesOf = (id: string) => Buffer.from(id, 'hex').toString('latin1')

/** The service under test, and where it is. */
let service: Command
let url: string
let metrics: string

beforeAll(async () => {
  world = await World.open({ environment: 'production' })
  collector = await startCollector()
  const endpoint = `http://127.0.0.1:${collector.port}`
  env = { ...settingsOf(world.database), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
  await world.run(['import', 'companies', '-'], 'id,name\ncompanyalder,Alder\n')
  await world.run(['import', 'sensors', '-', '--dry-run'], 'no,such\n1,2\n')
  await world.run(['import', 'vendors', '-'], 'no,such\n1,2\n')
  ;({ key, id: keyId } = await issue('--label', 'till 7'))
})
afterAll(async () => {
  await collector.close()
  await world.stop()
})

const issue = async (...args: string[]) => (await world.runJson(['keys', 'issue', '--no-company', ...args])).document

const get = (path: string, headers: Record<string, string> = {}) => send(url + path, { key, headers })

const scrape = async () => (await send(metrics)).text

const status = async () => (await world.runJson(['status'])).document

const traffic = async () => (await world.runJson(['legacy-traffic'])).document

const readLog = () =>
  service.stderr
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

async function serve(settings: Env): Promise<void> {
  service = new Command(['serve'], settings)
  await isServing()
}

async function isServing(): Promise<void> {
  url = await service.url()
  metrics = /"metrics":"(.*?)"/.exec(await service.startLog())?.[1] ?? ''
}

let lock: Lock

const lockCompanies = async () => {
  lock = await Lock.take(world.database.ownerUrl, 'LOCK TABLE companies')
}
// After a test that failed.
afterEach(() => lock?.release())

/** Returns the values of a metric, by its labels. */
function valuesOf(text: string, metric: string): Record<string, number> {
  const lines = [...text.matchAll(new RegExp(`^${metric}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))]
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value)]))
}

const expectRunning = async () => {
  const started = { url, host: hostname(), pid: service.pid, version: expect.stringMatching(/^\d+\.\d+\.\d+/) }
  const times = { started_at: expect.stringMatching(/Z$/), seen_at: expect.stringMatching(/Z$/) }
  const services = [{ ...started, ...times, state: 'ready' }]
  expect(await status()).toMatchObject({ running: true, ready: true, services })
}

const expectNotRunning = async () =>
  expect(await world.runJson(['status'])).toMatchObject({ code: 1, document: { running: false, services: [] } })

describe('a service that is stopped', () => {
  beforeAll(async () => {
    await serve({
      ...env,
      // One request runs, and others wait. Slowness is no reason to shed one.
      ...{ POOL_SIZE: '1', STATEMENT_TIMEOUT_MS: '60000', MAX_EVENT_LOOP_DELAY_MS: '60000' },
    })
  })

  test('counts requests by operation, status and code, and never by path or key', async () => {
    const meta = await get('/v1/partner/meta')
    await get('/v1/partner/meta', { 'If-None-Match': meta.headers.etag as string })
    await get(`${PATH}/k1x9fz0000000000`)
    await get(`${PATH}?limit=0`)
    await send(url + PATH)
    await get('/graphql?query={__typename}')
    for (const path of ['/readyz', '/openapi.json', '/explorer', '/nowhere/1', '/nowhere/2']) await get(path)
    const text = await scrape()
    expect(valuesOf(text, 'http_requests_total')).toEqual({
      'operation="ReadMeta",status="200",code=""': 1,
      'operation="ReadMeta",status="304",code=""': 1,
      'operation="ReadAsset",status="404",code="NOT_FOUND"': 1,
      'operation="ListAssets",status="400",code="INVALID_PARAMETER"': 1,
      'operation="ListAssets",status="401",code="MISSING_API_KEY"': 1,
      'operation="GraphQL",status="403",code="INSUFFICIENT_SCOPE"': 1,
      'operation="Readiness",status="200",code=""': 1,
      'operation="Documents",status="200",code=""': 1,
      'operation="Explorer",status="200",code=""': 1,
      'operation="none",status="404",code="NOT_FOUND"': 2,
    })
    expect(text).not.toContain(key)
  })

  test('serves metrics on the admin port only, and nothing else there', async () => {
    expect((await get('/metrics')).status).toBe(404)
    expect((await send(new URL('/v1/partner/meta', metrics).href)).status).toBe(404)
    for (const metric of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
      expect(valuesOf(await scrape(), metric)['']).toBeGreaterThan(0)
  })

  test('shows requests in flight, requests that wait for the database, and requests that were shed', async () => {
    const names = ['in_flight', 'shed_total'].map(name => `http_requests_${name}`)
    const read = async () => {
      const text = await scrape()
      return [...names, 'db_pool_waiting_requests', 'db_pool_connections'].map(name =>
        Object.values(valuesOf(text, name)),
      )
    }
    expect(await read()).toEqual([[0], [0], [0], [0, 1]])
    await lockCompanies()
    const first = get('/v1/partner/meta')
    await lock.untilAwaited()
    const second = get('/v1/partner/meta')
    let figures = await read()
    for (; figures[2]?.[0] === 0; figures = await read()) await sleep(10)
    expect(figures).toEqual([[2], [0], [1], [1, 0]])
    expect((await second).status).toBe(503)
    await lock.release()
    expect((await first).status).toBe(200)
    expect(await read()).toEqual([[0], [1], [0], [0, 1]])
  })

  test('has the metrics of the alerts and of the dashboard', async () => {
    let text = await scrape()
    for (; !text.includes('sensors_silent '); text = await scrape()) await sleep(20)
    for (const file of ['alerts.yml', 'grafana-dashboard.json']) {
      const names = new Set(metricsIn(readFileSync(join(OPS, file), 'utf8').replace(/\\"/g, '"')))
      names.delete('up')
      expect(names.size).toBeGreaterThan(8)
      // Only services with replicas have values of hosts.
      for (const name of names)
        expect(text).toMatch(new RegExp(name.startsWith('db_host_') ? `^# TYPE ${name} ` : `^${name}[ {]`, 'm'))
    }
    expect(['sensors_installed', 'sensors_silent'].map(name => valuesOf(text, name)[''])).toEqual([0, 0])
    // A dry run is no import, and nothing else was imported.
    const imports = valuesOf(text, 'import_last_success_timestamp_seconds')
    const failures = valuesOf(text, 'import_last_failure_timestamp_seconds')
    expect([Object.keys(imports), Object.keys(failures)]).toEqual([['kind="companies"'], ['kind="vendors"']])
    const rows = await world.rows('SELECT extract(epoch FROM at)::float8 AS at FROM operations ORDER BY at LIMIT 2')
    for (const [i, value] of [...Object.values(imports), ...Object.values(failures)].entries())
      expect(value).toBeCloseTo(rows[i]?.at as number, 1)
  })

  test('is running and ready, as status says', async () => {
    await expectRunning()
    expect((await world.run(['status'])).stdout).toContain(`the service at ${url} is running and ready`)
  })

  test('on SIGTERM refuses connections, finishes the requests that it accepted, and ends', async () => {
    await get(`${PATH}?limit=2`, { traceparent: `00-${TRACE}-${PARENT}-01` })
    await get(`${PATH}?limit=3`, { traceparent: `00-${TRACE}-${PARENT}-00` })
    for (const path of [LEGACY, LEGACY, LEGACY, `${LEGACY}/7/per-minute`]) await get(path)
    await lockCompanies()
    const response = get('/v1/partner/meta', { traceparent: `00-${TRACE}-${PARENT}-01` })
    await lock.untilAwaited()
    service.signal('SIGTERM')
    const isRefused = () =>
      get('/healthz').then(
        () => false,
        () => true,
      )
    while (!(await isRefused())) await sleep(20)
    await lock.release()
    expect((await response).status).toBe(200)
    expect((await service.ended).code).toBe(0)
    await expectNotRunning()
    expect(await world.rows('SELECT FROM service_processes')).toEqual([])
  })

  test('has printed its URL on stdout, and its log on stderr', () => {
    expect(service.stdout).toBe(`listening on ${url}\n`)
    const messages = readLog().map(({ msg }) => msg)
    expect(messages.filter(msg => msg !== 'request')).toEqual(['started', 'stopping', 'stopped'])
    expect(messages.at(-1)).toBe('stopped')
  })

  test('has sent the requests of sampled traces as spans with their stages, without keys and parameters', () => {
    const sent = collector.read()
    // The caller has not sampled one. The last request ended while the service stopped.
    for (const id of [TRACE, PARENT]) expect(sent.split(bytesOf(id))).toHaveLength(3)
    for (const name of [
      `GET ${PATH}`,
      'GET /v1/partner/meta',
      'ListAssets',
      'INVALID_PARAMETER',
      keyId,
      'partner-metrics',
    ])
      expect(sent).toContain(name)
    for (const stage of ['read', 'execute', 'shape', 'send']) expect(sent).toContain(stage)
    expect(sent).not.toMatch(/limit|127\.0\.0\.1|msk_/)
    const { trace_id, span_id } = readLog().find(({ status }) => status === 400)
    for (const id of [trace_id, span_id]) expect(sent).toContain(bytesOf(id))
  })

  test('has counted the calls of the legacy API', async () => {
    const { rows, verdict } = await traffic()
    const today = new Date().toISOString().slice(0, 10)
    expect(rows).toMatchObject([
      { key_id: keyId, label: 'till 7', route: LEGACY, calls: 3 },
      { key_id: keyId, route: `${LEGACY}/{id}/per-minute`, calls: 1 },
    ])
    expect(rows[0].last_called_at.slice(0, 10)).toBe(today)
    const reason = expect.stringContaining(`the last call was at ${today}`)
    expect(verdict).toEqual({ safe_to_retire: false, reason })
  })
})

describe('a service that is killed', () => {
  beforeAll(() => serve(env))

  test('has counted the calls of the legacy API until then, also those without an active key', async () => {
    await world.rows('DELETE FROM legacy_calls')
    await world.rows('UPDATE api_keys SET deactivated_at = now() WHERE id = $1', [keyId])
    await get(LEGACY)
    for (const method of ['OPTIONS', 'POST', 'HEAD']) await send(`${url}${LEGACY}/legacy-ids`, { method })
    const count = async () => Number((await world.rows('SELECT sum(calls) AS calls FROM legacy_calls'))[0]?.calls)
    while ((await count()) < 4) await sleep(50)
    await service.end('SIGKILL')
    expect((await traffic()).rows).toMatchObject([
      { key_id: null, label: null, route: `${LEGACY}/legacy-ids`, calls: 3 },
      { key_id: keyId, label: 'till 7', route: LEGACY, calls: 1 },
    ])
    expect((await world.run(['legacy-traffic'])).stdout).toContain('(no known key)')
  })

  test('is not running, as status says', async () => {
    expect(await world.rows('SELECT url FROM service_processes')).toEqual([{ url }])
    await expectNotRunning()
  })
})

test('the next one at its address is running; it cuts off requests that take longer than SHUTDOWN_TIMEOUT_MS, and warns of a missing login', async () => {
  await serve({ DATABASE_URL: world.database.ownerUrl, SHUTDOWN_TIMEOUT_MS: '1', PORT: new URL(url).port })
  await expectRunning()
  ;({ key } = await issue())
  await lockCompanies()
  const response = get('/v1/partner/meta').catch(error => error.code)
  await lock.untilAwaited()
  const ended = service.end('SIGTERM')
  expect(await response).toBe('ECONNRESET')
  await lock.release()
  const { code, stderr } = await ended
  expect(code).toBe(0)
  expect(stderr).toContain('warning: READER_DATABASE_URL is missing: the service reads with the login of DATABASE_URL')
})

test('a service answers while nobody reads its log, and loses no line of it', async () => {
  await serve(env)
  const readOn = service.pauseLog()
  for (let i = 0; i < 1_000; i++) expect((await send(`${url}/healthz`)).status).toBe(200)
  readOn()
  await service.end('SIGTERM')
  expect(readLog().filter(({ msg }) => msg === 'request')).toHaveLength(1_000)
})
