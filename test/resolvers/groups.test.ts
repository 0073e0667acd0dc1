/**
 * Assets and groups of assets in GraphQL: filters, order, and the figures of all that match. What is expected is recomputed from the rows that
 * were stored. The world compares the figures of single assets, and those of groups that REST has too.
 */
import { AGE_BANDS, GENDERS } from '../../schema/demographic-groups'
import type { Factory, Made, MadeAsset } from '../support/factories'
import { watchTraffic } from '../support/traffic'
import { World } from '../support/world'

let world: World
/** A key of both companies. */
let key: string
let companies: Made[]

interface Asset {
  made: MadeAsset
  name: string
  company: string
  country: string
  city: string | null
  format: string
}

interface Count {
  asset: Asset
  date: string
  count: number
  /** An age band and a gender, of demographics. */
  group?: string
}

const assets: Asset[] = []
const counts: Count[] = []
const persons: Count[] = []

const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0)

const round = (value: number, places = 4) => Math.round(value * 10 ** places) / 10 ** places

/** A pseudorandom number below a limit. */
const random = (() => {
  let state = 7
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
})()

const PLACES = [
  { country: 'DE', city: 'Berlin', latitude: 52.5, longitude: 13.35, time_zone: 'Europe/Berlin' },
  { country: 'DE', city: 'Potsdam', latitude: 52.39, longitude: 13.06, time_zone: 'Europe/Berlin' },
  { country: 'DE', city: null, latitude: 50, longitude: 8, media_type: 'static', time_zone: 'Europe/Berlin' },
  { country: 'US', city: 'Boston', latitude: 42, longitude: -71, status: 'inactive', time_zone: 'America/New_York' },
  { country: 'FJ', city: 'Suva', latitude: -16.8, longitude: 179.98, time_zone: 'Pacific/Fiji' },
]

beforeAll(async () => {
  world = await World.open()
  await world.make.together(prepare)
})
afterAll(() => world.stop())

/** Makes five assets of each company, with counts of days and demographics, and an asset that is out of scope. */
async function prepare(make: Factory): Promise<void> {
  companies = [await make.company('Acme'), await make.company('Zeta')]
  key = await make.key(companies, { scopes: ['internal:graphql:read'] })
  for (const [i, place] of [...PLACES, ...PLACES].entries()) {
    const format = i % 3 === 0 ? 'transit' : 'billboard'
    const name = `Asset ${9 - i}`
    const company = companies[i < 5 ? 0 : 1]!
    const made = await make.asset({ name, format, company, ...place })
    const asset = { made, name, company: i < 5 ? 'Acme' : 'Zeta', country: place.country, city: place.city, format }
    assets.push(asset)
    // The last asset of each company has no counts, and one has none in the second range.
    if (i % 5 === 4) continue
    const sensor = await make.sensor({ asset: made, grain: 'day' })
    for (let date = '2026-01-05'; date < '2026-04-20'; date = dayAfter(date, 1 + random(3))) {
      if (i === 2 && date > '2026-02-28') break
      const count = random(5) === 0 ? 0 : random(1_000)
      await make.counts(sensor, date, () => count)
      counts.push({ asset, date, count })
      if (random(2) > 0) continue
      const group = `${AGE_BANDS[random(AGE_BANDS.length)]} ${GENDERS[random(GENDERS.length)]}`
      await make.demographics(made, date, { [group]: 1 + (count % 20) })
      persons.push({ asset, date, group, count: 1 + (count % 20) })
    }
  }
  const foreign = await make.asset({ name: 'Foreign', city: 'Berlin' })
  await make.counts(await make.sensor({ asset: foreign, grain: 'day' }), '2026-03-03', () => 77_777)
}

