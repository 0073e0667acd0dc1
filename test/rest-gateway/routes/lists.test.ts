/** Lists of assets and sensors: their pages, cursors and filters, and the bytes of their rows, which are cached. */
import { execute, parse } from 'graphql'
import { Context } from '../../../resolvers/context'
import { schema } from '../../../resolvers/schema'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import type { Made } from '../../support/factories'
import { readAs, World } from '../../support/world'

const CHECKED = Date.parse('2026-01-01T00:00:00Z')
const MINUTE = 60_000

let now = CHECKED
let world: World
let key: string
let hash: Buffer
let company: Made

beforeAll(async () => {
  world = await World.open({ now: () => now })
  await world.make.together(async make => {
    company = await make.company()
    key = await make.key([company])
    for (const name of ['Zoo', 'Über „allem“ \u2028 🐘', '"\\{}', 'null', 'a'.repeat(500)]) {
      const asset = await make.asset({ company, name, description: `${name}\n` })
      for (const health_status of ['healthy', 'offline', null]) {
        const health = { health_status, health_checked_at: new Date(CHECKED).toISOString(), health_reason: name }
        await make.sensor({ asset, ...(health_status && health) })
      }
    }
    for (let i = 0; i < 8; i++) await make.asset({ company })
  })
  hash = (await world.owner.query('SELECT hash FROM api_keys')).rows[0].hash
})
afterAll(() => world.stop())

interface Row {
  id: string
}

/** Returns the ids of all rows of a list, read page by page. @param limits the page sizes, repeated */
async function readAll(
  path: string,
  limits: number[],
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < 1000; page++) {
    const limit = limits[page % limits.length]
    const { data, pagination } = await world.read(`${path}?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`, key)
    expect(pagination.limit).toBe(limit)
    expect(pagination.has_more).toBe(pagination.cursor !== null)
    if (pagination.has_more) expect(data).toHaveLength(limit as number)
    ids.push(...data.map(({ id }: Row) => id))
    cursor = pagination.cursor
    if (cursor === null) return ids
    await between()
  }
  throw new Error('the list has more than 1000 pages')
}

test.each(['assets', 'sensors'])('all %s are returned once, ordered by id, whatever the page size', async list => {
  const ids = (await world.read(`/v1/partner/${list}?limit=500`, key)).data.map(({ id }: Row) => id)
  expect(ids.length).toBeGreaterThanOrEqual(13)
  expect(ids).toEqual([...ids].sort())
  for (const limits of [[1], [7], [3, 5, 1], [ids.length], [ids.length - 1]]) {
    expect(await readAll(`/v1/partner/${list}`, limits)).toEqual(ids)
  }
})

test('pages neither skip nor repeat a row while others are added, and go on with another key for the same companies', async () => {
  const before = (await world.read('/v1/partner/assets?limit=500', key)).data.map(({ id }: Row) => id)
  const after = await readAll('/v1/partner/assets', [3], () => world.make.asset({ company }))
  expect(new Set(after).size).toBe(after.length)
  expect(after.filter(id => before.includes(id))).toEqual(before)
  const [, second] = (await world.read('/v1/partner/assets?limit=2', key)).data.map(({ id }: Row) => id)
  const { pagination } = await world.read('/v1/partner/assets?limit=1', key)
  const path = `/v1/partner/assets?limit=1&cursor=${pagination.cursor}`
  const { data } = await world.read(path, await world.make.key([company]))
  expect(data.map(({ id }: Row) => id)).toEqual([second])
})

test('name_contains matches part of the name in any case, of assets and of the assets of sensors', async () => {
  const asset = await world.make.asset({ company, name: 'Kölner Straße 100% (Süd)' })
  const sensor = await world.make.sensor({ asset })
  const read = async (list: string, text: string) =>
    (await world.read(`/v1/partner/${list}?name_contains=${encodeURIComponent(text)}`, key)).data.map(
      ({ id }: Row) => id,
    )
  for (const text of ['KÖLN', '0% (', 'süd)']) {
    expect(await read('assets', text)).toEqual([asset.id])
    expect(await read('sensors', text)).toEqual([sensor.id])
  }
  for (const text of ['K%', 'K_l', 'Kolner']) expect(await read('assets', text)).toEqual([])
})

test('updated_since lists what has changed from then on', async () => {
  const { id, number } = await world.make.asset({ company })
  const { updated_at: since } = await world.read(`/v1/partner/assets/${id}`, key)
  await world.owner.query('UPDATE assets SET facing_degrees = 1 WHERE number = $1', [number])
  const { updated_at: next } = await world.read(`/v1/partner/assets/${id}`, key)
  expect(next > since).toBe(true)
  const idsSince = async (time: string) =>
    (await world.read(`/v1/partner/assets?updated_since=${time}`, key)).data.map((row: Row) => row.id)
  expect(await idsSince(next)).toEqual([id])
  expect(await idsSince('2999-01-01T00:00:00Z')).toEqual([])
})

/** Returns the rows of a list, by graphql-js on the public schema. */
async function readRows(operation: string, limit: number): Promise<unknown> {
  const query = partnerRoutes.find(route => route.operation === operation)?.query as string
  const { data, errors } = await readAs(world.gateway, hash, reader =>
    execute({
      schema,
      document: parse(query),
      contextValue: new Context(reader, now),
      variableValues: { limit, cursor: null, asset_id: null },
    }),
  )
  expect(errors).toBeUndefined()
  return (data as Record<string, { data: unknown }>)[operation === 'ListAssets' ? 'assets' : 'sensors']?.data
}

describe.each([
  ['ListAssets', 'assets'],
  ['ListSensors', 'sensors'],
])('a page of %s', (operation, path) => {
  const fetchText = async (limit: number) => (await world.get(`/v1/partner/${path}?limit=${limit}`, { key })).text

  const expectRows = async (limit: number) =>
    expect(await fetchText(limit)).toMatch(JSON.stringify({ data: await readRows(operation, limit) }).slice(0, -1))

  test('has the bytes that graphql-js returns, whether its rows are cached or not, and changes at once', async () => {
    for (const limit of [2, 500, 2, 1]) await expectRows(limit)
    await world.owner.query(`UPDATE assets SET name = 'Zebra', facing_degrees = 7 WHERE name = 'Zoo'`)
    await world.owner.query(`UPDATE sensors SET health_reason = 'wet' WHERE health_reason = 'Zoo'`)
    await expectRows(500)
    await world.owner.query(`UPDATE assets SET name = 'Zoo' WHERE name = 'Zebra'`)
    await expectRows(500)
  })

  test('has the health of sensors at the time of the request', async () => {
    for (const minutes of [0, 30, 30.01, 60, 60.01, 1_000, 31, 0]) {
      now = CHECKED + minutes * MINUTE
      await expectRows(500)
    }
  })

  test('is empty for a key without assets', async () => {
    const empty = await world.make.key([await world.make.company()])
    expect(await world.read(`/v1/partner/${path}?limit=3`, empty)).toEqual({
      data: [],
      pagination: { cursor: null, has_more: false, limit: 3 },
    })
  })
})
