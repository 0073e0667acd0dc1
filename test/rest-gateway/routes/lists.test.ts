/** Records of assets and sensors, their lists, filters and pages, and what the world seldom has of groups. */
import type { Made } from '../../support/factories'
import { World } from '../../support/world'

const NOW = Date.parse('2026-06-01T12:00:00Z')

let world: World
let key: string
let company: Made
/** Ids of the company's assets, in the order in which they were made. */
let ids: string[]

const ASSETS = [
  { legacy_id: 1, region: 'DE-BE', city: 'Berlin', external_ids: { hivestack: 'A-1', 'place-exchange': 'x, y:z' } },
  { legacy_id: 2, region: 'DE-NW', city: 'Köln, Süd', external_ids: { hivestack: 'a-1' } },
  { legacy_id: 3, name: 'Kölner Straße 100% (Süd)', external_ids: { 'place-exchange': 'A-1' } },
  { legacy_id: 4, country: 'NP', city: 'Kathmandu' },
]

beforeAll(async () => {
  world = await World.open({ now: () => NOW })
  await world.make.together(async make => {
    company = await make.company()
    key = await make.key([company], { scopes: ['internal:graphql:read'] })
    ids = []
    for (const [i, attributes] of ASSETS.entries()) {
      const asset = await make.asset({ company, ...attributes })
      ids.push(asset.id)
      await make.counts(await make.sensor({ asset, grain: 'day' }), '2026-01-31', () => i + 1)
      await make.demographics(asset, '2026-01-01', { '25-34 male': 19, '65+ female': 10 * i + 10 })
      await make.demographics(asset, '2026-01-31', { '25-34 male': 1 })
    }
    const foreign = await make.asset({ city: 'Berlin', external_ids: { hivestack: 'A-1', birchonly: 'B' } })
    await make.demographics(foreign, '2026-01-01', { '25-34 male': 5000 })
  })
})
afterAll(() => world.stop())

interface Row {
  id: string
  legacy_id: number
}

const read = (path: string, as = key) => world.read(`/v1/partner/${path}`, as)

const listIds = async (path: string): Promise<number[]> =>
  (await read(`assets?${path}`)).data.map((row: Row) => row.legacy_id).sort()

test('an asset has the same record on its own and in the list, with null for what it lacks', async () => {
  const attributes = {
    ...{ legacy_id: 4711, description: 'At the “Zoo”', venue_type_id: 30501, venue_taxonomy: '1.2.1' },
    ...{ external_ids: { 'place-exchange': 'A, "b"' }, facing_degrees: 0, width_m: 3.56, height_m: 2.52 },
    ...{ latitude: -33.8688, longitude: 151.2093, address: 'Hardenbergplatz 1', postal_code: '10623' },
  }
  const other = await world.make.company()
  const as = await world.make.key([other])
  const times = { created_at: '2026-01-01T12:00:00.5+02:00', updated_at: '2026-01-02T00:00:00Z' }
  const asset = await world.make.asset({ company: other, ...attributes, ...times })
  const sensors = [await world.make.sensor({ asset }), await world.make.sensor({ asset, grain: 'hour' })] as const
  for (const date of ['2026-01-01', '2026-01-31']) await world.make.counts(sensors[0], date, () => 1)
  const single = await read(`assets/${asset.id}`, as)
  expect(single).toEqual({
    ...attributes,
    ...{ id: asset.id, company_id: other.id, name: expect.stringMatching(/^Asset/), media_type: 'digital' },
    ...{ format: 'billboard', status: 'active', indoors: false, city: null, region: null, country: 'DE' },
    ...{ time_zone: 'Europe/Berlin', finest_grain: 'hour', sensor_ids: sensors.map(({ id }) => id).sort() },
    ...{ measured_from: '2026-01-01', measured_to: '2026-01-31', created_at: '2026-01-01T10:00:00.5Z' },
    updated_at: expect.stringMatching(/^20.*Z$/),
  })
  const bare = await world.make.asset({ company: other })
  const { data } = await read('assets', as)
  expect(data.find(({ id }: Row) => id === asset.id)).toEqual(single)
  expect(data.find(({ id }: Row) => id === bare.id)).toMatchObject({
    ...{ legacy_id: null, description: null, finest_grain: null, sensor_ids: [], measured_from: null },
  })
  const sensor = (await read(`sensors?asset_id=${asset.id}`, as)).data.find(({ id }: Row) => id === sensors[1].id)
  expect(sensor).toEqual({
    ...{ id: sensors[1].id, serial: sensors[1].serial, model: 'Counter 1', vendor: expect.stringMatching(/^Vendor/) },
    ...{ vendor_type: 'third_party', finest_grain: 'hour', asset_id: asset.id, billable_state: 'billable' },
    health: { status: 'unknown', checked_at: null, last_seen_at: null, reason: null, cadence_minutes: 15 },
    ...{ installed_at: '2020-01-01T00:00:00Z', removed_at: null, updated_at: expect.stringMatching(/^20.*Z$/) },
  })
})

