import { Client } from 'pg'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { type RequestOptions, send } from '../support/http'
import { type Env, runJson } from '../support/in-process'

jest.setTimeout(60_000)

/** Returns the values of a metric, by its labels. */
function parseValues(text: string, metric: string): Record<string, number> {
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
      get: (path: string, options: RequestOptions = { key }) => send(url + path, options),
      scrape: async () => (await send(address)).text,
      stop: () => service.end('SIGTERM'),
    }
  }

  describe('of one service', () => {
    let get: Awaited<ReturnType<typeof serve>>['get']
    let scrape: () => Promise<string>
    beforeAll(async () => {
      ;({ get, scrape } = await serve())
    })

    test('count requests by operation, status and code, and never by path or key', async () => {
      const meta = await get('/v1/partner/meta')
      await get('/v1/partner/meta', { key, headers: { 'If-None-Match': meta.headers.etag as string } })
      await get('/v1/partner/assets/k1x9fz0000000000')
      await get('/v1/partner/assets?limit=0')
      await get('/v1/partner/assets', {})
      await get('/graphql?query={__typename}')
      for (const path of ['/healthz', '/readyz', '/openapi.json', '/explorer', '/nowhere/1', '/nowhere/2'])
        await get(path)
      const text = await scrape()
      expect(parseValues(text, 'http_requests_total')).toEqual({
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

    test('measure the duration of each operation in buckets from 1 ms to 10 s', async () => {
      for (let i = 0; i < 3; i++) await get('/v1/partner/sensors')
      const text = await scrape()
      const buckets = Object.keys(parseValues(text, 'http_request_duration_seconds_bucket'))
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
      expect(parseValues(text, 'http_request_duration_seconds_count')).toMatchObject({ 'operation="ListSensors"': 3 })
      expect(parseValues(text, 'http_request_duration_seconds_sum')['operation="ListSensors"']).toBeGreaterThan(0)
    })

    test('add up the time of each stage of requests', async () => {
      const seconds = parseValues(await scrape(), 'http_request_stage_seconds_total')
      for (const stage of ['read', 'execute', 'shape', 'send'])
        expect(seconds[`operation="ListSensors",stage="${stage}"`]).toBeGreaterThan(0)
    })

    test('count requests that exceeded a rate limit', async () => {
      const issued = await runJson(['keys', 'issue', '--no-company', '--rate', '2/min'], env)
      for (let i = 0; i < 5; i++) await get('/v1/partner/meta', { key: issued.document.key })
      expect(parseValues(await scrape(), 'http_requests_rate_limited_total')).toEqual({ '': 3 })
    })

    test('include the delay of the event loop, memory and garbage collection', async () => {
      const text = await scrape()
      expect(parseValues(text, 'nodejs_eventloop_lag_p99_seconds')['']).toBeGreaterThan(0)
      expect(parseValues(text, 'process_resident_memory_bytes')['']).toBeGreaterThan(0)
      expect(text).toContain('nodejs_gc_duration_seconds')
    })
  })

  /** Runs an action while requests for meta cannot finish. */
  const whileLocked = async (action: () => Promise<void>): Promise<void> => {
    const client = new Client({ connectionString: database.ownerUrl })
    await client.connect()
    await client.query('BEGIN; LOCK TABLE companies IN ACCESS EXCLUSIVE MODE')
    try {
      await action()
    } finally {
      await client.end()
    }
  }

  test('show requests in flight, and requests that wait for the database', async () => {
    const { get, scrape, stop } = await serve({ POOL_SIZE: '1', CONNECT_TIMEOUT_MS: '30000' })
    let responses: ReturnType<typeof get>[] = []
    await whileLocked(async () => {
      responses = [get('/v1/partner/meta'), get('/v1/partner/meta')]
      let text = await scrape()
      // A request also waits while the pool opens its first connection.
      while (
        parseValues(text, 'http_requests_in_flight')[''] !== 2 ||
        parseValues(text, 'db_pool_waiting_requests')[''] !== 1 ||
        parseValues(text, 'db_pool_connections')['state="busy"'] !== 1
      )
        text = await scrape()
      expect(parseValues(text, 'db_pool_connections')).toEqual({ 'state="busy"': 1, 'state="idle"': 0 })
    })
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200])
    const text = await scrape()
    expect(parseValues(text, 'http_requests_in_flight')).toEqual({ '': 0 })
    expect(parseValues(text, 'db_pool_connections')).toEqual({ 'state="busy"': 0, 'state="idle"': 1 })
    await stop()
  })

  test('count requests that were shed', async () => {
    const { get, scrape, stop } = await serve({ POOL_SIZE: '1', CONNECT_TIMEOUT_MS: '1000' })
    expect((await get('/v1/partner/meta')).status).toBe(200)
    expect(parseValues(await scrape(), 'http_requests_shed_total')).toEqual({ '': 0 })
    let first: ReturnType<typeof get> | undefined
    await whileLocked(async () => {
      first = get('/v1/partner/meta')
      while (parseValues(await scrape(), 'http_requests_in_flight')[''] !== 1);
      expect((await get('/v1/partner/meta')).status).toBe(503)
      expect(parseValues(await scrape(), 'http_requests_shed_total')).toEqual({ '': 1 })
    })
    expect((await first)?.status).toBe(200)
    await stop()
  })
})
