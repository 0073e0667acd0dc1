import fc from 'fast-check'
import { MISSING } from '../../../db/calendar/packed-counts'
import type { Made } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let company: Made
let key: string

beforeAll(async () => {
  world = await World.open()
  company = await world.make.company('Acme')
  key = await world.make.key([company])
})
afterAll(() => world.stop())

const SCOPE = 'partner:metrics:legacy:read'

describe('the legacy interface', () => {
  test('lists the legacy ids in scope in ascending order, for resellers with names and companies', async () => {
    const [acme, other, foreign] = [
      await world.make.company('A1'),
      await world.make.company('B2'),
      await world.make.company(),
    ]
    const first = await world.make.asset({ company: other, legacy_id: 909, name: 'First' })
    const second = await world.make.asset({ company: acme, legacy_id: 1010, name: 'Second' })
    await world.make.asset({ company: acme })
    await world.make.asset({ company: foreign, legacy_id: 5 })
    const path = '/v1/metrics/assets'
    expect((await world.get(path, { key: await world.make.key([acme, other]) })).text).toBe('[909,1010]')
    const reseller = await world.make.key([acme, other], { reseller: true })
    expect(await world.read(path, reseller)).toEqual([
      { id: 909, asset_id: first.id, name: 'First', company: 'B2' },
      { id: 1010, asset_id: second.id, name: 'Second', company: 'A1' },
    ])
    const withScope = await world.make.key([acme, other], { scopes: [SCOPE] })
    expect((await world.get(`${path}/legacy-ids`, { key: withScope })).text).toBe(
      `{"909":"${first.id}","1010":"${second.id}"}`,
    )
    expect((await world.get(path, { key: await world.make.key([]) })).text).toBe('[]')
  })

  test('returns the mapping of legacy ids to ids only to keys with its scope', async () => {
    const { status, body } = await world.get('/v1/metrics/assets/legacy-ids', { key })
    expect([status, body.code, Object.keys(body)]).toEqual([403, 'INSUFFICIENT_SCOPE', ['code', 'error']])
  })

  test('accepts the legacy id or the id of an asset, with the same response', async () => {
    const asset = await world.make.asset({ company, legacy_id: 77 })
    const query = '?start=2026-01-01&end=2026-01-02'
    const { status, text } = await world.get(`/v1/metrics/assets/77${query}`, { key })
    expect(status).toBe(200)
    expect((await world.get(`/v1/metrics/assets/${asset.id}${query}`, { key })).text).toBe(text)
  })

  test('responds with INVALID_ID for any id that is not in scope', async () => {
    await world.make.asset({ legacy_id: 78 })
    const responses = await Promise.all(
      ['78', '79', '0', '077', '-1', '1.0', '99999999999999999999', '2147483648', 'x', '%F0%9F%98%80'].flatMap(id => [
        world.get(`/v1/metrics/assets/${id}?start=2026-01-01&end=2026-01-02`, { key }),
        world.get(`/v1/metrics/assets/${id}/per-minute?date=2026-01-01`, { key }),
      ]),
    )
    for (const { status, text } of responses) {
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
  ])('responds to /1%s with %i %s', async (query, status, code) => {
    const response = await world.get(`/v1/metrics/assets/1${query}`, { key })
    expect([response.status, response.body.code, Object.keys(response.body)]).toEqual([status, code, ['code', 'error']])
  })

  test('uses the partner interface’s codes for all other errors, in the legacy envelope', async () => {
    const path = '/v1/metrics/assets'
    const responses = [
      [await world.get(path), 401, 'MISSING_API_KEY'],
      [await world.get(path, { key: 'x' }), 401, 'INVALID_API_KEY'],
      [await world.get(path, { key: 'msk_live_x' }), 401, 'WRONG_ENVIRONMENT'],
      [await world.get(path, { key, method: 'POST' }), 405, 'METHOD_NOT_ALLOWED'],
      [await world.get(`${path}/1/nothing`, { key }), 404, 'NOT_FOUND'],
      [await world.get(`${path}/%00`, { key }), 400, 'BAD_REQUEST'],
    ] as const
    for (const [{ status, body }, expected, code] of responses) {
      expect([status, body]).toEqual([expected, { code, error: expect.any(String) }])
    }
  })
})

describe('the sensor status of an asset', () => {
  const readStatus = async (...states: (string | null)[]) => {
    const asset = await world.make.asset({ company, name: 'Corner', latitude: 1.5, longitude: -2.25 })
    const now = new Date().toISOString()
    for (const [i, health_status] of states.entries()) {
      await world.make.sensor({
        asset,
        serial: `${asset.id}-${9 - i}`,
        health_status,
        health_checked_at: health_status && now,
      })
    }
    const body = await world.read(`/v1/metrics/assets/${asset.id}/per-minute?date=2026-01-01`, key)
    expect(body).toMatchObject({ asset_name: 'Corner', center: { lat: 1.5, lng: -2.25 } })
    expect(body.device_ids).toEqual(states.map((_, i) => `${asset.id}-${9 - i}`).sort())
    return body.sensor_status
  }

  test('is the worst status of its sensors: offline, degraded, unknown, online', async () => {
    expect(await readStatus()).toBe('unknown')
    expect(await readStatus('healthy', 'healthy')).toBe('online')
    expect(await readStatus('healthy', null)).toBe('unknown')
    expect(await readStatus('healthy', null, 'degraded')).toBe('degraded')
    expect(await readStatus('offline', 'degraded', 'healthy')).toBe('offline')
  })
})

describe('legacy impressions', () => {
  const DATES = ['2026-10-24', '2026-10-25', '2026-10-26']

  const assets = fc.record({
    zone: fc.constantFrom('Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
    grains: fc.array(fc.constantFrom('minute', 'quarter_hour', 'hour', 'day' as const), { maxLength: 2 }),
    seed: fc.nat(),
    days: fc.subarray(DATES),
  })

  test('equal the summary, the daily series and the finest series of the partner interface', async () => {
    await fc.assert(
      fc.asyncProperty(assets, async ({ zone, grains, seed, days }) => {
        const asset = await world.make.together(async make => {
          const asset = await make.asset({ company, time_zone: zone })
          for (const [i, grain] of grains.entries()) {
            const sensor = await make.sensor({ asset, grain })
            for (const date of days) {
              await make.counts(sensor, date, n => ((n + i) % 5 === seed % 5 && n > 0 ? MISSING : (n * seed) % 100))
            }
          }
          return asset
        })
        const [start, end] = [DATES[0], DATES[2]]
        const partner = (route: string, range = `from_date=${start}&to_date=${end}`) =>
          world.read(`/v1/partner/assets/${asset.id}/impressions/${route}?${range}`, key)
        const { analytics } = await world.read(`/v1/metrics/assets/${asset.id}?start=${start}&end=${end}`, key)
        const daily = await partner('daily')
        const [summary] = (await partner('summary')).data
        const dailyRows = daily.data.map(({ date, impressions }: Record<string, unknown>) => ({ date, impressions }))
        expect(analytics).toEqual({ total: daily.total, average: daily.average, data: dailyRows })
        expect([analytics.total, analytics.average]).toEqual([summary.impressions, summary.average_daily_impressions])
        for (const date of DATES) {
          const finest = (['day', 'hour', 'quarter_hour', 'minute'] as const).find(grain =>
            grains.length === 0 ? grain === 'quarter_hour' : grains.includes(grain),
          )
          const series = await partner('timeseries', `grain=${finest}&from_date=${date}&to_date=${date}`)
          const minutes = await world.read(`/v1/metrics/assets/${asset.id}/per-minute?date=${date}`, key)
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
