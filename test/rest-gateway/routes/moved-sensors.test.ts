import { Readable } from 'node:stream'
import { importFile } from '../../../db/import/import-file'
import type { Kind } from '../../../db/import/kind-names'
import type { MadeAsset } from '../../support/factories'
import { Service } from '../../support/service'

let service: Service
let key: string
let berlin: MadeAsset
let newYork: MadeAsset

beforeAll(async () => {
  service = await Service.start()
  const company = await service.make.company()
  key = await service.make.key([company])
  berlin = await service.make.asset({ company })
  newYork = await service.make.asset({ company, time_zone: 'America/New_York' })
  await run('vendors', 'name,own,finest_grain', 'Hour,false,hour', 'Quarter,false,quarter_hour')
  await run('sensors', 'serial,model,vendor_id,asset_id,installed_at', `S,M,Hour,${berlin.id},2026-02-01`)
  const hours = Array.from({ length: 9 * 24 }, (_, i) => new Date(Date.parse('2026-01-31T23:00Z') + i * 3_600_000))
  await run('impressions', 'sensor,start,impressions', ...hours.map(start => `S,${start.toISOString()},10`))
})
afterAll(() => service.stop())

async function run(kind: Kind, ...lines: string[]): Promise<void> {
  const figures = await importFile(service.owner, kind, Readable.from([lines.join('\n')]))
  expect(figures).toMatchObject({ rejected: 0, unchanged: 0 })
}

const get = (asset: MadeAsset, path: string, from: string, to: string, headers = {}) =>
  service.get(`/v1/partner/assets/${asset.id}/impressions/${path}from_date=${from}&to_date=${to}`, { key, headers })

const daily = async (asset: MadeAsset) =>
  (await get(asset, 'daily?', '2026-02-05', '2026-02-10')).body.data.map(
    ({ impressions, coverage }: { impressions: number; coverage: number }) => [impressions, coverage],
  )

test('a move that is reported late shows the same impressions and coverage as one reported in time', async () => {
  const versions: Record<string, string>[] = []
  for (const asset of [berlin, newYork]) {
    const { headers } = await get(asset, 'daily?', '2026-02-05', '2026-02-10')
    versions.push({ 'If-None-Match': headers.etag as string })
  }
  expect(await daily(berlin)).toEqual([...Array(5).fill([240, 1]), [null, 0]])
  await run('sensors', 'serial,asset_id,installed_at', `S,${newYork.id},2026-02-07T06:00+01:00`)
  expect(await daily(berlin)).toEqual([
    [240, 1],
    [240, 1],
    [60, 1],
    [null, 0],
    [null, 0],
    [null, 0],
  ])
  expect(await daily(newYork)).toEqual([
    [null, 0],
    [null, 0],
    [240, 1],
    [240, 1],
    [180, 0.75],
    [null, 0],
  ])
  for (const [i, asset] of [berlin, newYork].entries()) {
    expect((await get(asset, 'daily?', '2026-02-05', '2026-02-10', versions[i])).status).toBe(200)
  }
  const { body } = await service.get(`/v1/partner/sensors?asset_id=${newYork.id}`, { key })
  expect(body.data).toMatchObject([{ serial: 'S', asset_id: newYork.id, installed_at: '2026-02-07T05:00:00Z' }])
  const { body: left } = await service.get(`/v1/partner/assets/${berlin.id}`, { key })
  expect(left).toMatchObject({ sensor_ids: [], measured_from: '2026-02-01', measured_to: '2026-02-07' })
})

test('the grains of a range are those of the hardware that was installed in it', async () => {
  await run('sensors', 'serial,vendor_id,asset_id,installed_at', `S,Quarter,${berlin.id},2026-02-20`)
  await run('impressions', 'sensor,start,impressions', 'S,2026-02-20T00:15,3')
  const quarters = (asset: MadeAsset, from: string, to: string) =>
    get(asset, 'timeseries?grain=quarter_hour&', from, to)
  expect((await quarters(berlin, '2026-02-20', '2026-02-21')).body.total).toBe(3)
  expect((await quarters(berlin, '2026-02-07', '2026-02-21')).body.error).toMatchObject({
    code: 'GRAIN_NOT_AVAILABLE',
    details: { grain: 'quarter_hour', finest_grain: 'hour' },
  })
  expect((await quarters(newYork, '2026-02-19', '2026-02-19')).body.error.code).toBe('GRAIN_NOT_AVAILABLE')
  expect((await get(berlin, 'timeseries?grain=hour&', '2026-02-05', '2026-02-21')).body.total).toBe(240 * 2 + 60 + 3)
  const { body } = await service.get(`/v1/partner/assets/${berlin.id}`, { key })
  expect(body.finest_grain).toBe('quarter_hour')
})
