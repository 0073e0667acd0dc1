/**
 * Compares the aggregate route with sums of what the routes of single assets return, after any sequence of changes, and
 * the stored totals with a recomputation.
 */
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { verify } from '../../../db/verify/verify'
import type { Factory, Made, MadeAsset, MadeSensor } from '../../support/factories'
import { scaledRuns } from '../../support/fuzz'
import { World } from '../../support/world'

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

const ZONES = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York']

const PLACES = [
  { country: 'DE', region: 'DE-BE', city: 'Berlin' },
  { country: 'DE', region: 'DE-HH', city: null },
  { country: 'DE', region: null, city: 'Köln, Süd' },
  { country: 'US', region: 'US-NY', city: 'New York' },
]

const FORMATS = ['billboard', 'transit']

const DATES = [
  '2025-12-28',
  '2025-12-31',
  '2026-01-01',
  '2026-01-04',
  '2026-01-31',
  '2026-02-01',
  '2026-02-09',
  '2026-03-01',
]

const index = fc.nat({ max: 11 })

const change = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('count' as const),
      asset: index,
      date: index,
      count: fc.nat({ max: 5000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('erase' as const), asset: index, date: index }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('attributes' as const), asset: index, place: index, format: index }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), asset: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('roll back' as const), asset: index, place: index }) },
)

const question = fc.record({
  from: index,
  to: index,
  grain: fc.constantFrom('day', 'week', 'month', 'quarter'),
  groupBy: fc.constantFrom(null, 'country', 'region', 'city', 'media_type', 'format', 'asset'),
  filter: fc.constantFrom(
    '',
    '&country=DE',
    '&city=%22K%C3%B6ln,%20S%C3%BCd%22,Berlin',
    '&format=transit',
    '&region=DE-HH,US-NY&status=active',
  ),
  ids: fc.boolean(),
})

/** Every other asset has a second sensor for a while, which counts hours and reports none. */
const SILENT = { from: '2026-01-03T11:40:00Z', to: '2026-02-09T04:00:00Z' }

interface Placed extends MadeAsset {
  sensor: MadeSensor
  hasSilentSensor: boolean
  place: (typeof PLACES)[number]
  format: string
}

test('aggregated impressions are the sums of those of each asset, after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 25 }),
      fc.array(question, { minLength: 3, maxLength: 5 }),
      async (changes, questions) => {
        const company = await world.make.company()
        const other = await world.make.company()
        const key = await world.make.key([company])
        const assets = new Map<string, Placed>()
        await world.make.together(async make => {
          for (let i = 0; i < 5; i++) {
            const asset = await createAsset(make, i === 4 ? other : company, i)
            await make.counts(asset.sensor, '2026-01-01', () => 100 + i)
            assets.set(asset.id, asset)
          }
        })
        for (const each of changes) await apply(each, assets)

        const problems: object[] = []
        await verify(world.owner, async difference => {
          // The first and last measured date are set by imports.
          if (!difference.column.startsWith('measured')) problems.push(difference)
        })
        expect(problems).toEqual([])

        const own = [...assets.values()].filter(asset => asset.company === company.number)
        for (const each of questions) await check(each, own, key)
      },
    ),
    { ...scaledRuns(12), endOnFailure: true },
  )
}, 60_000)

async function createAsset(make: Factory, company: Made, i: number): Promise<Placed> {
  const place = PLACES[i % PLACES.length] as (typeof PLACES)[number]
  const format = FORMATS[i % 2] as string
  const made = await make.asset({ company, ...place, format, time_zone: ZONES[i % ZONES.length] })
  const sensor = await make.sensor({ asset: made, grain: 'day' })
  const hasSilentSensor = i % 2 === 1
  const period = { installed_at: SILENT.from, removed_at: SILENT.to }
  if (hasSilentSensor) await make.sensor({ asset: made, grain: 'hour', ...period })
  return { ...made, place, format, sensor, hasSilentSensor }
}