test.each([
  ['', 10],
  ['country: ["DE"]', 6],
  ['country: "DE", city: "Potsdam"', 2],
  ['city: ["Berlin", "Boston"]', 4],
  ['mediaType: static', 2],
  ['format: transit', 4],
  ['status: [inactive, archived]', 2],
  ['nameContains: "ASSET 7"', 1],
  ['nameContains: "%"', 0],
  ['box: { south: 52, west: 13, north: 53, east: 14 }', 4],
  ['box: { south: -20, west: 179, north: 0, east: -179 }', 2],
  ['near: { latitude: 52.5, longitude: 13.35, meters: 100 }', 2],
  ['near: { latitude: 52.5, longitude: 13.35, meters: 24000 }', 4],
  ['near: { latitude: -16.8, longitude: -179.98, meters: 5000 }', 2],
  ['hasOwnSensor: true', 0],
  ['hasOwnSensor: false', 10],
  [() => `companyId: ["${companies[0]?.id}"]`, 5],
  [() => 'companyId: ["nothing"]', 0],
])('the filter { %s } matches %i assets', async (filter, expected) => {
  const given = typeof filter === 'string' ? filter : filter()
  const { assets: page } = await world.graphql(key, `{ assets(filter: { ${given} }) { count nodes { name } } }`)
  expect([page.count, page.nodes.length]).toEqual([expected, expected])
  expect(page.nodes).not.toContainEqual({ name: 'Foreign' })
})

test('a filter with an unknown id has no page', async () => {
  expect(await world.graphql(key, '{ assets(filter: { id: ["nothing"] }) { count } }')).toEqual({ assets: null })
})

test.each(['id', 'name', 'created', 'updated', 'measured_to'])(
  'pages by %s have each asset once, in order',
  async by => {
    const read = async (descending: boolean, limit: number) => {
      const found: string[] = []
      for (let after: string | null = null, hasMore = true; hasMore; ) {
        const sort = `{ by: ${by}, descending: ${descending} }`
        const query = `query ($after: ID) { assets(limit: ${limit}, after: $after, sort: ${sort}) { hasMore last nodes { name } } }`
        const { assets: page } = await world.graphql(key, query, { after })
        found.push(...page.nodes.map(({ name }: Asset) => name))
        after = page.last
        hasMore = page.hasMore
      }
      return found
    }
    const ascending = await read(false, 3)
    expect(new Set(ascending).size).toBe(10)
    expect(await read(false, 10)).toEqual(ascending)
    if (by === 'name') expect(ascending).toEqual([...ascending].sort())
    if (by === 'id' || by === 'name') expect(await read(true, 3)).toEqual(ascending.toReversed())
  },
)

const JANUARY = '(fromDate: "2026-01-01", toDate: "2026-01-31")'

test.each([
  `nodes {
    company { name } sensors { serial asset { company { name } } } demographics${JANUARY} { total }
    impressions${JANUARY} { summary { total } daily { total } byCity { total } }
  }`,
  `impressions${JANUARY} { top(limit: $limit) { asset { name sensors { serial } } } }`,
])('fields nested under a list take the same number of statements for all assets as for a few (%#)', async fields => {
  const query = `query ($limit: Int!) { assets(limit: $limit) { count ${fields} } }`
  const statementsOf = async (limit: number) => {
    const { statements } = await watchTraffic(() => world.graphql(key, query, { limit }))
    // The number of batches, each of which authenticates the key, depends on the time that they take.
    return statements.filter(name => name !== 'authenticate-key').sort()
  }
  // Reads the rules of time zones, once for the process.
  await statementsOf(10)
  // Two assets have no sensors.
  expect(await statementsOf(10)).toEqual(await statementsOf(3))
})

/** Cut months, also with whole ones in between. */
const RANGES = [
  ['2026-03-01', '2026-03-17', '2026-02-01', '2026-02-17'],
  ['2026-02-10', '2026-04-09', '2026-01-05', '2026-03-02'],
  ['2026-02-01', '2026-02-17', '2026-03-01', '2026-03-17'],
] as const

const FILTERS: [filter: string, matches: (asset: Asset) => boolean][] = [
  ['{}', () => true],
  ['{ country: "DE" }', ({ country }) => country === 'DE'],
  ['{ nameContains: "Asset 7" }', ({ name }) => name === 'Asset 7'],
]

