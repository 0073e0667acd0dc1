import { AGE_BANDS, GENDERS } from '../../../schema/demographic-groups'
import type { MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string
let company: Awaited<ReturnType<World['make']['company']>>

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

beforeEach(async () => {
  company = await world.make.company()
  key = await world.make.key([company])
})

const RANGE = 'from_date=2026-01-01&to_date=2026-01-31'

const ofAsset = ({ id }: MadeAsset) => world.read(`/v1/partner/assets/${id}/demographics?${RANGE}`, key)

const aggregate = (query = '') => world.read(`/v1/partner/demographics/aggregate?${RANGE}${query}`, key)

describe('the demographics of an asset', () => {
  test('sum the days of the range by gender, by age and by both, with every group in a fixed order', async () => {
    const asset = await world.make.asset({ company })
    await world.make.demographics(asset, '2025-12-31', { '25-34 male': 1000 })
    await world.make.demographics(asset, '2026-01-01', { '25-34 male': 10, '65+ female': 20 })
    await world.make.demographics(asset, '2026-01-31', { '25-34 male': 20, '12-17 unknown': 10 })
    const body = await ofAsset(asset)
    expect(Object.keys(body)).toEqual([
      'asset_id',
      'from_date',
      'to_date',
      'total',
      'suppressed',
      'gender',
      'age',
      'age_gender',
    ])
    expect(body).toMatchObject({
      asset_id: asset.id,
      from_date: '2026-01-01',
      to_date: '2026-01-31',
      total: 60,
      suppressed: false,
    })
    expect(body.gender).toEqual([
      { gender: 'male', impressions: 30, share: 0.5 },
      { gender: 'female', impressions: 20, share: 0.3333 },
      { gender: 'unknown', impressions: 10, share: 0.1667 },
    ])
    expect(body.age.map((group: { age_band: string }) => group.age_band)).toEqual(AGE_BANDS)
    expect(body.age.map((group: { impressions: number }) => group.impressions)).toEqual([10, 0, 30, 0, 0, 0, 20, 0])
    expect(body.age_gender).toHaveLength(AGE_BANDS.length * GENDERS.length)
    expect(body.age_gender[2]).toEqual({ age_band: '12-17', gender: 'unknown', impressions: 10, share: 0.1667 })
    expect(body.age_gender[6]).toEqual({ age_band: '25-34', gender: 'male', impressions: 30, share: 0.5 })
  })

  test.each([
    [49, true],
    [50, false],
  ])('with a total of %i impressions are suppressed: %s', async (count, suppressed) => {
    const asset = await world.make.asset({ company })
    await world.make.demographics(asset, '2026-01-01', { '65+ female': count })
    const body = await ofAsset(asset)
    expect(body).toMatchObject({ total: count, suppressed })
    expect([body.gender.length, body.age.length, body.age_gender.length]).toEqual(suppressed ? [0, 0, 0] : [3, 8, 24])
  })

  test('without data are suppressed', async () => {
    expect(await ofAsset(await world.make.asset({ company }))).toMatchObject({
      total: 0,
      suppressed: true,
      gender: [],
    })
  })
})

describe('aggregated demographics', () => {
  test('sum all assets of the filter', async () => {
    const berlin = await world.make.asset({ company, city: 'Berlin', region: 'DE-BE' })
    const kathmandu = await world.make.asset({
      company,
      country: 'NP',
      time_zone: 'Asia/Kathmandu',
      city: 'Kathmandu',
    })
    await world.make.asset({ company })
    const foreign = await world.make.asset()
    await world.make.demographics(berlin, '2026-01-01', { '25-34 male': 30 })
    await world.make.demographics(kathmandu, '2026-01-01', { '25-34 male': 10, '25-34 female': 60 })
    await world.make.demographics(foreign, '2026-01-01', { '25-34 male': 5000 })
    const all = await aggregate()
    expect(Object.keys(all)).not.toContain('asset_id')
    expect(all).toMatchObject({ asset_count: 2, total: 100 })
    expect(all.gender.map((group: { share: number }) => group.share)).toEqual([0.4, 0.6, 0])
    expect(await aggregate('&country=NP')).toMatchObject({ asset_count: 1, total: 70 })
    expect(await aggregate('&region=DE-BE')).toMatchObject({ asset_count: 1, total: 30, suppressed: true, age: [] })
    expect(await aggregate('&city=Kathmandu')).toMatchObject({ asset_count: 1, total: 70 })
    expect(await aggregate('&city=kathmandu')).toMatchObject({ asset_count: 0, total: 0, suppressed: true })
    expect(await aggregate(`&asset_ids=${kathmandu.id},${berlin.id},${berlin.id}`)).toMatchObject({
      asset_count: 2,
      total: 100,
    })
    expect(await aggregate(`&asset_ids=${kathmandu.id}&country=DE`)).toMatchObject({ asset_count: 0, total: 0 })
  })

  test('are empty for a key without companies', async () => {
    key = await world.make.key([])
    expect(await aggregate()).toMatchObject({ asset_count: 0, total: 0, suppressed: true })
  })
})
