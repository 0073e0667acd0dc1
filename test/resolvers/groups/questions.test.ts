/** Questions of analysts about groups of assets. What is expected is recomputed from the rows that are stored. */
import { Temporal } from 'temporal-polyfill'
import { AGE_BANDS, GENDERS } from '../../../schema/demographic-groups'
import type { MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string

/** The days with counts, and with demographics, of all assets in scope. */
interface Row {
  asset: MadeAsset
  date: string
  count: number
}

const counts: Row[] = []
const persons: (Row & { group: string })[] = []
const assets: { made: MadeAsset; name: string; city: string | null; country: string; format: string }[] = []

const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0)

/** A pseudorandom number below a limit. */
const random = (() => {
  let state = 7
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
})()

beforeAll(async () => {
  world = await World.open()
  const company = await world.make.company('Company')
  const other = await world.make.company('Other')
  key = await world.make.key([company, other], { scopes: ['internal:graphql:read'] })
  const places = [
    ['DE', 'Berlin', 'Europe/Berlin'],
    ['DE', 'Bremen', 'Europe/Berlin'],
    ['DE', null, 'Europe/Berlin'],
    ['US', 'Boston', 'America/New_York'],
    ['NZ', 'Napier', 'Pacific/Auckland'],
  ] as const
  await world.make.together(async make => {
    for (const [i, [country, city, time_zone]] of [...places, ...places].entries()) {
      const [name, format] = [`Asset ${9 - i}`, i % 3 === 0 ? 'transit' : 'billboard']
      const made = await make.asset({ ...{ name, country, city, format, time_zone }, company: i < 5 ? company : other })
      assets.push({ made, name, city, country, format })
      // The last asset of each company has no counts, and one has none in the second range.
      if (i % 5 === 4) continue
      const sensor = await make.sensor({ asset: made, grain: 'day' })
      for (let date = '2026-01-05'; date < '2026-04-20'; date = dayAfter(date, 1 + random(3))) {
        if (i === 2 && date > '2026-02-28') break
        const count = random(5) === 0 ? 0 : random(1_000)
        await make.counts(sensor, date, () => count)
        counts.push({ asset: made, date, count })
        if (random(2) > 0) continue
        const group = `${AGE_BANDS[random(AGE_BANDS.length)]} ${GENDERS[random(GENDERS.length)]}`
        await make.demographics(made, date, { [group]: 1 + (count % 20) })
        persons.push({ asset: made, date, group, count: 1 + (count % 20) })
      }
    }
    const foreign = await make.asset({ name: 'Foreign', city: 'Berlin' })
    await make.counts(await make.sensor({ asset: foreign, grain: 'day' }), '2026-03-03', () => 77_777)
  })
})
afterAll(() => world.stop())

/** Cut months, also with whole ones in between. */
const RANGES = [
  ['2026-03-01', '2026-03-17', '2026-02-01', '2026-02-17'],
  ['2026-02-10', '2026-04-09', '2026-01-05', '2026-03-02'],
] as const

const FILTERS: [filter: string, matches: (asset: (typeof assets)[number]) => boolean][] = [
  ['{}', () => true],
  ['{ country: "DE" }', ({ country }) => country === 'DE'],
  ['{ nameContains: "Asset 7" }', ({ name }) => name === 'Asset 7'],
]

const isIn = (from: string, to: string) => (row: Row) => from <= row.date && row.date <= to

const readGroup = async (filter: string, [from, to]: readonly string[], selection: string) =>
  (
    await world.graphql(
      key,
      `{ assets(filter: ${filter}) { impressions(fromDate: "${from}", toDate: "${to}") { ${selection} } } }`,
    )
  ).assets.impressions

/** Returns the name of a group of assets. */
const nameOf = (row: object, attributes: readonly string[]) =>
  JSON.stringify(attributes.map(name => row[name as never]))

const round = (value: number) => Math.round(value * 10_000) / 10_000