test.each([
  ['healthy', 30, null, 'healthy', null],
  ['healthy', 30.01, null, 'degraded', 'check_overdue'],
  ['healthy', 60, null, 'degraded', 'check_overdue'],
  ['healthy', 60.01, null, 'offline', 'check_overdue'],
  ['degraded', 31, 'low battery', 'degraded', 'low battery'],
  ['degraded', 61, 'low battery', 'offline', 'check_overdue'],
  ['offline', 31, 'no power', 'offline', 'no power'],
  ['unknown', 31, null, 'degraded', 'check_overdue'],
])('a sensor checked as %s %d minutes ago (%s) is %s (%s)', async (health_status, minutes, reason, status, shown) => {
  const asset = await world.make.asset({ company: await world.make.company() })
  const checked = new Date(NOW - minutes * 60_000).toISOString()
  const times = { health_checked_at: checked, health_last_seen_at: checked }
  const { id } = await world.make.sensor({ asset, health_status, health_reason: reason, ...times })
  const all = await world.make.key([], { all_companies: true, scopes: ['internal:graphql:read'] })
  const { data } = await read(`sensors?asset_id=${asset.id}`, all)
  expect(data).toMatchObject([{ id, health: { status, reason: shown } }])
  expect(Date.parse(data[0].health.checked_at)).toBe(Date.parse(checked))
})

test.each([
  ['external_id=hivestack:A-1', [1]],
  ['external_id=hivestack:a-1', [2]],
  ['external_id=hivestack:A-1,hivestack:a-1', [1, 2]],
  ['external_id=hivestack:a-1,place-exchange:A-1', [2, 3]],
  ['external_id="place-exchange:x, y:z"', [1]],
  ['external_id=place-exchange:x', []],
  ['external_id=unknown:A-1', []],
  ['external_id=birchonly:B', []],
  ['external_id=hivestack:A-1,hivestack:a-1&city=Berlin', [1]],
  ['name_contains=KÖLN', [3]],
  ['name_contains=0% (', [3]],
  ['name_contains=K%', []],
  ['name_contains=K_l', []],
  ['name_contains=Kolner', []],
])('assets with %s are %j, of all routes of many assets', async (filter, expected) => {
  const query = filter.replace(/=(.*?)(?=&|$)/g, (_, value) => `=${encodeURIComponent(value)}`)
  expect(await listIds(query)).toEqual(expected)
  expect((await read(`sensors?${query}`)).data).toHaveLength(expected.length)
  const range = `from_date=2026-01-31&to_date=2026-01-31&${query}`
  expect((await read(`impressions/aggregate?${range}`)).asset_count).toBe(expected.length)
  expect((await read(`impressions?${range}`)).data).toHaveLength(expected.length)
})

test('sensors of one asset and of several are those that are on both', async () => {
  const [asset, other] = ids
  const count = async (query: string) => (await read(`sensors?${query}`)).data.length
  expect(await count(`asset_id=${asset}&asset_ids=${asset},${other}`)).toBe(1)
  expect(await count(`asset_id=${asset}&asset_ids=${other}`)).toBe(0)
})

