import { Client } from 'pg'
import { Command, type Env, runJson } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { type RequestOptions, send } from '../support/service'

jest.setTimeout(60_000)

/** The values of a metric, by its labels. */
function valuesOf(text: string, metric: string): Record<string, number> {
  const lines = [...text.matchAll(new RegExp(`^${metric}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))]
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value)]))
}

describe('the metrics', () => {
  let database: TestDatabase
  let env: Env
  let key: string
  beforeAll(async () => {
    database = await createDatabase()
    env = settingsOf(database)
    key = (await runJson(['keys', 'issue', '--no-company'], env)).document.key
  })
  afterAll(() => database.drop())

  const serve = async (settings: Env = {}) => {
    const service = new Command(['serve'], { ...env, ...settings })
    const url = await service.url()
    const address = JSON.parse(service.stderr.split('\n')[0] as string).metrics
    return {
      ask: (path: string, options: RequestOptions = { key }) => send(url + path, options),
      scrape: async () => (await send(address)).text,
      stop: () => service.end('SIGTERM'),
    }
  }

  describe('of one service', () => {
    let ask: Awaited<ReturnType<typeof serve>>['ask']
    let scrape: () => Promise<string>
    beforeAll(async () => {
      ;({ ask, scrape } = await serve())
    })

    test('count requests by operation, status and code, and never by path or key', async () => {
      const meta = await ask('/v1/partner/meta')
      await ask('/v1/partner/meta', { key, headers: { 'If-None-Match': meta.headers.etag as string } })
      await ask('/v1/partner/assets/k1x9fz0000000000')
      await ask('/v1/partner/assets?limit=0')
      await ask('/v1/partner/assets', {})
      await ask('/graphql?query={__typename}')
      for (const path of ['/healthz', '/readyz', '/openapi.json', '/explorer', '/nowhere/1', '/nowhere/2'])
        await ask(path)
      const text = await scrape()
      expect(valuesOf(text, 'http_requests_total')).toEqual({
        'operation="ReadMeta",status="200",code=""': 1,
        'operation="ReadMeta",status="304",code=""': 1,
        'operation="ReadAsset",status="404",code="NOT_FOUND"': 1,
        'operation="ListAssets",status="400",code="INVALID_PARAMETER"': 1,
        'operation="ListAssets",status="401",code="MISSING_API_KEY"': 1,
        'operation="GraphQL",status="403",code="INSUFFICIENT_SCOPE"': 1,
        'operation="Health",status="200",code=""': 1,
        'operation="Readiness",status="200",code=""': 1,
        'operation="Documents",status="200",code=""': 1,
        'operation="Explorer",status="200",code=""': 1,
        'operation="none",status="404",code="NOT_FOUND"': 2,
      })
      expect(text).not.toContain(key)
    })

    test('tell how long each operation took, from 1 ms to 10 s', async () => {
      for (let i = 0; i < 3; i++) await ask('/v1/partner/sensors')
      const text = await scrape()
      const buckets = Object.keys(valuesOf(text, 'http_request_duration_seconds_bucket'))
      const own = buckets.filter(labels => labels.includes('operation="ListSensors"'))
      expect(own.map(labels => /le="(.*?)"/.exec(labels)?.[1])).toEqual([
        '0.001',
        '0.0025',
        '0.005',
        '0.01',
        '0.025',
        '0.05',
        '0.1',
        '0.25',
        '0.5',
        '1',
        '2.5',
        '5',
        '10',
        '+Inf',
      ])
      expect(valuesOf(text, 'http_request_duration_seconds_count')).toMatchObject({ 'operation="ListSensors"': 3 })
      expect(valuesOf(text, 'http_request_duration_seconds_sum')['operation="ListSensors"']).toBeGreaterThan(0)
    })

    test('count what the rate limit refused', async () => {
      const issued = await runJson(['keys', 'issue', '--no-company', '--rate', '2/min'], env)
      for (let i = 0; i < 5; i++) await ask('/v1/partner/meta', { key: issued.document.key })
      expect(valuesOf(await scrape(), 'http_requests_rate_limited_total')).toEqual({ '': 3 })
    })

    test('hold the delay of the event loop, memory and garbage collection', async () => {
      const text = await scrape()
      expect(valuesOf(text, 'nodejs_eventloop_lag_p99_seconds')['']).toBeGreaterThan(0)
      expect(valuesOf(text, 'process_resident_memory_bytes')['']).toBeGreaterThan(0)
      expect(text).toContain('nodejs_gc_duration_seconds')
    })
  })

  test('show what is under way, what waits for the database, and what was shed', async () => {
    const { ask, scrape, stop } = await serve({ MAX_IN_FLIGHT: '4', POOL_SIZE: '1' })
    const blocker = new Client({ connectionString: database.ownerUrl })
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE companies IN ACCESS EXCLUSIVE MODE')
    const requests = [ask('/v1/partner/meta'), ask('/v1/partner/meta')]
    // A request also waits while the pool opens its first connection: it counts as waiting before the other one arrives.
    let text = await scrape()
    while (
      valuesOf(text, 'http_requests_in_flight')[''] !== 2 ||
      valuesOf(text, 'db_pool_waiting_requests')[''] !== 1 ||
      valuesOf(text, 'db_pool_connections')['state="busy"'] !== 1
    )
      text = await scrape()
    expect(valuesOf(text, 'http_requests_in_flight')).toEqual({ '': 2 })
    expect(valuesOf(text, 'db_pool_connections')).toEqual({ 'state="busy"': 1, 'state="idle"': 0 })
    expect(valuesOf(text, 'http_requests_shed_total')).toEqual({ '': 0 })
    expect((await ask('/v1/partner/meta')).status).toBe(503)
    expect(valuesOf(await scrape(), 'http_requests_shed_total')).toEqual({ '': 1 })
    await blocker.query('COMMIT')
    await blocker.end()
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200])
    text = await scrape()
    expect(valuesOf(text, 'http_requests_in_flight')).toEqual({ '': 0 })
    expect(valuesOf(text, 'db_pool_connections')).toEqual({ 'state="busy"': 0, 'state="idle"': 1 })
    await stop()
  })
})
