/** Parameters of all routes: which values are refused, with which error, and in which order they are checked. */
import type { RouteRecord } from '../../../rest-gateway/record'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import { World } from '../../support/world'

let world: World
let key: string
/** An asset with quarter hours, and one of another company. */
let own: string
let foreign: string
/** One that had a sensor by day from 1 February until 9 March, and has one by minute from 1 March on. */
let moved: string
/** The last transaction. */
let asOf: string

beforeAll(async () => {
  world = await World.open()
  await world.make.together(async make => {
    const company = await make.company()
    key = await make.key([company], { scopes: ['internal:graphql:read'] })
    const asset = await make.asset({ company })
    await make.asset({ company })
    await make.counts(await make.sensor({ asset, grain: 'quarter_hour' }), '2026-03-01', () => 5)
    own = asset.id
    foreign = (await make.sensor()).asset?.id as string
    const changing = await make.asset({ company })
    const former = { installed_at: '2026-02-01T00:00:00+01:00', removed_at: '2026-03-10T00:00:00+01:00' }
    await make.sensor({ asset: changing, grain: 'day', ...former })
    await make.sensor({ asset: changing, grain: 'minute', installed_at: '2026-03-01T00:00:00+01:00' })
    moved = changing.id
  })
  const [row] = await world.rows('SELECT max(committed_at) AS at FROM transactions')
  asOf = String(row?.at)
})
afterAll(() => world.stop())

const fill = (path: string) =>
  `/v1/partner/${path.replace('{own}', own).replace('{foreign}', foreign).replace('{as_of}', asOf)}`

/** Returns the error of a request. */
async function readError(path: string, options = {}) {
  const { status, body } = await world.get(fill(path), { key, ...options })
  return { status, code: body.error?.code, details: body.error?.details }
}

/** Returns the path of a route, without its parameters. */
const pathOf = ({ path }: RouteRecord) => path.replace('/v1/partner/', '').replace('{id}', '{own}')

const routesWith = (name: string) =>
  partnerRoutes.filter(({ parameters }) => parameters.some(each => each.name === name))

/** A value for each parameter that a route requires besides the dates. */
const requiredOf = ({ parameters }: RouteRecord) =>
  parameters.some(({ name, required }) => name === 'grain' && required) ? '&grain=day' : ''

const DATES = ['2026-02-30', '2026-1-1', 'yesterday', '0000-01-01', '2026-01-01T00:00:00Z', '２０２６-01-01']

test.each(routesWith('from_date').map(route => [pathOf(route), route] as const))(
  'the range of %s consists of two real dates in order: from_date is checked first, then to_date',
  async (path, route) => {
    for (const [query, code, details] of [
      ['', 'REQUIRED_PARAMETER', { parameter: 'from_date' }],
      ['to_date=2026-01-01', 'REQUIRED_PARAMETER', { parameter: 'from_date' }],
      ['from_date=&to_date=2026-01-01', 'REQUIRED_PARAMETER', { parameter: 'from_date' }],
      ['from_date=2026-01-01', 'REQUIRED_PARAMETER', { parameter: 'to_date' }],
      ...DATES.map(value => [
        `from_date=${encodeURIComponent(value)}&to_date=2026-01-01`,
        'INVALID_DATE',
        { parameter: 'from_date', value },
      ]),
      [
        'from_date=2026-01-02&to_date=2026-01-01',
        'INVALID_DATE_RANGE',
        { from_date: '2026-01-02', to_date: '2026-01-01' },
      ],
    ]) {
      const error = await readError(`${path}?${query}${requiredOf(route)}`)
      expect([query, error]).toEqual([query, { status: 400, code, details }])
    }
  },
)

const ASSET = 'assets/{own}/impressions'
const DECADE = 'from_date=2016-01-01&to_date=2025-12-31'
const WEEK = 'from_date=2026-01-01&to_date=2026-01-07'