describe.each(RANGES)('from %s to %s, against %s to %s', (from, to, before, until) => {
  describe.each(FILTERS)('of the assets %s', (filter, matches) => {
    /** Returns the sums of each asset from the stored rows. */
    const expectAssets = () =>
      assets.filter(matches).map(({ made, name }) => {
        const own = counts.filter(row => row.asset === made && isIn(from, to)(row))
        const others = counts.filter(row => row.asset === made && isIn(before, until)(row))
        const impressions = own.length > 0 ? sum(own) : null
        const comparedWith = others.length > 0 ? sum(others) : null
        const change = impressions === null || comparedWith === null ? null : impressions - comparedWith
        const changeRate = change === null || !comparedWith ? null : round(change / comparedWith)
        return { assetId: made.id, name, impressions, comparedWith, change, changeRate }
      })

    const FIELDS = 'assetId name impressions comparedWith change changeRate'
    const AGAINST = `against: { fromDate: "${before}", toDate: "${until}" }`

    test.each([
      ['impressions', true],
      ['change', false],
      ['change_rate', true],
    ] as const)('assets are sorted by %s (descending: %s), with their change', async (by, descending) => {
      const sort = `sort: { by: ${by}, descending: ${descending} }`
      const figure = by === 'change_rate' ? 'changeRate' : by
      const sign = descending ? -1 : 1
      const expected = expectAssets().sort((a, b) => {
        const [x, y] = [a[figure], b[figure]]
        if (x === null || y === null)
          return (x === null ? 1 : 0) - (y === null ? 1 : 0) || (a.assetId < b.assetId ? -1 : 1)
        return (x - y) * sign || (a.assetId < b.assetId ? -1 : 1)
      })
      const { byAsset, top, total } = await readGroup(
        filter,
        [from, to],
        `total byAsset(${AGAINST}, ${sort}) { ${FIELDS} } top(limit: 3, ${AGAINST}, ${sort}) { ${FIELDS} share asset { name } }`,
      )
      expect(byAsset).toEqual(expected)
      const first = expected.slice(0, 3).filter(({ impressions }) => impressions !== null)
      expect(top).toEqual(
        first.map(row => ({ ...row, share: round(row.impressions! / total), asset: { name: row.name } })),
      )
    })

    test.each([
      ['', []],
      ['(groupBy: city)', ['country', 'city']],
      ['(groupBy: format)', ['format']],
    ] as const)('weekdays are those of local days, grouped by %s', async (groupBy, attributes) => {
      const { byWeekday, total } = await readGroup(
        filter,
        [from, to],
        `total byWeekday${groupBy} { weekday ${attributes.join(' ')} impressions daysWithData averageDailyImpressions }`,
      )
      const keyOf = (row: object) => nameOf(row, attributes)
      const groups = [...new Set(assets.filter(matches).map(keyOf))]
      const expected = [1, 2, 3, 4, 5, 6, 7].flatMap(weekday =>
        groups.map(group => {
          const members = assets.filter(asset => matches(asset) && keyOf(asset) === group).map(({ made }) => made)
          const rows = counts.filter(
            row =>
              members.includes(row.asset) && isIn(from, to)(row) && (new Date(row.date).getUTCDay() || 7) === weekday,
          )
          const days = new Set(rows.map(({ date }) => date)).size
          const average = days === 0 ? null : Math.round((sum(rows) * 100) / days) / 100
          return { group, weekday, impressions: days === 0 ? null : sum(rows), daysWithData: days, average }
        }),
      )
      const found = (byWeekday as { weekday: number }[]).map(row => {
        const { impressions, daysWithData, averageDailyImpressions } = row as never as Record<string, unknown>
        return { group: keyOf(row), weekday: row.weekday, impressions, daysWithData, average: averageDailyImpressions }
      })
      const byKey = (a: { group: string; weekday: number }, b: typeof a) =>
        a.weekday - b.weekday || (a.group < b.group ? -1 : 1)
      expect(found.sort(byKey)).toEqual(expected.sort(byKey))
      expect(sum(found.map(({ impressions }) => ({ count: Number(impressions) })))).toBe(total)
    })

    test.each([['country'], ['city'], ['format']] as const)(
      'demographics are grouped by %s, and suppressed by group',
      async by => {
        const attributes = by === 'city' ? ['country', 'city'] : [by]
        const { demographics } = (
          await world.graphql(
            key,
            `{ assets(filter: ${filter}) { demographics(fromDate: "${from}", toDate: "${to}") {
              total assetCount groups(groupBy: ${by}) {
                ${attributes.join(' ')} assetCount total suppressed gender { gender impressions share }
                ageGender { ageBand gender impressions }
              } } } }`,
          )
        ).assets
        const keyOf = (row: object) => nameOf(row, attributes)
        const groups = [...new Set(assets.filter(matches).map(keyOf))]
        expect((demographics.groups as object[]).map(keyOf).sort()).toEqual(groups.sort())
        for (const group of demographics.groups) {
          const members = assets
            .filter(asset => matches(asset) && keyOf(asset) === keyOf(group))
            .map(({ made }) => made)
          const rows = persons.filter(row => members.includes(row.asset) && isIn(from, to)(row))
          const total = sum(rows)
          const suppressed = total < 50
          const assetCount = new Set(rows.map(({ asset }) => asset)).size
          expect(group).toMatchObject({ total, suppressed, assetCount })
          const gender = GENDERS.map(each => {
            const impressions = sum(rows.filter(row => row.group.endsWith(` ${each}`)))
            return { gender: each, impressions, share: round(impressions / total) }
          })
          expect(group.gender).toEqual(suppressed ? [] : gender)
          for (const { ageBand, gender, impressions } of group.ageGender) {
            expect(impressions).toBe(sum(rows.filter(row => row.group === `${ageBand} ${gender}`)))
          }
        }
        expect(sum(demographics.groups.map(({ total }: { total: number }) => ({ count: total })))).toBe(
          demographics.total,
        )
      },
    )
  })
})