async function apply(
  each: typeof change extends fc.Arbitrary<infer Change> ? Change : never,
  assets: Map<string, Placed>,
) {
  const asset = [...assets.values()][each.asset % Math.max(1, assets.size)]
  if (!asset) return
  const date = 'date' in each ? DATES[each.date % DATES.length] : undefined
  const { owner } = world
  const erase = 'DELETE FROM sensor_days WHERE asset = $1 AND date = coalesce($2, date)'
  if (each.kind === 'count') {
    await owner.query(erase, [asset.number, date])
    await world.make.counts(asset.sensor, date as string, () => each.count)
  } else if (each.kind === 'erase') await owner.query(erase, [asset.number, date])
  else if (each.kind === 'attributes') {
    asset.place = PLACES[each.place % PLACES.length] as Placed['place']
    asset.format = FORMATS[each.format % 2] as string
    const { country, region, city } = asset.place
    await owner.query('UPDATE assets SET country = $2, region = $3, city = $4, format = $5 WHERE number = $1', [
      ...[asset.number, country, region, city, asset.format],
    ])
  } else if (each.kind === 'roll back') {
    const client = await owner.connect()
    await client.query('BEGIN')
    await client.query(erase, [asset.number, null])
    await client.query('UPDATE assets SET city = $2 WHERE number = $1', [asset.number, `City ${each.place}`])
    await client.query('ROLLBACK')
    client.release()
  } else {
    await owner.query(erase, [asset.number, null])
    await owner.query('DELETE FROM installations WHERE asset = $1', [asset.number])
    await owner.query('UPDATE sensors SET asset = NULL, company = NULL WHERE asset = $1', [asset.number])
    await owner.query('DELETE FROM assets WHERE number = $1', [asset.number])
    assets.delete(asset.id)
  }
}

const FIELDS: Record<string, (asset: Placed) => Record<string, string | null>> = {
  country: ({ place: { country } }) => ({ country }),
  region: ({ place: { country, region } }) => ({ country, region }),
  city: ({ place }) => ({ ...place }),
  media_type: () => ({ media_type: 'digital' }),
  format: ({ format }) => ({ format }),
}

async function check(
  { from, to, grain, groupBy, filter, ids }: typeof question extends fc.Arbitrary<infer Question> ? Question : never,
  own: Placed[],
  key: string,
): Promise<void> {
  const [first, last] = [DATES[from % DATES.length] as string, DATES[to % DATES.length] as string].sort() as [
    string,
    string,
  ]
  const range = `from_date=${first}&to_date=${last}`
  const chosen = ids ? own.slice(0, 2) : own
  if (chosen.length === 0) return
  const matching = chosen.filter(asset => matches(asset, filter))
  const parameters = [
    `${range}${filter}`,
    ids && `asset_ids=${chosen.map(({ id }) => id)}`,
    groupBy && `group_by=${groupBy}`,
    groupBy !== 'asset' && `grain=${grain}`,
  ]
  const path = `/v1/partner/impressions/aggregate?${parameters.filter(Boolean).join('&')}`
  const daily = new Map<Placed, { date: string; impressions: number | null }[]>()
  for (const asset of matching) {
    daily.set(asset, (await world.read(`/v1/partner/assets/${asset.id}/impressions/daily?${range}`, key)).data)
  }
  const data = groupBy === 'asset' ? rowsOfAssets(daily) : rowsOfGroups(daily, first, last, grain, groupBy)
  const withData = data.flatMap(({ impressions }) => impressions ?? [])
  const total = withData.reduce((sum, count) => sum + count, 0)
  const average = withData.length === 0 ? 0 : Math.round((total * 100) / withData.length) / 100
  expect({ path, ...(await world.read(path, key)) }).toEqual({
    path,
    data,
    total,
    average,
    asset_count: matching.length,
  })
}

function matches({ place, format }: Placed, filter: string): boolean {
  if (filter.startsWith('&country')) return place.country === 'DE'
  if (filter.startsWith('&city')) return place.city === 'Köln, Süd' || place.city === 'Berlin'
  if (filter.startsWith('&format')) return format === 'transit'
  if (filter.startsWith('&region')) return place.region === 'DE-HH' || place.region === 'US-NY'
  return true
}