test.each<[path: string, details: object, allowed: string]>([
  ...(
    [
      [`${ASSET}/timeseries?grain=minute`, 7, '2026-01-01', '2026-01-08'],
      [`${ASSET}/timeseries?grain=quarter_hour`, 105, '2026-01-01', '2026-04-16'],
      [`${ASSET}/timeseries?grain=hour`, 420, '2026-01-01', '2027-02-25'],
      [`${ASSET}/timeseries?grain=quarter`, 3660, '2016-01-01', '2026-01-08'],
      [`${ASSET}/hourly?`, 420, '2026-01-01', '2027-02-25'],
      [`${ASSET}/daily?`, 3660, '2016-01-01', '2026-01-08'],
      [`${ASSET}/summary?`, 3660, '2016-01-01', '2026-01-08'],
      [`${ASSET}/by-city?`, 3660, '2016-01-01', '2026-01-08'],
      ['impressions/profiles?', 420, '2026-01-01', '2027-02-25'],
    ] as const
  ).map(([path, max_days, from, to]): [string, object, string] => {
    const before = new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10)
    return [`${path}&from_date=${from}&to_date=${to}`, { max_days }, `${path}&from_date=${from}&to_date=${before}`]
  }),
  // A page in JSON has a bounded number of rows.
  [`impressions?${DECADE}&limit=100`, { max_days: 500 }, `impressions?${DECADE}&limit=13`],
  [
    `impressions?${WEEK}&grain=minute&limit=500`,
    { max_days: 0, max_limit: 4 },
    `impressions?${WEEK}&grain=minute&limit=4`,
  ],
  ['gaps?from_date=2025-01-01&to_date=2026-03-05&limit=500', { max_days: 100 }, `gaps?${WEEK}&limit=500`],
  [`impressions/profiles?${WEEK}&limit=298`, { max_days: 0, max_limit: 297 }, `impressions/profiles?${WEEK}&limit=297`],
])('the range of %s is too large', async (path, details, allowed) => {
  expect(await readError(path)).toEqual({ status: 400, code: 'RANGE_TOO_LARGE', details })
  expect((await readError(allowed)).code).not.toBe('RANGE_TOO_LARGE')
})

const DAY = 'from_date=2026-03-01&to_date=2026-03-01'

/** Refused values, by parameter and route. */
const INVALID: [parameter: string, path: string, values: string[]][] = [
  ['limit', 'sensors?', ['', '0', '501', '-1', '1.5', '1e2', 'x', ' 5', '٥', '0005']],
  ['limit', `notes?${DAY}`, ['501']],
  ['limit', `impressions?${DAY}&output=csv`, ['5']],
  ['cursor', `impressions?${DAY}&output=csv`, ['x']],
  ['kind', `notes?${DAY}`, ['break']],
  ['kinds', 'changes?', ['note', '']],
  ['external_id', 'assets?', ['hivestack', ':A-1', 'hivestack:', 'hivestack:A-1,', '']],
  ['seconds', `impressions/profiles?${DAY}`, ['0', '86401', '1.5']],
  ['grain', `impressions/profiles?${DAY}`, ['hour']],
  ['output', `${ASSET}/daily?${DAY}`, ['parquet']],
  ...routesWith('as_of').map((route): (typeof INVALID)[number] => [
    'as_of',
    `${pathOf(route)}?${DAY}${requiredOf(route)}`,
    ['2026-03-01', '2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z'],
  ]),
  // Only totals of days are kept.
  ['as_of', `${ASSET}/timeseries?grain=hour&${DAY}`, ['{as_of}']],
  ['as_of', `impressions?grain=quarter_hour&${DAY}`, ['{as_of}']],
  ...['hourly', 'by-region', 'by-city'].map((route): (typeof INVALID)[number] => [
    'as_of',
    `${ASSET}/${route}?${DAY}`,
    ['{as_of}'],
  ]),
]

test.each(INVALID)('%s of %s is refused where it is one of %j', async (parameter, path, values) => {
  for (const value of values) {
    const sent = value === '{as_of}' ? value : encodeURIComponent(value)
    const { status, code, details } = await readError(`${path}&${parameter}=${sent}`)
    expect([value, status, code]).toEqual([value, 400, 'INVALID_PARAMETER'])
    expect(details).toMatchObject({ parameter, expected: expect.stringMatching(/./) })
    if ('value' in details) expect(fill(details.value)).toBe(fill(value))
  }
})

test('as_of is accepted from a key without companies, for which no asset exists', async () => {
  const options = { key: await world.make.key([]) }
  expect(await readError(`${ASSET}/daily?${DAY}&as_of={as_of}`, options)).toMatchObject({ code: 'NOT_FOUND' })
})

test('as_of is an argument in GraphQL', async () => {
  const range = 'fromDate: "2026-03-01", toDate: "2026-03-01"'
  const query = `{ impressionsAggregate(${range}, asOf: "${asOf}") { total }
    assets { nodes { impressions(${range}) { daily(asOf: "${asOf}") { total } } } } }`
  const { body } = await world.get(`/graphql?query=${encodeURIComponent(query)}`, { key })
  expect(body.data.impressionsAggregate).toEqual({ total: 480 })
  expect(body.data.assets.nodes).toContainEqual({ impressions: { daily: { total: 480 } } })
})

const SERIES = 'assets/{foreign}/impressions/timeseries'
const ONE = 'to_date=2026-01-02&from_date=2026-01-02'

