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

describe('an asset', () => {
  test('has the same fields on its own and in the list', async () => {
    const asset = await world.make.asset({
      company,
      legacy_id: 4711,
      description: 'At the “Zoo”',
      venue_type_id: 30501,
      venue_taxonomy: '1.2.1',
      external_ids: { hivestack: '93701', 'place-exchange': 'A, "b"' },
      facing_degrees: 0,
      width_m: 3.56,
      height_m: 2.52,
      latitude: -33.8688,
      longitude: 151.2093,
      address: 'Hardenbergplatz 1',
      city: 'Berlin',
      region: 'DE-BE',
      postal_code: '10623',
      created_at: '2026-01-01T12:00:00.5+02:00',
      updated_at: '2026-01-02T00:00:00Z',
    })
    const sensors = [await world.make.sensor({ asset }), await world.make.sensor({ asset, grain: 'hour' })] as const
    for (const date of ['2026-01-01', '2026-01-31']) await world.make.counts(sensors[0], date, () => 1)
    const single = await world.read(`/v1/partner/assets/${asset.id}`, key)
    expect(single).toEqual({
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
      updated_at: expect.stringMatching(/^20.*Z$/),
      venue_taxonomy: '1.2.1',
      external_ids: { hivestack: '93701', 'place-exchange': 'A, "b"' },
    })
    const { data } = await world.read('/v1/partner/assets?limit=500', key)
    expect(data.find(({ id }: Row) => id === asset.id)).toEqual(single)
  })

  test('has null for optional fields without a value, and no sensors', async () => {
    const { id } = await world.make.asset({ company })
    expect(await world.read(`/v1/partner/assets/${id}`, key)).toMatchObject({
      ...{ legacy_id: null, description: null, finest_grain: null, sensor_ids: [] },
      ...{ measured_from: null, measured_to: null },
    })
    expect((await world.read(`/v1/partner/sensors?asset_id=${id}`, key)).data).toEqual([])
  })
})

describe('a sensor', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

  const readHealth = async (columns: Record<string, unknown>) => {
    const asset = await world.make.asset({ company })
    await world.make.sensor({ asset, ...columns })
    const { data } = await world.read(`/v1/partner/sensors?asset_id=${asset.id}`, key)
    return data[0].health
  }

  test('is listed with its vendor, grain, asset and health', async () => {
    const asset = await world.make.asset({ company })
    const sensor = await world.make.sensor({ asset, grain: 'quarter_hour' })
    const { data, pagination } = await world.read(`/v1/partner/sensors?asset_id=${asset.id}`, key)
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
        removed_at: null,
        updated_at: expect.stringMatching(/^20.*Z$/),
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
  ])('checked as %s %i minutes ago (%s) is %s (%s)', async (health_status, minutes, health_reason, status, reason) => {
    const health_checked_at = minutesAgo(minutes)
    const health = await readHealth({
      health_status,
      health_checked_at,
      health_reason,
      health_last_seen_at: health_checked_at,
    })
    expect(health).toMatchObject({ status, reason })
    expect(Date.parse(health.checked_at)).toBe(Date.parse(health_checked_at))
    expect(Date.parse(health.last_seen_at)).toBe(Date.parse(health_checked_at))
  })

  test('without an asset is not listed for any key', async () => {
    const { id } = await world.make.sensor({ asset: null, installed_at: null })
    const all = await world.make.key([], { all_companies: true, scopes: ['internal:graphql:read'] })
    for (const reader of [key, all]) {
      const { data } = await world.read('/v1/partner/sensors?limit=500', reader)
      expect(data.map((sensor: Row) => sensor.id)).not.toContain(id)
    }
  })
})
