import { ERRORS } from '../../../schema/errors'
import type { TestResponse } from '../../support/http'
import { watchTraffic } from '../../support/traffic'
import { World } from '../../support/world'

let world: World
let key: string
let asset: string
let foreign: string

beforeAll(async () => {
  world = await World.open()
  await world.make.together(async make => {
    const company = await make.company()
    key = await make.key([company])
    const own = await make.asset({ company })
    await make.sensor({ asset: own, grain: 'quarter_hour' })
    asset = own.id
    foreign = (await make.sensor()).asset?.id as string
  })
})
afterAll(() => world.stop())

const get = (path: string): Promise<TestResponse> => world.get(path, { key })

const IMPRESSIONS = ['summary', 'daily', 'hourly', 'timeseries', 'by-region', 'by-city'].map(
  name => `impressions/${name}`,
)

/** The routes of an asset with a range of days. */
const RANGED = [...IMPRESSIONS, 'demographics']

describe('the range of days', () => {
  const VALUES = ['2026-02-30', '2026-1-1', 'yesterday', '0000-01-01', '2026-01-01T00:00:00Z', '２０２６-01-01']

  test.each(RANGED)(
    'of %s consists of two real dates in order: from_date is checked first, then to_date',
    async route => {
      const grain = route === 'impressions/timeseries' ? '&grain=day' : ''
      const order = { from_date: '2026-01-02', to_date: '2026-01-01' }
      for (const [query, code, details] of [
        ['', 'REQUIRED_PARAMETER', { parameter: 'from_date' }],
        ['to_date=2026-01-01', 'REQUIRED_PARAMETER', { parameter: 'from_date' }],
        ['from_date=&to_date=2026-01-01', 'REQUIRED_PARAMETER', { parameter: 'from_date' }],
        ['from_date=2026-01-01', 'REQUIRED_PARAMETER', { parameter: 'to_date' }],
        ...VALUES.map(value => [
          `from_date=${encodeURIComponent(value)}&to_date=2026-01-01${grain}`,
          'INVALID_DATE',
          { parameter: 'from_date', value },
        ]),
        [`from_date=2026-01-02&to_date=2026-01-01${grain}`, 'INVALID_DATE_RANGE', order],
      ]) {
        const { status, body } = await get(`/v1/partner/assets/${asset}/${route}?${query}`)
        expect([query, status, body.error.code, body.error.details]).toEqual([query, 400, code, details])
      }
    },
  )

  test('may be in the future', async () => {
    const path = `/v1/partner/assets/${asset}/impressions/daily?from_date=2199-12-31&to_date=2200-01-01`
    expect((await get(path)).body.data).toEqual(
      ['2199-12-31', '2200-01-01'].map(date => ({ date, impressions: null, coverage: 0 })),
    )
  })

  test.each([
    ['timeseries?grain=minute', 7, '2026-01-01', '2026-01-08'],
    ['timeseries?grain=quarter_hour', 105, '2026-01-01', '2026-04-16'],
    ['timeseries?grain=hour', 420, '2026-01-01', '2027-02-25'],
    ['hourly?', 420, '2026-01-01', '2027-02-25'],
    ['timeseries?grain=quarter', 3660, '2016-01-01', '2026-01-08'],
    ['daily?', 3660, '2016-01-01', '2026-01-08'],
    ['summary?', 3660, '2016-01-01', '2026-01-08'],
    ['by-city?', 3660, '2016-01-01', '2026-01-08'],
  ])('of %s has at most %i days', async (route, max_days, from, to) => {
    const path = `/v1/partner/assets/${asset}/impressions/${route}&from_date=${from}&to_date=`
    const { status, body } = await get(path + to)
    expect([status, body.error.code, body.error.details]).toEqual([400, 'RANGE_TOO_LARGE', { max_days }])
    const allowed = new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10)
    const { body: accepted } = await get(path + allowed)
    expect(accepted.error?.code).not.toBe('RANGE_TOO_LARGE')
  })
})

