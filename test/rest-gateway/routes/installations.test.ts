/** The installations on an asset: whose hardware measured its numbers, and what companies see of a sensor that moves between them. */
import type { Made, MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let asset: MadeAsset
let key: string

/** The key of another company, and its asset. */
let other: string
let elsewhere: MadeAsset

beforeAll(async () => {
  world = await World.open()
  await importRows(
    'vendors',
    'id,name,own,finest_grain',
    'vendorown1,Own,true,minute',
    'vendorone1,One,false,',
    'vendortwo1,Two,false,',
  )
})
afterAll(() => world.stop())
beforeEach(async () => {
  asset = await world.make.asset()
  elsewhere = await world.make.asset()
  const keyOf = (number: number) => world.make.key([{ number } as Made], { scopes: ['internal:graphql:read'] })
  key = await keyOf(asset.company)
  other = await keyOf(elsewhere.company)
})

async function importRows(kind: 'vendors' | 'sensors' | 'impressions', ...lines: string[]): Promise<void> {
  expect(await world.import(kind, lines)).toMatchObject({ errors: [], rejected: 0 })
}

const list = async (of = asset, as = key) => (await world.read(`/v1/partner/assets/${of.id}/installations`, as)).data

const brief = async (of = asset, as = key): Promise<string[]> =>
  (await list(of, as)).map((row: Record<string, string | null>) =>
    [row.serial ?? '-', row.vendor, row.model, row.from!.slice(0, 10), row.to?.slice(0, 10)].join(' ').trimEnd(),
  )

/** Returns the kinds that the feed has behind a cursor, and the next one. */
async function follow(cursor = '', as = key): Promise<{ kinds: string[]; next: string }> {
  const { data, pagination } = await world.read(`/v1/partner/changes?limit=500${cursor && `&cursor=${cursor}`}`, as)
  return { kinds: data.map((row: { kind: string }) => row.kind), next: pagination.cursor }
}

test("a number of last year can be said to be whose, after the sensor was swapped for another vendor's", async () => {
  await importRows(
    'sensors',
    'id,serial,model,vendor_id,asset_id,installed_at,removed_at',
    `sensorold1,OLD,M1,vendorone1,${asset.id},2025-01-01,2026-02-03T10:30:00Z`,
    `sensornew1,NEW,M2,vendorown1,${asset.id},2026-02-03T10:30:00Z,`,
  )
  await importRows(
    'impressions',
    'sensor,start,impressions',
    'OLD,2025-06-01T10:00:00+02:00,7',
    'NEW,2026-06-01T10:00:00+02:00,8',
  )
  const former = {
    ...{ sensor_id: 'sensorold1', serial: 'OLD', vendor: 'One', vendor_type: 'third_party', model: 'M1' },
    ...{ finest_grain: 'quarter_hour', from: '2025-01-01T00:00:00+01:00', to: '2026-02-03T11:30:00+01:00' },
  }
  const present = {
    ...{ sensor_id: 'sensornew1', serial: 'NEW', vendor: 'Own', vendor_type: 'own', model: 'M2' },
    ...{ finest_grain: 'minute', from: '2026-02-03T11:30:00+01:00', to: null },
  }
  expect(await list()).toEqual([former, present])

  const { data } = await world.read(
    `/v1/partner/assets/${asset.id}/impressions/daily?from_date=2025-06-01&to_date=2025-06-01`,
    key,
  )
  const whose = (await list()).filter(
    ({ from, to }: typeof former) => from <= data[0].date && data[0].date < (to ?? '9'),
  )
  expect([data[0].impressions, whose]).toEqual([7, [former]])

  const read = async (output: string) =>
    (await world.get(`/v1/partner/assets/${asset.id}/installations?output=${output}`, { key })).text
  const table = [Object.keys(former), Object.values(former), Object.values({ ...present, to: '' })]
  expect(await read('csv')).toBe(table.map(row => `${row.join()}\r\n`).join(''))
  expect(
    (await read('ndjson'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual([former, present])
  const fields = 'sensorId serial vendor vendorType model finestGrain from to'
  const { assets } = await world.graphql(key, `{ assets { nodes { installations { ${fields} } } } }`)
  expect(assets.nodes[0].installations.map(Object.values)).toEqual([former, present].map(row => Object.values(row)))

  const gaps = await world.read(`/v1/partner/gaps?from_date=2026-02-03&to_date=2026-02-03`, key)
  const named = gaps.data.flatMap((row: { sensor_id: string | null }) => row.sensor_id ?? [])
  expect(new Set(named)).toEqual(new Set(['sensorold1', 'sensornew1']))
})

test('a correction changes the present installation alone, and a replacement begins another one', async () => {
  const columns = 'serial,model,vendor_id,asset_id,installed_at'
  await importRows(
    'sensors',
    columns,
    `C,M1,vendorone1,${asset.id},2025-01-01`,
    `C,M1,vendorone1,${asset.id},2025-02-01`,
  )
  expect(await brief()).toEqual(['C One M1 2025-01-01'])
  await importRows('sensors', 'serial,model', 'C,M1b')
  expect(await brief()).toEqual(['C One M1b 2025-01-01'])
  await importRows('sensors', columns, `C,M2,vendortwo1,${asset.id},2025-03-01`)
  const replaced = ['C One M1b 2025-01-01 2025-03-01', 'C Two M2 2025-03-01']
  expect(await brief()).toEqual(replaced)
  // A row that repeats the past changes nothing.
  expect(await world.import('sensors', [columns, `C,M1b,vendorone1,${asset.id},2025-01-01`])).toMatchObject({
    stored: 0,
    unchanged: 1,
  })
  expect(await brief()).toEqual(replaced)
  const { next } = await follow()
  await importRows('vendors', 'id,name', 'vendorone1,Uno')
  expect((await follow(next)).kinds).toEqual(['sensors'])
  await importRows('sensors', 'serial,model,vendor_id,removed_at', 'C,M3,vendorown1,2025-04-01')
  expect(await brief()).toEqual(['C Uno M1b 2025-01-01 2025-03-01', 'C Own M3 2025-03-01 2025-04-01'])
  await importRows('sensors', 'serial,model', 'C,M4')
  expect((await brief())[1]).toBe('C Own M3 2025-03-01 2025-04-01')
  await importRows('vendors', 'id,name', 'vendorone1,One')
})

test('a company is shown nothing of a sensor that went to another one, until it comes back', async () => {
  const rows = (...lines: string[]) => importRows('sensors', 'id,serial,asset_id,installed_at', ...lines)
  await importRows(
    'sensors',
    'id,serial,model,vendor_id,asset_id,installed_at',
    `sensormoved1,S,M1,vendorone1,${asset.id},2025-01-01`,
  )
  const moved = async () => ({ rows: await list(), ...(await follow()) })
  const path = `/v1/partner/assets/${asset.id}/installations`
  const [before, theirs] = [await follow(), await follow('', other)]
  await rows(`sensormoved1,S,${elsewhere.id},2025-02-01`)
  expect(await brief()).toEqual(['- One M1 2025-01-01 2025-02-01'])
  expect(await brief(elsewhere, other)).toEqual(['S One M1 2025-02-01'])
  expect((await follow(before.next)).kinds).toEqual(['asset', 'sensors'])
  expect((await follow(theirs.next, other)).kinds).toEqual(['asset', 'sensors'])

  const { text } = await world.get(path, { key })
  const { next } = await moved()
  const second = await world.make.asset({ company: { number: elsewhere.company } as Made })
  await importRows('sensors', 'id,serial,model,vendor_id', 'sensormoved1,SECRET,M9,vendortwo1')
  await rows(`sensormoved1,SECRET,${second.id},2025-03-01`, `sensormoved1,SECRET,${elsewhere.id},2025-04-01`)
  await importRows('sensors', 'serial,removed_at', 'SECRET,2025-05-01')
  expect((await world.get(path, { key })).text).toBe(text)
  expect((await follow(next)).kinds).toEqual([])
  // A sensor that was only removed keeps its serial.
  expect(await brief(elsewhere, other)).toEqual([
    'SECRET Two M9 2025-02-01 2025-03-01',
    'SECRET Two M9 2025-04-01 2025-05-01',
  ])

  await rows(`sensormoved1,SECRET,${asset.id},2025-06-01`)
  expect(await brief()).toEqual(['SECRET One M1 2025-01-01 2025-02-01', 'SECRET Two M9 2025-06-01'])
  expect((await brief(second, other))[0]).toBe('- Two M9 2025-03-01 2025-04-01')
  expect((await follow(next)).kinds).toEqual(['asset', 'sensors'])
  const later = await follow('', other)
  await importRows('sensors', 'id,serial', 'sensormoved1,S2')
  expect((await follow(later.next, other)).kinds).toEqual([])
  expect((await brief())[0]).toBe('S2 One M1 2025-01-01 2025-02-01')

  expect(await world.run(['delete', 'sensors', 'S2', '--yes'])).toMatchObject({ code: 0 })
  expect([await list(), await list(elsewhere, other)]).toEqual([[], []])
  expect((await follow(later.next, other)).kinds).toEqual(['sensors', 'sensors'])
})

test('a key of two companies, too, reads the serial where the sensor was last', async () => {
  const companies = [asset, elsewhere].map(({ company }) => ({ number: company }) as Made)
  const both = await world.make.key(companies)
  await importRows(
    'sensors',
    'serial,model,vendor_id,asset_id,installed_at',
    ...[asset, elsewhere].map(({ id }, i) => `B,M,vendorone1,${id},2025-0${i + 1}-01`),
  )
  expect(await brief(asset, both)).toEqual(['- One M 2025-01-01 2025-02-01'])
  expect(await brief(elsewhere, both)).toEqual(['B One M 2025-02-01'])
})