type Daily = Map<Placed, { date: string; impressions: number | null }[]>

/** Observed over expected intervals: a day of each asset, and the hours that begin while it has a silent sensor. */
function coverage(daily: Daily): number {
  let [observed, expected] = [0, 0]
  for (const [asset, days] of daily) {
    for (const { date, impressions } of days) {
      if (impressions !== null) observed++
      expected += 1 + (asset.hasSilentSensor ? countSilentHours(asset.timeZone, date) : 0)
    }
  }
  return observed === 0 || expected === 0 ? 0 : Math.max(Math.round((observed * 10_000) / expected), 1) / 10_000
}

const countSilentHours = (timeZone: string, date: string): number =>
  Array.from({ length: 24 }, (_, hour) =>
    Temporal.PlainDateTime.from(`${date}T${String(hour).padStart(2, '0')}:00`)
      .toZonedDateTime(timeZone)
      .toInstant(),
  ).filter(start => Temporal.Instant.compare(start, SILENT.from) >= 0 && Temporal.Instant.compare(start, SILENT.to) < 0)
    .length

const add = (counts: (number | null)[]): number | null =>
  counts.reduce((sum, count) => (count === null ? sum : (sum ?? 0) + count), null)

function rowsOfAssets(daily: Daily) {
  return [...daily]
    .map(([asset, days]) => {
      const measured = days.filter(day => day.impressions !== null)
      return {
        asset_id: asset.id,
        impressions: add(days.map(day => day.impressions)),
        assets_with_data: Math.min(1, measured.length),
        days_with_data: measured.length,
        coverage: coverage(new Map([[asset, days]])),
      }
    })
    .sort((a, b) => (b.impressions ?? -1) - (a.impressions ?? -1) || (a.asset_id < b.asset_id ? -1 : 1))
}

function rowsOfGroups(daily: Daily, first: string, last: string, grain: string, groupBy: string | null) {
  const fieldsOf = (asset: Placed) => (groupBy ? (FIELDS[groupBy] as (asset: Placed) => object)(asset) : {})
  const groups = new Map([...daily.keys()].map(asset => [JSON.stringify(fieldsOf(asset)), fieldsOf(asset)]))
  if (!groupBy) groups.set('{}', {})
  const sorted = [...groups].sort(([, a], [, b]) => (sortKey(a) < sortKey(b) ? -1 : 1))
  const buckets = new Map<string, string[]>()
  for (let day = Date.parse(first); day <= Date.parse(last); day += 86_400_000) {
    const date = new Date(day).toISOString().slice(0, 10)
    buckets.set(periodOf(date, grain), [...(buckets.get(periodOf(date, grain)) ?? []), date])
  }
  return [...buckets.values()].flatMap(dates =>
    sorted.map(([group, fields]) => {
      const ofGroup = [...daily]
        .filter(([asset]) => JSON.stringify(fieldsOf(asset)) === group)
        .map(([asset, days]) => [asset, days.filter(({ date }) => dates.includes(date))] as const)
      const sums = ofGroup.map(([, days]) => add(days.map(day => day.impressions)))
      return {
        start: dates[0],
        ...fields,
        impressions: add(sums),
        assets_with_data: sums.filter(sum => sum !== null).length,
        coverage: coverage(new Map(ofGroup)),
      }
    }),
  )
}

/** Null sorts last. */
const sortKey = (fields: object): string => JSON.stringify(Object.values(fields).map(value => value ?? '\uffff'))

function periodOf(date: string, grain: string): string {
  if (grain === 'day') return date
  if (grain === 'month') return date.slice(0, 7)
  if (grain === 'quarter') return `${date.slice(0, 4)} ${Math.floor((Number(date.slice(5, 7)) - 1) / 3)}`
  const monday = Date.parse(date) - ((new Date(date).getUTCDay() + 6) % 7) * 86_400_000
  return String(monday)
}
