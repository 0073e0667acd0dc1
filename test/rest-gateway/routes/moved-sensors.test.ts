/** Sensors that are installed and removed: the grains of a range, and the records of an asset that a sensor has left. */
import type { Kind } from '../../../imports/kind-names'
import type { MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string
let asset: MadeAsset

const read = async (path: string) => (await world.get(`/v1/partner/${path}`, { key })).body

async function store(kind: Kind, ...lines: string[]): Promise<void> {
  expect(await world.import(kind, lines)).toMatchObject({ rejected: 0, unchanged: 0 })
}

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

/** Installs R, which counts days, on 1 February, and T, which counts minutes, on 1 March. */
beforeEach(async () => {
  await world.clear()
  await store('vendors', 'name,own,finest_grain', 'Minute,true,minute', 'Day,false,day')
  await world.make.together(async make => {
    const company = await make.company()
    key = await make.key([company])
    asset = await make.asset({ company })
  })
  const installed = [`R,M,Day,${asset.id},2026-02-01`, `T,M,Minute,${asset.id},2026-03-01`]
  await store('sensors', 'serial,model,vendor_id,asset_id,installed_at', ...installed)
})

/** Returns whether a grain is accepted, or the error. */
const readGrain = async (grain: string, from: string, to = from) => {
  const path = `assets/${asset.id}/impressions/timeseries?grain=${grain}&from_date=${from}&to_date=${to}`
  const { error } = await read(path)
  return error ? [error.code, error.details] : 'accepted'
}

const refused = (grain: string, finest_grain: string) => ['GRAIN_NOT_AVAILABLE', { grain, finest_grain }]

test('the finest grain is that of the sensors that are installed in the range, a quarter hour without any', async () => {
  await store('sensors', 'serial,removed_at', 'R,2026-03-10')
  expect(await readGrain('minute', '2026-01-31')).toEqual(refused('minute', 'quarter_hour'))
  expect(await readGrain('quarter_hour', '2026-01-31')).toBe('accepted')
  expect(await readGrain('hour', '2026-01-31', '2026-02-01')).toEqual(refused('hour', 'day'))
  expect(await readGrain('minute', '2026-03-09', '2026-03-10')).toEqual(refused('minute', 'day'))
  expect(await readGrain('minute', '2026-03-10')).toBe('accepted')
})

test.each(['2026-02-10', '2100-01-01'])(
  'a sensor that is removed at %s is in no record of its asset any more',
  async removedAt => {
    await store('impressions', 'sensor,start,impressions', 'R,2026-02-01,7')
    await store('health', 'sensor,checked_at,status', 'R,2026-02-09T00:00Z,offline', 'T,2026-03-09T00:00Z,healthy')
    await world.owner.query(`UPDATE sensors SET health_checked_at = now() WHERE serial = 'T'`)
    const states = async () => {
      const legacy = await world.read(`/v1/metrics/assets/${asset.id}?start=2026-02-01&end=2026-02-01`, key)
      const { sensor_ids, finest_grain } = await read(`assets/${asset.id}`)
      const { data } = await read(`sensors?asset_id=${asset.id}`)
      const serials = data.map(({ serial }: { serial: string }) => serial).sort()
      return [serials, sensor_ids.length, finest_grain, legacy.device_ids, legacy.sensor_status]
    }
    expect(await states()).toEqual([['R', 'T'], 2, 'day', ['R', 'T'], 'offline'])
    const daily = `assets/${asset.id}/impressions/daily?from_date=2026-01-30&to_date=2026-02-09`
    const before = await read(daily)
    const { pagination } = await read('changes?limit=500')
    await store('sensors', 'serial,removed_at', `R,${removedAt}`)
    expect(await states()).toEqual([['T'], 1, 'minute', ['T'], 'online'])
    const { data: changes } = await read(`changes?cursor=${pagination.cursor}`)
    expect(changes).toEqual(
      expect.arrayContaining(['asset', 'sensors'].map(kind => expect.objectContaining({ asset_id: asset.id, kind }))),
    )
    // The counts of before are the same.
    expect(await read(daily)).toEqual(before)
    await world.verify()
  },
)