test('of several errors in a request, the first in the order of the checks is reported', async () => {
  const path = `/v1/partner/assets/${foreign}/impressions/timeseries`
  const codes = async (query: string, options = {}) => {
    const { body } = await world.get(`${path}?${query}`, { key, ...options })
    return [body.error.code, body.error.details.parameter]
  }
  expect(await codes('to_date=x&grain=x')).toEqual(['REQUIRED_PARAMETER', 'from_date'])
  expect(await codes('grain=x&to_date=x&from_date=x')).toEqual(['INVALID_DATE', 'from_date'])
  expect(await codes('grain=x&to_date=x&from_date=2026-01-02')).toEqual(['INVALID_DATE', 'to_date'])
  expect(await codes('grain=x&to_date=2026-01-01&from_date=2026-01-02')).toEqual(['INVALID_PARAMETER', 'grain'])
  expect(await codes('to_date=2026-01-01&from_date=2026-01-02')).toEqual(['REQUIRED_PARAMETER', 'grain'])
  expect(await codes('grain=minute&to_date=2026-01-01&from_date=2026-01-02')).toEqual(['INVALID_DATE_RANGE', undefined])
  expect(await codes('grain=minute&to_date=2026-02-01&from_date=2026-01-02')).toEqual(['RANGE_TOO_LARGE', undefined])
  expect(await codes('grain=minute&to_date=2026-01-02&from_date=2026-01-02')).toEqual(['NOT_FOUND', undefined])
  const own = await get(
    `/v1/partner/assets/${asset}/impressions/timeseries?grain=minute&to_date=2026-01-02&from_date=2026-01-02`,
  )
  expect(own.body.error.code).toBe('GRAIN_NOT_AVAILABLE')
  expect(own.body.error.details).toEqual({ grain: 'minute', finest_grain: 'quarter_hour' })
  expect(await codes('from_date=x', { key: 'wrong' })).toEqual(['INVALID_API_KEY', undefined])
  expect(await codes('from_date=x', { key: 'wrong', method: 'DELETE' })).toEqual(['METHOD_NOT_ALLOWED', undefined])
  const unknownPath = await world.get('/v1/partner/nowhere', { key: 'wrong', method: 'DELETE' })
  expect(unknownPath.body.error.code).toBe('NOT_FOUND')
})

test('the parameters of a list are checked in the order limit, cursor, asset', async () => {
  const readError = async (query: string) => (await get(`/v1/partner/sensors?${query}`)).body.error
  expect(await readError('asset_id=x&asset_id=y&cursor=x&limit=0')).toMatchObject({
    code: 'INVALID_PARAMETER',
    details: { parameter: 'limit', value: '0', expected: 'a whole number from 1 to 500' },
  })
  expect((await readError('asset_id=x&asset_id=y&cursor=x')).code).toBe('INVALID_CURSOR')
  expect((await readError('asset_id=x&asset_id=y')).details.parameter).toBe('asset_id')
  expect((await readError('asset_id=x')).code).toBe('NOT_FOUND')
  for (const limit of ['', '0', '501', '-1', '1.5', '1e2', 'x', ' 5', '٥', '0005']) {
    expect((await readError(`limit=${encodeURIComponent(limit)}`)).details).toMatchObject({
      parameter: 'limit',
      value: limit,
    })
  }
})

test('a repeated parameter gets INVALID_PARAMETER, and so does an unknown one', async () => {
  const path = `/v1/partner/assets/${asset}/impressions/daily?from_date=2026-01-01&to_date=2026-01-02`
  const { body } = await get(`${path}&from_date=2026-01-01`)
  expect(body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: 'from_date' } })
  const unknown = await get(`${path}&colour=red&from_dat=x&limit=0`)
  expect(unknown.body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: 'colour' } })
  const near = await get(`${path}&from_dat=x`)
  expect(near.body.error.details).toMatchObject({ parameter: 'from_dat', did_you_mean: 'from_date' })
})

