/** The ids of assets in other systems: as they are imported, filtered, listed in formats and followed, and who sees which. */
import { World } from '../../support/world'

let world: World
let key: string
let other: string
let analyst: string

const HEADER = 'legacy_id,company_id,name,media_type,format,latitude,longitude,country,time_zone'
const asset = (id: number, company: string) =>
  `${id},${company},Asset ${id},digital,billboard,52.5,13.4,DE,Europe/Berlin`

async function importAssets(...lines: string[]): Promise<void> {
  expect(await world.import('assets', lines)).toMatchObject({ errors: [] })
}

beforeAll(async () => {
  world = await World.open()
  const { make } = world
  const [alder, birch] = [await make.company('Alder'), await make.company('Birch')]
  key = await make.key([alder])
  other = await make.key([birch])
  analyst = await make.key([alder], { scopes: ['internal:graphql:read'] })
  await importAssets(
    `${HEADER},external_id:hivestack,external_id:place-exchange`,
    `${asset(1, 'Alder')},A-1,"x, y:z"`,
    `${asset(2, 'Alder')},a-1,`,
    `${asset(3, 'Alder')},,A-1`,
  )
  await importAssets(`${HEADER},external_id:hivestack,external_id:birchonly`, `${asset(4, 'Birch')},A-1,B`)
})
afterAll(() => world.stop())

const ids = async (filter: string, as = key) =>
  (await world.read(`/v1/partner/assets?${filter}`, as)).data.map((row: { legacy_id: number }) => row.legacy_id)

test.each([
  ['hivestack:A-1', [1]],
  ['hivestack:a-1', [2]],
  ['hivestack:A-1,hivestack:a-1', [1, 2]],
  ['hivestack:a-1,place-exchange:A-1', [2, 3]],
  ['"place-exchange:x, y:z"', [1]],
  ['place-exchange:x', []],
  ['unknown:A-1', []],
  ['birchonly:B', []],
])('external_id=%s selects the assets with exactly these ids', async (filter, expected) => {
  expect((await ids(`external_id=${encodeURIComponent(filter)}`)).sort()).toEqual(expected)
})

test.each(['hivestack', ':A-1', 'hivestack:', 'hivestack:A-1,', ''])(
  'external_id=%s is an error that says what is expected',
  async value => {
    const { status, body } = await world.get(`/v1/partner/assets?external_id=${value}`, { key })
    const expected = expect.stringMatching(/^the name of a system, a colon, and the id there, such as hivestack:93726/)
    expect([status, body.error]).toMatchObject([
      400,
      { code: 'INVALID_PARAMETER', details: { parameter: 'external_id', value, expected } },
    ])
  },
)

test('the filter is combined with others, and is taken by all routes of many assets', async () => {
  expect(await ids('external_id=hivestack:A-1,hivestack:a-1&name_contains=asset 2')).toEqual([2])
  const range = 'from_date=2026-01-01&to_date=2026-01-02&external_id=hivestack:a-1'
  const aggregate = await world.read(`/v1/partner/impressions/aggregate?${range}`, key)
  expect(aggregate.asset_count).toBe(1)
  expect((await world.read(`/v1/partner/impressions?${range}`, key)).data).toHaveLength(1)
  expect((await world.read('/v1/partner/sensors?external_id=hivestack:a-1', key)).data).toEqual([])
  for (const route of ['gaps', 'notes', 'restatements']) {
    expect((await world.get(`/v1/partner/${route}?${range}`, { key })).status).toBe(200)
  }
})

test('analysts filter by system and id, and read all ids of an asset', async () => {
  const read = (filter: string) =>
    world.graphql(
      analyst,
      `{ assets(limit: 9, filter: { externalId: ${filter} }) { nodes { legacyId externalIds } count } }`,
    )
  expect(await read('[{ system: "hivestack", id: "A-1" }]')).toEqual({
    assets: { nodes: [{ legacyId: 1, externalIds: { hivestack: 'A-1', 'place-exchange': 'x, y:z' } }], count: 1 },
  })
  expect(await read('[{ system: "place-exchange:x, y", id: "z" }]')).toEqual({ assets: { nodes: [], count: 0 } })
})

test('flat formats have a column for each system that the key can see, and for no other, whatever the filters', async () => {
  const header = async (filter: string, as = key) =>
    (await world.get(`/v1/partner/assets?output=csv${filter}`, { key: as })).text.split('\r\n')[0]
  expect(await header('')).toMatch(/,venue_taxonomy,external_ids_hivestack,external_ids_place-exchange$/)
  expect(await header('', other)).toMatch(/,venue_taxonomy,external_ids_birchonly,external_ids_hivestack$/)
  expect(await header('&external_id=hivestack:none')).toBe(await header(''))
})

test('a change of an id is one of the record of the asset, and an equal one is none', async () => {
  const feed = async (cursor?: string) =>
    world.read(`/v1/partner/changes?limit=500${cursor ? `&cursor=${cursor}` : ''}`, key)
  const { cursor } = (await feed()).pagination
  await importAssets('legacy_id,external_id:hivestack', '1,A-1', '2,new')
  const { data, pagination } = await feed(cursor)
  const [changed] = (await world.read('/v1/partner/assets?external_id=hivestack:new', key)).data
  expect(data.map(({ asset_id, kind }: Record<string, string>) => [asset_id, kind])).toEqual([[changed.id, 'asset']])
  await importAssets('legacy_id,external_id:hivestack', '2,a-1')
  expect((await feed(pagination.cursor)).data).toHaveLength(1)
})