test('updated_since lists what has changed from then on, and a list of nothing is an empty page', async () => {
  const { updated_at: since } = await read(`assets/${ids[0]}`)
  await world.owner.query('UPDATE assets SET facing_degrees = 1 WHERE id = $1', [ids[0]])
  const { updated_at: next } = await read(`assets/${ids[0]}`)
  expect([next > since, await listIds(`updated_since=${next}`)]).toEqual([true, [1]])
  const pagination = { cursor: null, has_more: false, limit: 3 }
  expect(await read('assets?limit=3&updated_since=2999-01-01T00:00:00Z')).toEqual({ data: [], pagination })
})

test('flat formats have a column for each system that the key can see, and for no other, whatever the filters', async () => {
  for (const filter of ['', '&external_id=hivestack:none']) {
    const { text } = await world.get(`/v1/partner/assets?output=csv${filter}`, { key })
    expect(text.split('\r\n')[0]).toMatch(/,venue_taxonomy,external_ids_hivestack,external_ids_place-exchange$/)
  }
})

test.each(['assets', 'sensors'])('pages of %s have each row once, by id, while others are added', async list => {
  const idsOf = ({ data }: { data: Row[] }) => data.map(({ id }) => id)
  const before = idsOf(await read(`${list}?limit=500`))
  expect(before).toEqual([...before].sort())
  for (const limit of [1, 3, before.length - 1, before.length]) {
    const found: string[] = []
    let cursor = ''
    for (;;) {
      // Another key of the same companies goes on.
      const page = await read(`${list}?limit=${limit}${cursor}`, await world.make.key([company]))
      expect(page.pagination).toMatchObject({ limit, has_more: page.pagination.cursor !== null })
      found.push(...idsOf(page))
      if (!page.pagination.has_more) break
      expect(page.data).toHaveLength(limit)
      cursor = `&cursor=${page.pagination.cursor}`
      if (limit === 3) await world.make.sensor({ asset: await world.make.asset({ company }) })
    }
    expect(new Set(found).size).toBe(found.length)
    expect(found.filter(id => before.includes(id))).toEqual(before)
  }
})

test.each([
  ['2025-12-31', '2026-01-30', 49],
  ['2026-01-01', '2026-01-31', 50],
])('from %s to %s, both included, there are %i persons, suppressed below 50', async (from, to, total) => {
  const range = `from_date=${from}&to_date=${to}`
  const suppressed = total < 50
  const { gender, age, age_gender, ...found } = await read(`assets/${ids[2]}/demographics?${range}`)
  expect(found).toMatchObject({ total, suppressed })
  expect([gender.length, age.length, age_gender.length]).toEqual(suppressed ? [0, 0, 0] : [3, 8, 24])
  // An asset that is named twice counts once.
  const filter = `asset_ids=${ids[2]},${ids[2]}&country=DE`
  expect(await read(`demographics/aggregate?${range}&${filter}`)).toMatchObject({ asset_count: 1, total, suppressed })
})

test.each([
  ['group_by=region', ['DE DE-BE 1', 'DE DE-NW 2', 'DE null 3', 'NP null 4']],
  ['group_by=city', ['DE DE-BE Berlin 1', 'DE DE-NW Köln, Süd 2', 'DE null null 3', 'NP null Kathmandu 4']],
  ['group_by=city&city=%22K%C3%B6ln,%20S%C3%BCd%22,Berlin', ['DE DE-BE Berlin 1', 'DE DE-NW Köln, Süd 2']],
])('rows of groups without a value are the last ones: %s', async (query, expected) => {
  const { data } = await read(`impressions/aggregate?from_date=2026-01-31&to_date=2026-01-31&${query}`)
  const names = ['country', 'region', ...(query.startsWith('group_by=city') ? ['city'] : []), 'impressions']
  const rows = data.filter((row: Record<string, unknown>) => row.impressions !== null)
  expect(rows.map((row: Record<string, unknown>) => names.map(name => String(row[name])).join(' '))).toEqual(expected)
})
