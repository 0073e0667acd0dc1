import fc from 'fast-check'
import { Cursors } from '../../../rest-gateway/routes/cursors'
import { Service } from '../../support/service'

let service: Service
let key: string
let company: Awaited<ReturnType<Service['make']['company']>>

beforeAll(async () => {
  service = await Service.start()
  company = await service.make.company()
  key = await service.make.key([company])
})
afterAll(() => service.stop())

interface Row {
  id: string
}

/** All rows of a list, page by page. */
async function walk(
  path: string,
  limits: number[],
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < 1000; page++) {
    const limit = limits[page % limits.length]
    const { data, pagination } = await service.read(
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
  throw new Error('a list without an end')
}

describe('a walk over the pages of a list', () => {
  test.each(['assets', 'sensors'])(
    'of %s meets each row once, by id in the order of bytes, whatever the page size',
    async what => {
      for (let i = 0; i < 40; i++) await service.make.sensor({ asset: await service.make.asset({ company }) })
      const whole = (await service.read(`/v1/partner/${what}?limit=500`, key)).data.map(({ id }: Row) => id)
      expect(whole.length).toBeGreaterThanOrEqual(40)
      expect(whole).toEqual([...whole].sort())
      for (const limits of [[1], [7], [500], [3, 11, 1], [whole.length], [whole.length - 1]]) {
        expect(await walk(`/v1/partner/${what}`, limits)).toEqual(whole)
      }
    },
  )

  test('neither skips nor repeats a row that was there all along while others are added', async () => {
    const before = (await service.read('/v1/partner/assets?limit=500', key)).data.map(({ id }: Row) => id)
    const met = await walk('/v1/partner/assets', [3], () => service.make.asset({ company }))
    expect(new Set(met).size).toBe(met.length)
    expect(met.filter(id => before.includes(id))).toEqual(before)
  })

  test('may go on with a key that took over from the first', async () => {
    const { pagination } = await service.read('/v1/partner/assets?limit=1', key)
    const next = await service.make.key([company])
    const { data } = await service.read(`/v1/partner/assets?limit=1&cursor=${pagination.cursor}`, next)
    expect(data).toHaveLength(1)
  })
})

describe('a cursor', () => {
  const cursorOf = async (path: string) => (await service.read(path, key)).pagination.cursor as string

  const codeOf = async (path: string, cursor: string) => {
    const { status, body } = await service.get(`${path}cursor=${encodeURIComponent(cursor)}`, { key })
    return status === 200 ? 'fine' : body.error.code
  }

  test('is good for its own list and filters alone', async () => {
    const asset = await service.make.asset({ company })
    for (let i = 0; i < 3; i++) await service.make.sensor({ asset })
    const ofAssets = await cursorOf('/v1/partner/assets?limit=1')
    const ofSensors = await cursorOf('/v1/partner/sensors?limit=1')
    const ofAsset = await cursorOf(`/v1/partner/sensors?limit=1&asset_id=${asset.id}`)
    expect(await codeOf('/v1/partner/assets?', ofAssets)).toBe('fine')
    expect(await codeOf('/v1/partner/assets?', ofSensors)).toBe('INVALID_CURSOR')
    expect(await codeOf('/v1/partner/sensors?', ofSensors)).toBe('fine')
    expect(await codeOf('/v1/partner/sensors?', ofAsset)).toBe('INVALID_CURSOR')
    expect(await codeOf(`/v1/partner/sensors?asset_id=${asset.id}&`, ofSensors)).toBe('INVALID_CURSOR')
    expect(await codeOf(`/v1/partner/sensors?asset_id=${asset.id}&`, ofAsset)).toBe('fine')
  })

  test('of another environment is not good here', () => {
    const secret = Buffer.alloc(32, 1)
    const cursor = new Cursors(secret, 'dev').issue('list', 'id')
    expect(new Cursors(secret, 'dev').open('list', cursor)).toBe('id')
    expect(() => new Cursors(secret, 'production').open('list', cursor)).toThrow('cursor')
  })

  test('is refused however it is tampered with', async () => {
    const cursor = await cursorOf('/v1/partner/assets?limit=1')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const changed = fc
      .tuple(fc.nat(cursor.length - 1), fc.constantFrom(...alphabet))
      .map(([i, letter]) => cursor.slice(0, i) + letter + cursor.slice(i + 1))
    const texts = fc.oneof(
      changed,
      fc.string({ unit: 'binary' }).filter(text => !text.includes('\0')),
      fc.base64String(),
      fc.constantFrom(
        '',
        `${cursor}=`,
        `${cursor} `,
        cursor.slice(1),
        cursor.slice(0, -1),
        cursor + cursor,
        `${cursor}A`,
        cursor.replace(/.$/, '+'),
      ),
    )
    await fc.assert(
      fc.asyncProperty(texts, async text => {
        fc.pre(text !== cursor && text.isWellFormed())
        expect(await codeOf('/v1/partner/assets?', text)).toBe('INVALID_CURSOR')
      }),
      { numRuns: 300 },
    )
  })
})

describe('an asset', () => {
  test('is told in full, alike alone and in the list', async () => {
    const asset = await service.make.asset({
      company,
      legacy_id: 4711,
      description: 'At the “Zoo”',
      venue_type_id: 30501,
      facing_degrees: 0,
      width_m: 3.56,
      height_m: 2.52,
      latitude: -33.8688,
      longitude: 151.2093,
      address: 'Hardenbergplatz 1',
      city: 'Berlin',
      region: 'DE-BE',
      postal_code: '10623',
      measured_from: '2026-01-01',
      measured_to: '2026-01-31',
      created_at: '2026-01-01T12:00:00.5+02:00',
      updated_at: '2026-01-02T00:00:00Z',
    })
    const sensors = [await service.make.sensor({ asset }), await service.make.sensor({ asset, grain: 'hour' })]
    const alone = await service.read(`/v1/partner/assets/${asset.id}`, key)
    expect(alone).toEqual({
      id: asset.id,
      legacy_id: 4711,
      company_id: company.id,
      name: expect.stringMatching(/^Asset/),
      description: 'At the “Zoo”',
      media_type: 'digital',
      format: 'billboard',
      venue_type_id: 30501,
      status: 'active',
      indoors: false,
      facing_degrees: 0,
      width_m: 3.56,
      height_m: 2.52,
      latitude: -33.8688,
      longitude: 151.2093,
      address: 'Hardenbergplatz 1',
      city: 'Berlin',
      region: 'DE-BE',
      postal_code: '10623',
      country: 'DE',
      time_zone: 'Europe/Berlin',
      finest_grain: 'hour',
      sensor_ids: sensors.map(({ id }) => id).sort(),
      measured_from: '2026-01-01',
      measured_to: '2026-01-31',
      created_at: '2026-01-01T10:00:00.5Z',
      updated_at: '2026-01-02T00:00:00Z',
    })
    const { data } = await service.read('/v1/partner/assets?limit=500', key)
    expect(data.find(({ id }: Row) => id === asset.id)).toEqual(alone)
  })

  test('without anything optional says null', async () => {
    const { id } = await service.make.asset({ company })
    expect(await service.read(`/v1/partner/assets/${id}`, key)).toMatchObject({
      legacy_id: null,
      description: null,
      finest_grain: null,
      sensor_ids: [],
      measured_from: null,
      measured_to: null,
    })
  })
})

describe('a sensor', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

  const healthOf = async (columns: Record<string, unknown>) => {
    const asset = await service.make.asset({ company })
    await service.make.sensor({ asset, ...columns })
    const { data } = await service.read(`/v1/partner/sensors?asset_id=${asset.id}`, key)
    return data[0].health
  }

  test('is told in full', async () => {
    const asset = await service.make.asset({ company })
    const sensor = await service.make.sensor({ asset, grain: 'quarter_hour', removed_at: '2026-05-01T00:00:00Z' })
    const { data, pagination } = await service.read(`/v1/partner/sensors?asset_id=${asset.id}`, key)
    expect(pagination).toEqual({ cursor: null, has_more: false, limit: 50 })
    expect(data).toEqual([
      {
        id: sensor.id,
        serial: sensor.serial,
        model: 'Counter 1',
        vendor: expect.stringMatching(/^Vendor/),
        vendor_type: 'third_party',
        finest_grain: 'quarter_hour',
        asset_id: asset.id,
        billable_state: 'billable',
        health: { status: 'unknown', checked_at: null, last_seen_at: null, reason: null, cadence_minutes: 15 },
        installed_at: '2020-01-01T00:00:00Z',
        removed_at: '2026-05-01T00:00:00Z',
      },
    ])
  })

  test.each([
    ['healthy', 29, null, 'healthy', null],
    ['healthy', 31, null, 'degraded', 'check_overdue'],
    ['healthy', 61, null, 'offline', 'check_overdue'],
    ['degraded', 10, 'low battery', 'degraded', 'low battery'],
    ['degraded', 31, 'low battery', 'degraded', 'low battery'],
    ['degraded', 61, 'low battery', 'offline', 'check_overdue'],
    ['offline', 31, 'no power', 'offline', 'no power'],
    ['unknown', 31, null, 'degraded', 'check_overdue'],
  ])('last found %s %i minutes ago (%s) is %s (%s)', async (health_status, minutes, health_reason, status, reason) => {
    const health_checked_at = minutesAgo(minutes)
    const health = await healthOf({
      health_status,
      health_checked_at,
      health_reason,
      health_last_seen_at: health_checked_at,
    })
    expect(health).toMatchObject({ status, reason })
    expect(Date.parse(health.checked_at)).toBe(Date.parse(health_checked_at))
    expect(Date.parse(health.last_seen_at)).toBe(Date.parse(health_checked_at))
  })

  test('without an asset is seen by nobody', async () => {
    const { id } = await service.make.sensor({ asset: null, installed_at: null })
    const all = await service.make.key([], { all_companies: true, scopes: ['internal:graphql:read'] })
    for (const holder of [key, all]) {
      const { data } = await service.read('/v1/partner/sensors?limit=500', holder)
      expect(data.map((sensor: Row) => sensor.id)).not.toContain(id)
    }
  })

  test('list of an asset without sensors is empty', async () => {
    const asset = await service.make.asset({ company })
    expect((await service.read(`/v1/partner/sensors?asset_id=${asset.id}`, key)).data).toEqual([])
  })
})
