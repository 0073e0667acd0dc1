import fc from 'fast-check'
import { MISSING } from '../../../db/calendar/packed-counts'
import type { Made } from '../../support/factories'
import { Service } from '../../support/service'

let service: Service
let company: Made
let key: string

beforeAll(async () => {
  service = await Service.start()
  company = await service.make.company('Acme')
  key = await service.make.key([company])
})
afterAll(() => service.stop())

const SCOPE = 'partner:metrics:legacy:read'

describe('a legacy client', () => {
  test('lists the legacy ids in scope, ascending; a reseller sees whose they are', async () => {
    const [acme, other, foreign] = [
      await service.make.company('A1'),
      await service.make.company('B2'),
      await service.make.company(),
    ]
    const first = await service.make.asset({ company: other, legacy_id: 909, name: 'First' })
    const second = await service.make.asset({ company: acme, legacy_id: 1010, name: 'Second' })
    await service.make.asset({ company: acme })
    await service.make.asset({ company: foreign, legacy_id: 5 })
    const path = '/v1/metrics/assets'
    expect((await service.get(path, { key: await service.make.key([acme, other]) })).text).toBe('[909,1010]')
    const reseller = await service.make.key([acme, other], { reseller: true })
    expect(await service.read(path, reseller)).toEqual([
      { id: 909, asset_id: first.id, name: 'First', company: 'B2' },
      { id: 1010, asset_id: second.id, name: 'Second', company: 'A1' },
    ])
    const mover = await service.make.key([acme, other], { scopes: [SCOPE] })
    expect((await service.get(`${path}/legacy-ids`, { key: mover })).text).toBe(
      `{"909":"${first.id}","1010":"${second.id}"}`,
    )
    expect((await service.get(path, { key: await service.make.key([]) })).text).toBe('[]')
  })

  test('turns ids over only with the scope for it', async () => {
    const { status, body } = await service.get('/v1/metrics/assets/legacy-ids', { key })
    expect([status, body.code, Object.keys(body)]).toEqual([403, 'INSUFFICIENT_SCOPE', ['code', 'error']])
  })

  test('names an asset by its legacy id or its id, and gets the same bytes', async () => {
    const asset = await service.make.asset({ company, legacy_id: 77 })
    const query = '?start=2026-01-01&end=2026-01-02'
    const { status, text } = await service.get(`/v1/metrics/assets/77${query}`, { key })
    expect(status).toBe(200)
    expect((await service.get(`/v1/metrics/assets/${asset.id}${query}`, { key })).text).toBe(text)
  })

  test('gets INVALID_ID for any asset that is not in scope, whatever it is called', async () => {
    await service.make.asset({ legacy_id: 78 })
    const answers = await Promise.all(
      ['78', '79', '0', '077', '-1', '1.0', '99999999999999999999', '2147483648', 'x', '%F0%9F%98%80'].flatMap(id => [
        service.get(`/v1/metrics/assets/${id}?start=2026-01-01&end=2026-01-02`, { key }),
        service.get(`/v1/metrics/assets/${id}/per-minute?date=2026-01-01`, { key }),
      ]),
    )
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([404, '{"code":"INVALID_ID","error":"There is no such asset."}'])
    }
  })

  test.each([
    ['', 400, 'REQUIRED_DATES'],
    ['?start=2026-01-01', 400, 'REQUIRED_DATES'],
    ['?end=2026-01-01&start=', 400, 'REQUIRED_DATES'],
    ['?start=x&end=2026-01-01', 400, 'INVALID_DATE'],
    ['?start=2026-01-01&end=2026-02-30', 400, 'INVALID_DATE'],
    ['?start=2026-01-02&end=2026-01-01', 400, 'INVALID_DATE_ORDER'],
    ['?start=2010-01-01&end=2026-01-01', 400, 'INVALID_DATE'],
    ['?start=2026-01-01&end=2026-01-01&start=2026-01-01', 400, 'INVALID_PARAMETER'],
    ['?start=2026-01-01&end=2026-01-01', 404, 'INVALID_ID'],
  ])('who asks for /1%s gets %i %s', async (query, status, code) => {
    const answer = await service.get(`/v1/metrics/assets/1${query}`, { key })
    expect([answer.status, answer.body.code, Object.keys(answer.body)]).toEqual([status, code, ['code', 'error']])
  })

  test('gets everything else under the names of the partner interface, in the legacy envelope', async () => {
    const path = '/v1/metrics/assets'
    const answers = [
      [await service.get(path), 401, 'MISSING_API_KEY'],
      [await service.get(path, { key: 'x' }), 401, 'INVALID_API_KEY'],
      [await service.get(path, { key: 'msk_live_x' }), 401, 'WRONG_ENVIRONMENT'],
      [await service.get(path, { key, method: 'POST' }), 405, 'METHOD_NOT_ALLOWED'],
      [await service.get(`${path}/1/nothing`, { key }), 404, 'NOT_FOUND'],
      [await service.get(`${path}/%00`, { key }), 400, 'BAD_REQUEST'],
    ] as const
    for (const [{ status, body }, expected, code] of answers) {
      expect([status, body]).toEqual([expected, { code, error: expect.any(String) }])
    }
  })
})