test('invalid parameters without a valid key get 401', async () => {
  for (const options of [{}, { key: 'msk_test_x' }, { key: 'msk_live_x' }]) {
    const { status } = await world.get(`/v1/partner/assets/${asset}/impressions/daily?from_date=x`, options)
    expect(status).toBe(401)
  }
})

describe('an asset out of scope', () => {
  const query = '?from_date=2026-01-01&to_date=2026-01-02'
  const paths = (id: string) => [
    `/v1/partner/assets/${id}`,
    ...RANGED.map(
      route => `/v1/partner/assets/${id}/${route}${query}${route.endsWith('timeseries') ? '&grain=day' : ''}`,
    ),
    `/v1/partner/sensors?asset_id=${id}`,
    `/v1/partner/sensors?asset_ids=${asset},${id}`,
    `/v1/partner/assets?asset_ids=${asset},${id}`,
    `/v1/partner/impressions${query}&asset_ids=${asset},${id}`,
    `/v1/partner/impressions/aggregate${query}&asset_ids=${asset},${id}`,
    `/v1/partner/demographics/aggregate${query}&asset_ids=${asset},${id}`,
  ]

  test('gets the same 404 as one that does not exist, by the same statements', async () => {
    for (const [i, path] of paths(foreign).entries()) {
      const observe = async (address: string) => {
        let response: TestResponse | undefined
        const { statements, roundTrips } = await watchTraffic(async () => {
          response = await get(address)
        })
        return { status: response?.status, text: response?.text, statements, roundTrips }
      }
      const outside = await observe(path)
      expect(outside.status).toBe(404)
      expect(outside.text).toBe(
        JSON.stringify({ error: { code: 'NOT_FOUND', message: ERRORS.NOT_FOUND.message, details: {} } }),
      )
      for (const unknown of [
        'qqqqqqqqqqqqqqqqqqqqqqqq',
        '1',
        'A B',
        '..%2F..',
        'x'.repeat(3000),
        '%F0%9F%98%80',
        "'; --",
      ]) {
        expect(await observe(paths(unknown)[i] as string)).toEqual(outside)
      }
    }
  })

  test('is not listed', async () => {
    const { data } = await world.read('/v1/partner/assets?limit=500', key)
    expect(data.map(({ id }: { id: string }) => id)).toEqual([asset])
    const sensors = await world.read('/v1/partner/sensors?limit=500', key)
    expect(sensors.data.map((sensor: { asset_id: string }) => sensor.asset_id)).toEqual([asset])
  })
})

test('aggregated demographics accept 1 to 200 ids, ISO codes of countries and regions, and a city', async () => {
  const readError = async (query: string) =>
    (await get(`/v1/partner/demographics/aggregate?from_date=2026-01-01&to_date=2026-01-02&${query}`)).body.error
  const many = Array.from({ length: 201 }, () => asset).join()
  for (const query of [
    'asset_ids=',
    `asset_ids=${many}`,
    'country=',
    'country=Germany',
    'country=de',
    'region=BE',
    'city=',
  ]) {
    expect((await readError(query))?.code).toBe('INVALID_PARAMETER')
  }
  expect(await readError(`asset_ids=${many.slice(0, many.lastIndexOf(','))}`)).toBeUndefined()
  expect((await readError('asset_ids=,')).code).toBe('NOT_FOUND')
})

test.each(['assets?updated_since', 'sensors?updated_since', 'changes?since'])(
  '%s is a time in RFC 3339 with an offset below 16 hours',
  async parameter => {
    const read = (value: string) => get(`/v1/partner/${parameter}=${encodeURIComponent(value)}`)
    for (const value of ['0001-01-01T00:00:00+15:59', '9999-12-31T23:59:59.999999999-15:59']) {
      expect([value, (await read(value)).status]).toEqual([value, 200])
    }
    for (const value of ['2026-01-01T00:00:00+16:00', '9999-12-31T23:59:59-23:59', '2026-01-01T00:00:00+24:00']) {
      const { status, body } = await read(value)
      expect([status, body.error.code, body.error.details.value]).toEqual([400, 'INVALID_PARAMETER', value])
    }
  },
)
