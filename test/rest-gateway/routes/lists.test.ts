import type { Made } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string
let company: Made

beforeAll(async () => {
  world = await World.open()
  company = await world.make.company()
  key = await world.make.key([company])
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
    const { data, pagination } = await world.read(
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
      key,
    )
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

describe('reading a list page by page', () => {
  test.each(['assets', 'sensors'])('returns all %s once, ordered by id, whatever the page size', async list => {
    await world.make.together(async make => {
      for (let i = 0; i < 40; i++) await make.sensor({ asset: await make.asset({ company }) })
    })
    const ids = (await world.read(`/v1/partner/${list}?limit=500`, key)).data.map(({ id }: Row) => id)
    expect(ids.length).toBeGreaterThanOrEqual(40)
    expect(ids).toEqual([...ids].sort())
    for (const limits of [[1], [7], [500], [3, 11, 1], [ids.length], [ids.length - 1]]) {
      expect(await readAll(`/v1/partner/${list}`, limits)).toEqual(ids)
    }
  })

  test('neither skips nor repeats a row while others are added', async () => {
    const before = (await world.read('/v1/partner/assets?limit=500', key)).data.map(({ id }: Row) => id)
    const after = await readAll('/v1/partner/assets', [3], () => world.make.asset({ company }))
    expect(new Set(after).size).toBe(after.length)
    expect(after.filter(id => before.includes(id))).toEqual(before)
  })

  test('can continue with another key for the same companies', async () => {
    const { pagination } = await world.read('/v1/partner/assets?limit=1', key)
    const next = await world.make.key([company])
    const { data } = await world.read(`/v1/partner/assets?limit=1&cursor=${pagination.cursor}`, next)
    expect(data).toHaveLength(1)
  })
})

describe('a cursor', () => {
  const readCursor = async (path: string) => (await world.read(path, key)).pagination.cursor as string

  const readCode = async (path: string, cursor: string) => {
    const { status, body } = await world.get(`${path}cursor=${encodeURIComponent(cursor)}`, { key })
    return status === 200 ? 'accepted' : body.error.code
  }

  test('is valid only for its own list and filters', async () => {
    const asset = await world.make.asset({ company })
    for (let i = 0; i < 3; i++) await world.make.sensor({ asset })
    const ofAssets = await readCursor('/v1/partner/assets?limit=1')
    const ofSensors = await readCursor('/v1/partner/sensors?limit=1')
    const ofAsset = await readCursor(`/v1/partner/sensors?limit=1&asset_id=${asset.id}`)
    expect(await readCode('/v1/partner/assets?', ofAssets)).toBe('accepted')
    expect(await readCode('/v1/partner/assets?', ofSensors)).toBe('INVALID_CURSOR')
    expect(await readCode('/v1/partner/sensors?', ofSensors)).toBe('accepted')
    expect(await readCode('/v1/partner/sensors?', ofAsset)).toBe('INVALID_CURSOR')
    expect(await readCode(`/v1/partner/sensors?asset_id=${asset.id}&`, ofSensors)).toBe('INVALID_CURSOR')
    expect(await readCode(`/v1/partner/sensors?asset_id=${asset.id}&`, ofAsset)).toBe('accepted')
  })

  test('that was not issued by the service is rejected', async () => {
    const cursor = await readCursor('/v1/partner/assets?limit=1')
    for (const text of ['', 'x', `${cursor}A`, cursor.slice(0, -1), cursor + cursor]) {
      expect(await readCode('/v1/partner/assets?', text)).toBe('INVALID_CURSOR')
    }
  })
})

describe('name_contains', () => {
  test('matches part of the name in any case, of assets and of the assets of sensors', async () => {
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
    const { body } = await world.get(`/v1/partner/assets?name_contains=${'x'.repeat(101)}`, { key })
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: 'name_contains' } })
  })
})
