/** Four assets of two companies with counts, origins and demographics, and an asset that is out of scope. */
import type { Factory, Made, MadeAsset } from '../support/factories'

export interface SampleAssets {
  /** A key of both companies with access to /graphql. */
  key: string
  acme: Made
  assets: Record<'berlin' | 'potsdam' | 'york' | 'fiji', MadeAsset>
}

export async function createSampleAssets(make: Factory): Promise<SampleAssets> {
  const acme = await make.company('Acme')
  const zeta = await make.company('Zeta')
  const assets = {
    berlin: await make.asset({
      company: acme,
      name: 'Zoo',
      city: 'Berlin',
      region: 'DE-BE',
      venue_type_id: 301,
      latitude: 52.5,
      longitude: 13.35,
    }),
    potsdam: await make.asset({
      company: zeta,
      name: 'zebra crossing',
      city: 'Potsdam',
      region: 'DE-BB',
      media_type: 'static',
      latitude: 52.39,
      longitude: 13.06,
    }),
    york: await make.asset({
      company: acme,
      name: '5th Avenue',
      country: 'US',
      region: 'US-NY',
      city: 'New York',
      status: 'inactive',
      time_zone: 'America/New_York',
      latitude: 40.75,
      longitude: -73.98,
      created_at: '2020-01-01T00:00:00Z',
    }),
    fiji: await make.asset({
      company: zeta,
      name: 'Taveuni',
      country: 'FJ',
      format: 'other',
      time_zone: 'Pacific/Fiji',
      latitude: -16.8,
      longitude: 179.98,
    }),
  }
  await make.asset({ name: 'Foreign zoo' })
  const own = await make.sensor({ asset: assets.berlin })
  const third = await make.sensor({ asset: assets.york, grain: 'quarter_hour' })
  const hours = await make.sensor({ asset: assets.potsdam, grain: 'hour' })
  await make.counts(own, '2026-01-01', () => 1)
  await make.counts(own, '2026-01-03', () => 2)
  await make.counts(third, '2026-01-01', () => 10)
  await make.counts(third, '2026-02-01', () => 1)
  await make.counts(hours, '2026-01-05', () => 5)
  await make.demographics(assets.berlin, '2026-01-01', { '25-34 male': 60 })
  await make.demographics(assets.york, '2026-01-01', { '25-34 female': 40 })
  await make.origin(assets.berlin, '2026-01-01', ['DE', 'DE-BE', 'Berlin'], 9)
  return { key: await make.key([acme, zeta], { scopes: ['internal:graphql:read'] }), acme, assets }
}
