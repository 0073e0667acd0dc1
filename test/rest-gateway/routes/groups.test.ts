/** What the random data of the world seldom have: limits of ranges, the limit of suppression, and missing attributes. */
import type { Made } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string
let company: Made
const ids: string[] = []

beforeAll(async () => {
  world = await World.open()
  await world.make.together(async make => {
    company = await make.company()
    key = await make.key([company])
    for (const place of [
      { country: 'DE', region: 'DE-BE', city: 'Berlin' },
      { country: 'DE', region: 'DE-NW', city: 'Köln, Süd' },
      { country: 'DE', region: null, city: null },
      { country: 'NP', region: null, city: 'Kathmandu' },
    ]) {
      const asset = await make.asset({ company, ...place })
      ids.push(asset.id)
      await make.counts(await make.sensor({ asset, grain: 'day' }), '2026-01-31', () => ids.length)
      await make.demographics(asset, '2026-01-01', { '25-34 male': 19, '65+ female': 10 * ids.length })
      await make.demographics(asset, '2026-01-31', { '25-34 male': 1 })
      await make.origins(asset, [
        { date: '2026-01-01', region: 'DE-BE', city: 'Berlin', impressions: 7 },
        { date: '2026-01-31', region: 'DE-BE', city: 'Berlin', impressions: 8 },
      ])
    }
    const foreign = await make.asset({ city: 'Berlin' })
    await make.demographics(foreign, '2026-01-01', { '25-34 male': 5000 })
  })
})
afterAll(() => world.stop())

test.each([
  ['2025-12-01', '2025-12-31', 0, 0],
  ['2025-12-01', '2026-01-01', 49, 7],
  ['2026-01-01', '2026-01-30', 49, 7],
  ['2026-01-01', '2026-01-31', 50, 15],
  ['2026-01-02', '2026-01-31', 1, 8],
  ['2026-02-01', '2026-02-28', 0, 0],
])(
  'from %s to %s, both included, there are %i persons, suppressed below 50, and %i at home',
  async (from, to, persons, homes) => {
    const read = (route: string) =>
      world.read(`/v1/partner/assets/${ids[2]}/${route}?from_date=${from}&to_date=${to}`, key)
    const { total, suppressed, gender, age, age_gender } = await read('demographics')
    expect([total, suppressed]).toEqual([persons, persons < 50])
    expect([gender.length, age.length, age_gender.length]).toEqual(persons < 50 ? [0, 0, 0] : [3, 8, 24])
    expect((await read('impressions/by-city')).total).toBe(homes)
  },
)

test.each([
  ['', 4, 180],
  ['&country=NP', 1, 60],
  ['&region=DE-BE', 1, 30],
  ['&city=Kathmandu', 1, 60],
  ['&city=kathmandu', 0, 0],
  [() => `&asset_ids=${ids[0]},${ids[3]},${ids[0]}`, 2, 90],
  [() => `&asset_ids=${ids[3]}&country=DE`, 0, 0],
])('aggregated demographics with %s are those of %i assets', async (filter, asset_count, total) => {
  const query = typeof filter === 'string' ? filter : filter()
  const path = `/v1/partner/demographics/aggregate?from_date=2026-01-01&to_date=2026-01-31${query}`
  expect(await world.read(path, key)).toMatchObject({ asset_count, total, suppressed: total < 50 })
})

test.each([
  ['group_by=region', ['DE DE-BE 1', 'DE DE-NW 2', 'DE null 3', 'NP null 4']],
  ['group_by=city', ['DE DE-BE Berlin 1', 'DE DE-NW Köln, Süd 2', 'DE null null 3', 'NP null Kathmandu 4']],
  ['group_by=city&city=%22K%C3%B6ln,%20S%C3%BCd%22,Berlin', ['DE DE-BE Berlin 1', 'DE DE-NW Köln, Süd 2']],
])('rows of groups without a value are the last ones: %s', async (query, expected) => {
  const path = `/v1/partner/impressions/aggregate?from_date=2026-01-31&to_date=2026-01-31&${query}`
  const { data } = await world.read(path, key)
  const text = ({ country, region, city, impressions }: Record<string, unknown>) =>
    [country, region, ...(query.startsWith('group_by=city') ? [city] : []), impressions].map(String).join(' ')
  expect(data.map(text)).toEqual(expected)
})