test.each<[path: string, code: string, details: object, options?: object]>([
  [`${SERIES}?to_date=x&grain=x`, 'REQUIRED_PARAMETER', { parameter: 'from_date' }],
  [`${SERIES}?grain=x&to_date=x&from_date=x`, 'INVALID_DATE', { parameter: 'from_date' }],
  [`${SERIES}?grain=x&to_date=x&from_date=2026-01-02`, 'INVALID_DATE', { parameter: 'to_date' }],
  [`${SERIES}?grain=x&to_date=2026-01-01&from_date=2026-01-02`, 'INVALID_PARAMETER', { parameter: 'grain' }],
  [`${SERIES}?to_date=2026-01-01&from_date=2026-01-02`, 'REQUIRED_PARAMETER', { parameter: 'grain' }],
  [`${SERIES}?grain=minute&to_date=2026-01-01&from_date=2026-01-02`, 'INVALID_DATE_RANGE', {}],
  [`${SERIES}?grain=minute&to_date=2026-02-01&from_date=2026-01-02`, 'RANGE_TOO_LARGE', {}],
  [`${SERIES}?grain=minute&${ONE}`, 'NOT_FOUND', {}],
  [`${ASSET}/timeseries?grain=minute&${ONE}`, 'GRAIN_NOT_AVAILABLE', { grain: 'minute', finest_grain: 'quarter_hour' }],
  [`${SERIES}?from_date=x`, 'MISSING_API_KEY', {}, { key: undefined }],
  [`${SERIES}?from_date=x`, 'INVALID_API_KEY', {}, { key: 'wrong' }],
  [`${SERIES}?from_date=x`, 'METHOD_NOT_ALLOWED', {}, { key: 'wrong', method: 'DELETE' }],
  ['sensors?asset_id=x&asset_id=y&cursor=x&limit=0', 'INVALID_PARAMETER', { parameter: 'limit', value: '0' }],
  ['sensors?asset_id=x&asset_id=y&cursor=x', 'INVALID_CURSOR', {}],
  ['sensors?asset_id=x&asset_id=y', 'INVALID_PARAMETER', { parameter: 'asset_id' }],
  ['sensors?asset_id=x', 'NOT_FOUND', {}],
  [`${ASSET}/daily?${ONE}&from_date=2026-01-01`, 'INVALID_PARAMETER', { parameter: 'from_date' }],
  [`${ASSET}/daily?${ONE}&colour=red&from_dat=x&limit=0`, 'INVALID_PARAMETER', { parameter: 'colour' }],
  [`${ASSET}/daily?${ONE}&from_dat=x`, 'INVALID_PARAMETER', { parameter: 'from_dat', did_you_mean: 'from_date' }],
])('of the errors of %s the first in the order of the checks is %s', async (path, code, details, options = {}) => {
  expect(await readError(path, options)).toMatchObject({ code, details })
})

test.each([
  ['minute', '2026-01-31', '2026-01-31', 'quarter_hour'],
  ['quarter_hour', '2026-01-31', '2026-01-31', undefined],
  ['hour', '2026-01-31', '2026-02-01', 'day'],
  ['minute', '2026-03-09', '2026-03-10', 'day'],
  ['minute', '2026-03-10', '2026-03-10', undefined],
])(
  'the grain %s from %s to %s is no finer than that of the sensors which are installed then: %s',
  async (grain, from, to, finest_grain) => {
    const path = `assets/${moved}/impressions/timeseries?grain=${grain}&from_date=${from}&to_date=${to}`
    expect((await readError(path)).details).toEqual(finest_grain && { grain, finest_grain })
  },
)

test('a cursor is bound to its list and filters, not to the page', async () => {
  const { pagination } = await world.read('/v1/partner/assets?limit=1&country=DE', key)
  const codeOf = async (path: string) => (await readError(`${path}&cursor=${pagination.cursor}`)).code
  expect(await codeOf('assets?limit=3&country=DE')).toBeUndefined()
  for (const path of ['assets?limit=1', 'assets?limit=1&country=FR', 'sensors?limit=1&country=DE'])
    expect([path, await codeOf(path)]).toEqual([path, 'INVALID_CURSOR'])
})

test('a range may be in the future', async () => {
  const path = fill(`${ASSET}/daily?from_date=2199-12-31&to_date=2200-01-01`)
  const days = ['2199-12-31', '2200-01-01'].map(date => ({ date, impressions: null, coverage: 0 }))
  expect((await world.read(path, key)).data).toEqual(days)
})

test('a date that the time zone of an asset skipped is no day of a range', async () => {
  const company = await world.make.company()
  const { id } = await world.make.asset({ company, time_zone: 'Pacific/Apia' })
  const path = `/v1/partner/assets/${id}/impressions/daily?from_date=2011-12-29&to_date=2011-12-31`
  const { data } = await world.read(path, await world.make.key([company]))
  expect(data.map(({ date }: { date: string }) => date)).toEqual(['2011-12-29', '2011-12-31'])
})