const readGroup = async (filter: string, [from, to]: readonly string[], selection: string) => {
  const range = `fromDate: "${from}", toDate: "${to}"`
  const query = `{ assets(filter: ${filter}, limit: 1) { impressions(${range}) { ${selection} } }
    demographicsAggregate(filter: ${filter}, ${range}) {
      total groups(groupBy: city) { country city assetCount total suppressed gender { gender impressions share } } } }`
  const { assets: page, demographicsAggregate: demographics } = await world.graphql(key, query)
  return { impressions: page.impressions, demographics }
}

const weekdayOf = (date: string) => new Date(date).getUTCDay() || 7

const nameOf = ({ country, city }: Pick<Asset, 'country' | 'city'>) => `${country} ${city}`

describe.each(RANGES)('from %s to %s, against %s to %s', (from, to, before, until) => {
  const isIn = (first: string, last: string) => (row: Count) => first <= row.date && row.date <= last
  const changeOf = (impressions: number | null, comparedWith: number | null) => {
    const change = impressions === null || comparedWith === null ? null : impressions - comparedWith
    return {
      impressions,
      comparedWith,
      change,
      changeRate: change === null || !comparedWith ? null : round(change / comparedWith),
    }
  }

  describe.each(FILTERS)('of the assets %s', (filter, matches) => {
    const matching = () => assets.filter(matches)
    const own = (rows: Count[], [first, last]: readonly [string, string]) =>
      rows.filter(row => matches(row.asset) && isIn(first, last)(row))
    const totalOf = (rows: Count[]) => (rows.length > 0 ? sum(rows) : null)
    const FIELDS = 'assetId name impressions comparedWith change changeRate'
    const AGAINST = `fromDate: "${before}", toDate: "${until}"`

    test.each([
      ['impressions', true],
      ['change', false],
      ['change_rate', true],
    ] as const)('assets are sorted by %s (descending: %s), with their change', async (by, descending) => {
      const sort = `against: { ${AGAINST} }, sort: { by: ${by}, descending: ${descending} }`
      const figure = by === 'change_rate' ? 'changeRate' : by
      const ofAsset = (asset: Asset, range: readonly [string, string]) =>
        totalOf(own(counts, range).filter(row => row.asset === asset))
      const expected = matching().map(asset => ({
        ...{ assetId: asset.made.id, name: asset.name },
        ...changeOf(ofAsset(asset, [from, to]), ofAsset(asset, [before, until])),
      }))
      expected.sort((a, b) => {
        const [x, y] = [a[figure], b[figure]]
        const isNull = (x === null ? 1 : 0) - (y === null ? 1 : 0)
        return isNull || ((x ?? 0) - (y ?? 0)) * (descending ? -1 : 1) || (a.assetId < b.assetId ? -1 : 1)
      })
      const { impressions } = await readGroup(
        filter,
        [from, to],
        `total top(limit: 500, ${sort}) { ${FIELDS} share asset { name } } first: top(limit: 3, ${sort}) { assetId }`,
      )
      const shareOf = (row: { impressions: number | null }) => round(row.impressions! / impressions.total)
      const withShare = (row: (typeof expected)[number]) => ({ ...row, share: shareOf(row), asset: { name: row.name } })
      const counted = (rows: typeof expected) => rows.filter(row => row.impressions !== null)
      expect(impressions.top).toEqual(counted(expected).map(withShare))
      expect(impressions.first).toEqual(counted(expected.slice(0, 3)).map(({ assetId }) => ({ assetId })))
    })

    test('totals, weekdays and audiences are those of the stored rows', async () => {
      const rows = own(counts, [from, to])
      const total = sum(rows)
      const { impressions, demographics } = await readGroup(
        filter,
        [from, to],
        `total compare(${AGAINST}) { impressions comparedWith change changeRate }
        byWeekday(groupBy: city) { weekday country city impressions daysWithData averageDailyImpressions }`,
      )
      expect(impressions.total).toBe(total)
      expect(impressions.compare).toEqual(changeOf(total, sum(own(counts, [before, until]))))
      for (const { weekday, ...found } of impressions.byWeekday) {
        const ofDay = rows.filter(row => weekdayOf(row.date) === weekday && nameOf(row.asset) === nameOf(found))
        const count = new Set(ofDay.map(({ date }) => date)).size
        const average = count === 0 ? null : round(sum(ofDay) / count, 2)
        expect(found).toMatchObject({
          impressions: totalOf(ofDay),
          daysWithData: count,
          averageDailyImpressions: average,
        })
      }
      const groups = new Set(matching().map(nameOf))
      expect(impressions.byWeekday).toHaveLength(7 * groups.size)
      expect(demographics.groups.map(nameOf).sort()).toEqual([...groups].sort())
      expect(demographics.total).toBe(sum(own(persons, [from, to])))
      for (const { total: found, suppressed, assetCount, gender, ...place } of demographics.groups) {
        const ofGroup = own(persons, [from, to]).filter(({ asset }) => nameOf(asset) === nameOf(place))
        expect([found, suppressed]).toEqual([sum(ofGroup), sum(ofGroup) < 50])
        expect(assetCount).toBe(new Set(ofGroup.map(({ asset }) => asset)).size)
        const expected = GENDERS.map(each => {
          const count = sum(ofGroup.filter(({ group }) => group!.endsWith(` ${each}`)))
          return { gender: each, impressions: count, share: round(count / found) }
        })
        expect(gender).toEqual(suppressed ? [] : expected)
      }
    })
  })
})