test('without a range to compare with, there is no change, and no order by it', async () => {
  const { byAsset, top } = await readGroup('{}', RANGES[0], 'byAsset { change } top { comparedWith changeRate name }')
  expect(byAsset).toHaveLength(assets.length)
  expect([...byAsset, ...top].every(row => Object.values(row).includes(null))).toBe(true)
  const source = (args: string) =>
    `{ assets { impressions(fromDate: "2026-03-01", toDate: "2026-03-31") { byAsset(${args}) { name } } } }`
  for (const [args, message] of [
    ['sort: { by: change }', 'sort.by change needs against: the range to compare with.'],
    ['against: { fromDate: "2026-03-02", toDate: "2026-03-01" }', expect.stringContaining('from_date')],
  ] as const) {
    expect((await world.query(key, source(args))).errors?.[0]?.message).toEqual(message)
  }
})

test('hours of the week are those of the clocks of the assets, on days of clock changes too', async () => {
  const { make } = world
  const company = await make.company('Hours')
  const holder = await make.key([company], { scopes: ['internal:graphql:read'] })
  const expected = new Map<string, number[]>()
  await make.together(async make => {
    for (const [time_zone, changes] of [
      ['Europe/Berlin', ['2026-03-29', '2026-10-25']],
      ['America/New_York', ['2026-03-08', '2026-11-01']],
    ] as const) {
      const asset = await make.asset({ company, time_zone, city: time_zone })
      const sensor = await make.sensor({ asset, grain: 'hour' })
      for (const date of [...changes, '2026-05-04', '2026-05-11']) {
        const begin = Temporal.PlainDate.from(date).toZonedDateTime(time_zone)
        await make.counts(sensor, date, hour => {
          const count = random(100)
          const { dayOfWeek, hour: clock } = begin.add({ hours: hour })
          const name = `${dayOfWeek} ${clock}`
          expected.set(name, [...(expected.get(name) ?? []), count])
          return count
        })
      }
    }
    const daily = await make.sensor({ asset: await make.asset({ company }), grain: 'day' })
    await make.counts(daily, '2026-05-04', () => 5)
  })
  const source = (filter: string, to = '2026-11-30') => `{ assets(filter: ${filter}) {
    impressions(fromDate: "2026-03-01", toDate: "${to}") {
      byHourOfWeek { weekday hour impressions hoursObserved averageImpressions } } } }`
  const rows = (await world.graphql(holder, source('{}'))).assets.impressions.byHourOfWeek
  expect(rows).toEqual(
    Array.from({ length: 168 }, (_, i) => {
      const [weekday, hour] = [Math.floor(i / 24) + 1, i % 24]
      const values = expected.get(`${weekday} ${hour}`)
      if (!values) return { weekday, hour, impressions: null, hoursObserved: 0, averageImpressions: null }
      const impressions = values.reduce((total, value) => total + value, 0)
      const averageImpressions = Math.round((impressions * 100) / values.length) / 100
      return { weekday, hour, impressions, hoursObserved: values.length, averageImpressions }
    }),
  )
  const { errors } = await world.query(holder, source('{}', '2027-11-30'))
  expect(errors?.[0]?.message).toBe('The range has 640 days; 420 are allowed here.')
})

describe('sensors', () => {
  const NOW = 0
  const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()
  let sensors: string

  beforeAll(async () => {
    const { make } = world
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
  })

  const read = async (args: string) =>
    (
      await world.graphql(
        sensors,
        `{ sensors(limit: 500${args}) { count counts { vendor status sensors } nodes { id vendor health { status lastSeenAt } } } }`,
      )
    ).sensors

  interface Node {
    vendor: string
    health: { status: string; lastSeenAt: string | null }
  }

  test.each<[args: string, matches: (node: Node) => boolean]>([
    ['', () => true],
    [', health: [offline]', ({ health }) => health.status === 'offline'],
    [', health: [degraded, unknown]', ({ health }) => ['degraded', 'unknown'].includes(health.status)],
    [', vendor: ["Beta", "Nobody"]', ({ vendor }) => vendor === 'Beta'],
    [
      `, lastSeenBefore: "${minutesAgo(300)}"`,
      ({ health: { lastSeenAt } }) => lastSeenAt === null || Date.parse(lastSeenAt) < NOW - 300 * 60_000,
    ],
    [
      `, vendor: ["Alpha"], health: [offline], filter: { country: "FR" }`,
      ({ vendor, health }) => vendor === 'Alpha' && health.status === 'offline',
    ],
    [', filter: { country: "DE" }', () => false],
  ])('are filtered and counted%s', async (args, matches) => {
    const all: Node[] = (await read('')).nodes
    expect(all).toHaveLength(21)
    const expected = all.filter(matches)
    const { nodes, count, counts: found } = await read(args)
    expect(nodes).toEqual(expected)
    expect(count).toBe(expected.length)
    const numbers = new Map<string, number>()
    for (const { vendor, health } of expected) {
      const name = `${vendor} ${['healthy', 'unknown', 'degraded', 'offline'].indexOf(health.status)} ${health.status}`
      numbers.set(name, (numbers.get(name) ?? 0) + 1)
    }
    const rows = [...numbers]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, sensors]) => {
        const [vendor, , status] = name.split(' ')
        return { vendor, status, sensors }
      })
    expect(found).toEqual(rows)
  })
})