describe('the state of an asset', () => {
  const statusOf = async (...states: (string | null)[]) => {
    const asset = await service.make.asset({ company, name: 'Corner', latitude: 1.5, longitude: -2.25 })
    const now = new Date().toISOString()
    for (const [i, health_status] of states.entries()) {
      await service.make.sensor({
        asset,
        serial: `${asset.id}-${9 - i}`,
        health_status,
        health_checked_at: health_status && now,
      })
    }
    const body = await service.read(`/v1/metrics/assets/${asset.id}/per-minute?date=2026-01-01`, key)
    expect(body).toMatchObject({ asset_name: 'Corner', center: { lat: 1.5, lng: -2.25 } })
    expect(body.device_ids).toEqual(states.map((_, i) => `${asset.id}-${9 - i}`).sort())
    return body.sensor_status
  }

  test('is the worst of its sensors: offline, degraded, unknown, online', async () => {
    expect(await statusOf()).toBe('unknown')
    expect(await statusOf('healthy', 'healthy')).toBe('online')
    expect(await statusOf('healthy', null)).toBe('unknown')
    expect(await statusOf('healthy', null, 'degraded')).toBe('degraded')
    expect(await statusOf('offline', 'degraded', 'healthy')).toBe('offline')
  })
})

describe('legacy numbers', () => {
  const DATES = ['2026-10-24', '2026-10-25', '2026-10-26']

  const assets = fc.record({
    zone: fc.constantFrom('Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
    grains: fc.array(fc.constantFrom('minute', 'quarter_hour', 'hour' as const), { maxLength: 2 }),
    seed: fc.nat(),
    days: fc.subarray(DATES),
  })

  test('equal those of the partner interface: summary, daily and, on one day, the finest grain', async () => {
    await fc.assert(
      fc.asyncProperty(assets, async ({ zone, grains, seed, days }) => {
        const asset = await service.make.asset({ company, time_zone: zone })
        for (const [i, grain] of grains.entries()) {
          const sensor = await service.make.sensor({ asset, grain })
          for (const date of days) {
            await service.make.counts(sensor, date, n =>
              (n + i) % 5 === seed % 5 && n > 0 ? MISSING : (n * seed) % 100,
            )
          }
        }
        const [start, end] = [DATES[0], DATES[2]]
        const partner = (what: string, range = `from_date=${start}&to_date=${end}`) =>
          service.read(`/v1/partner/assets/${asset.id}/impressions/${what}?${range}`, key)
        const { analytics } = await service.read(`/v1/metrics/assets/${asset.id}?start=${start}&end=${end}`, key)
        const daily = await partner('daily')
        const [summary] = (await partner('summary')).data
        const told = daily.data.map(({ date, impressions }: Record<string, unknown>) => ({ date, impressions }))
        expect(analytics).toEqual({ total: daily.total, average: daily.average, data: told })
        expect([analytics.total, analytics.average]).toEqual([summary.impressions, summary.average_daily_impressions])
        for (const date of DATES) {
          const finest = grains.includes('hour')
            ? 'hour'
            : grains.includes('quarter_hour') || grains.length === 0
              ? 'quarter_hour'
              : 'minute'
          const series = await partner('timeseries', `grain=${finest}&from_date=${date}&to_date=${date}`)
          const minutes = await service.read(`/v1/metrics/assets/${asset.id}/per-minute?date=${date}`, key)
          expect(minutes.analytics).toEqual({
            total: series.total,
            average: series.average,
            data: series.data.map((row: { start: string; impressions: number }) => ({
              time: row.start.slice(11, 16),
              impressions: row.impressions,
            })),
          })
        }
      }),
      { numRuns: 25 },
    )
  }, 60_000)
})

describe('the deprecation', () => {
  const GA = Date.parse('2026-01-15T00:00:00Z')
  const FROM = GA / 1000 + 90 * 86_400

  test('is told from 90 days after general availability on, on every legacy answer and on no other', async () => {
    let now = FROM * 1000 - 1000
    const aging = await Service.start({ partnerGa: GA, now: () => now, quota: 7 })
    try {
      const own = await aging.make.key([], { scopes: [SCOPE] })
      const path = '/v1/metrics/assets'
      const { headers } = await aging.get(path, { key: own })
      expect(headers.deprecation).toBeUndefined()
      expect(headers.link).toBeUndefined()
      now = FROM * 1000
      const answers = [
        await aging.get(path, { key: own }),
        await aging.get(path, { key: own, headers: { 'If-None-Match': headers.etag as string } }),
        await aging.get(path, { key: own, method: 'HEAD' }),
        await aging.get(`${path}/legacy-ids`, { key: own }),
        await aging.get(`${path}/1`, { key: own }),
        await aging.get(`${path}/1?start=2026-01-01&end=2026-01-01`, { key: own }),
        await aging.get(`${path}/1/per-minute?date=2026-01-01`, { key: own }),
        await aging.get(path, { key: own }),
        await aging.get(path),
        await aging.get(path, { method: 'HEAD' }),
        await aging.get(path, { method: 'OPTIONS' }),
        await aging.get(path, { method: 'POST' }),
        await aging.get(`${path}/nothing/here`),
        await aging.get(`${path}/%00`),
        await aging.get(path, { key: own }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([
        200, 304, 200, 200, 400, 404, 404, 429, 401, 401, 204, 405, 404, 400, 429,
      ])
      for (const answer of answers) {
        expect(answer.headers.deprecation).toBe(`@${FROM}`)
        expect(answer.headers.link).toBe('</docs/migration>; rel="deprecation"; type="text/html"')
      }
      expect((await aging.get('/v1/partner/meta', { key: own })).headers.deprecation).toBeUndefined()
      expect(answers[0]?.text).toBe('[]')
    } finally {
      await aging.stop()
    }
  })

  test('is never told without a date of general availability', async () => {
    expect((await service.get('/v1/metrics/assets', { key })).headers.deprecation).toBeUndefined()
  })
})

describe('legacy calls', () => {
  test('are counted by day, key and route, whatever they were answered, off the way of the request', async () => {
    let now = Date.parse('2026-03-01T23:59:59Z')
    const counting = await Service.start({ now: () => now })
    try {
      const own = await counting.make.key([], { scopes: [SCOPE] })
      const other = await counting.make.key([])
      const blocker = await counting.owner.connect()
      // Nothing can be written while the table is locked: a request that waited for it would get no answer.
      await blocker.query('BEGIN; LOCK TABLE legacy_calls IN ACCESS EXCLUSIVE MODE')
      await counting.get('/v1/metrics/assets', { key: own })
      await counting.get('/v1/metrics/assets', { key: own, method: 'HEAD' })
      const written = counting.gateway.legacyCalls.flush()
      await counting.get('/v1/metrics/assets/1', { key: own })
      await counting.get('/v1/metrics/assets/legacy-ids', { key: other })
      now += 1000
      await counting.get('/v1/metrics/assets', { key: own })
      await counting.get('/v1/partner/meta', { key: own })
      await counting.get('/v1/metrics/assets', { key: 'nobody' })
      await blocker.query('COMMIT')
      blocker.release()
      await written
      await counting.gateway.legacyCalls.flush()
      await counting.get('/v1/metrics/assets', { key: own })
      await counting.gateway.legacyCalls.flush()
      const { rows } = await counting.owner.query(
        `SELECT date, route, calls, last_called_at FROM legacy_calls ORDER BY date, route`,
      )
      expect(rows).toEqual([
        { date: '2026-03-01', route: '/v1/metrics/assets', calls: 2, last_called_at: '2026-03-01T23:59:59Z' },
        {
          date: '2026-03-01',
          route: '/v1/metrics/assets/legacy-ids',
          calls: 1,
          last_called_at: '2026-03-01T23:59:59Z',
        },
        { date: '2026-03-01', route: '/v1/metrics/assets/{id}', calls: 1, last_called_at: '2026-03-01T23:59:59Z' },
        { date: '2026-03-02', route: '/v1/metrics/assets', calls: 2, last_called_at: '2026-03-02T00:00:00Z' },
      ])
    } finally {
      await counting.stop()
    }
  })

  test('that cannot be written are kept until they can', async () => {
    const counting = await Service.start()
    try {
      const own = await counting.make.key([])
      await counting.get('/v1/metrics/assets', { key: own })
      await counting.owner.query('ALTER TABLE legacy_calls RENAME TO away')
      await counting.gateway.legacyCalls.flush()
      await counting.get('/v1/metrics/assets', { key: own })
      await counting.owner.query('ALTER TABLE away RENAME TO legacy_calls')
      await counting.gateway.legacyCalls.flush()
      const { rows } = await counting.owner.query('SELECT calls FROM legacy_calls')
      expect(rows).toEqual([{ calls: 2 }])
    } finally {
      await counting.stop()
    }
  })
})