const RANGE = 'fromDate: "2026-03-01", toDate: "2026-03-31"'
const NO_RANGE = 'fromDate: "2026-02-01", toDate: "2026-01-01"'

test.each([
  ['assets(limit: 501) { count }', 'INVALID_PARAMETER'],
  [`assets { impressions(${NO_RANGE}) { total } }`, 'INVALID_DATE_RANGE'],
  [`assets { impressions(${RANGE}) { top(sort: { by: change }) { name } } }`, 'INVALID_PARAMETER'],
  [`assets { impressions(${RANGE}) { top(against: { ${NO_RANGE} }) { name } } }`, 'INVALID_DATE_RANGE'],
  ['assets { impressions(fromDate: "2026-03-01", toDate: "2027-04-30") { byHourOfWeek { hour } } }', 'RANGE_TOO_LARGE'],
  [
    'impressions(assetId: "x", fromDate: "2026-02-30", toDate: "2026-03-01") { daily { total } }',
    'GRAPHQL_VALIDATION_FAILED',
  ],
])('{ %s } is refused with %s', async (selection, code) => {
  const { body } = await world.get(`/graphql?query=${encodeURIComponent(`{ ${selection} }`)}`, { key })
  expect(body.errors.map(({ extensions }: { extensions: object }) => extensions)).toMatchObject([{ code }])
})

test('an error of the database is reported once, although several fields read', async () => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  await world.owner.query('ALTER TABLE class_months RENAME TO renamed')
  const { errors } = await world.query(
    key,
    `{ assets { impressions(${RANGE}) { compare(${RANGE}) { comparedWith } } } }`,
  )
  await world.owner.query('ALTER TABLE renamed RENAME TO class_months')
  process.off('unhandledRejection', unhandled)
  expect([errors?.length, unhandled.mock.calls]).toEqual([1, []])
})

test('hours of the week are those of the typical weeks of all assets that have hours', async () => {
  const company = await world.make.company('Hours')
  const holder = await world.make.key([company], { scopes: ['internal:graphql:read'] })
  await world.make.together(async make => {
    for (const [time_zone, grain] of [
      ['Europe/Berlin', 'hour'],
      ['America/New_York', 'quarter_hour'],
      ['Europe/Berlin', 'day'],
    ] as const) {
      const sensor = await make.sensor({ asset: await make.asset({ company, time_zone }), grain })
      for (const date of ['2026-03-08', '2026-03-29', '2026-05-04', '2026-05-11'])
        await make.counts(sensor, date, () => random(100))
    }
  })
  const [from, to] = ['2026-03-01', '2026-05-31']
  const { data } = await world.read(`/v1/partner/impressions/profiles?from_date=${from}&to_date=${to}`, holder)
  const weeks: { average_impressions: number; hours_observed: number }[][] = data.flatMap(({ data: week = null }) =>
    [week].filter(Boolean),
  )
  expect(weeks).toHaveLength(2)
  const query = `{ assets { impressions(fromDate: "${from}", toDate: "${to}") {
    byHourOfWeek { weekday hour impressions hoursObserved averageImpressions } } } }`
  const expected = Array.from({ length: 168 }, (_, i) => {
    const hours = weeks.map(week => week[i]!.hours_observed)
    const hoursObserved = hours.reduce((all, each) => all + each)
    // An average has two decimals, from which the sum of a few hours follows.
    const impressions = weeks.reduce(
      (all, week, j) => all + Math.round((week[i]!.average_impressions ?? 0) * hours[j]!),
      0,
    )
    const place = { weekday: Math.floor(i / 24) + 1, hour: i % 24, hoursObserved }
    if (hoursObserved === 0) return { ...place, impressions: null, averageImpressions: null }
    return { ...place, impressions, averageImpressions: round(impressions / hoursObserved, 2) }
  })
  expect((await world.graphql(holder, query)).assets.impressions.byHourOfWeek).toEqual(expected)
})

describe('sensors', () => {
  const minutesAgo = (minutes: number) => new Date(-minutes * 60_000).toISOString()
  let sensors: string

  beforeAll(() =>
    world.make.together(async make => {
      const company = await make.company('Sensors')
      const asset = await make.asset({ company, country: 'FR' })
      const vendors = [await make.vendor('minute', { name: 'Alpha' }), await make.vendor('hour', { name: 'Beta' })]
      sensors = await make.key([company], { scopes: ['internal:graphql:read'] })
      for (const [i, status] of [null, 'healthy', 'degraded', 'offline', 'unknown'].entries()) {
        for (const age of status === null ? [null] : [0, 30, 30.5, 60, 60.5]) {
          await make.sensor({
            ...{ asset, grain: i % 2 ? 'hour' : 'minute', vendor: vendors[i % 2]! },
            ...{ health_status: status, health_checked_at: age === null ? null : minutesAgo(age) },
            health_last_seen_at: age === null || age === 60 ? null : minutesAgo(age * 10),
          })
        }
      }
      await make.sensor({ health_status: 'offline', health_checked_at: minutesAgo(1) })
    }),
  )

  interface Node {
    vendor: string
    health: { status: string; lastSeenAt: string | null }
  }

  const read = async (args: string) => {
    const fields = 'count counts { vendor status sensors } nodes { id vendor health { status lastSeenAt } }'
    return (await world.graphql(sensors, `{ sensors(limit: 500${args}) { ${fields} } }`)).sensors
  }

  test.each<[args: string, matches: (node: Node) => boolean]>([
    ['', () => true],
    [', health: [offline]', ({ health }) => health.status === 'offline'],
    [', health: [degraded, unknown]', ({ health }) => ['degraded', 'unknown'].includes(health.status)],
    [', vendor: ["Beta", "Nobody"]', ({ vendor }) => vendor === 'Beta'],
    [
      `, lastSeenBefore: "${minutesAgo(300)}"`,
      ({ health: { lastSeenAt } }) => lastSeenAt === null || Date.parse(lastSeenAt) < -300 * 60_000,
    ],
    [
      ', vendor: ["Alpha"], health: [offline], filter: { country: "FR" }',
      ({ vendor, health }) => vendor === 'Alpha' && health.status === 'offline',
    ],
    [', filter: { country: "DE" }', () => false],
  ])('are filtered and counted%s', async (args, matches) => {
    const all: Node[] = (await read('')).nodes
    expect(all).toHaveLength(21)
    const { nodes, count, counts: found } = await read(args)
    expect(nodes).toEqual(all.filter(matches))
    expect(count).toBe(nodes.length)
    for (const { vendor, status, sensors: number } of found)
      expect(number).toBe(nodes.filter((node: Node) => node.vendor === vendor && node.health.status === status).length)
    expect(found.reduce((total: number, row: { sensors: number }) => total + row.sensors, 0)).toBe(count)
  })
})
