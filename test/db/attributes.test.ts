/** Compares the record of the attributes of assets with what the service does with them. */
import { ATTRIBUTES } from '../../db/assets/attributes'
import { World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

/** The columns of `assets` that no attribute shows: keys, and what is derived for other responses. */
const INTERNAL = ['number', 'company', 'installations', 'rules']

test('attributes are all columns of assets', async () => {
  const shown = ATTRIBUTES.flatMap(({ sql, column }) => (sql.includes('v.') ? [] : column))
  const columns = await world.rows(
    `SELECT attname::text AS name FROM pg_attribute WHERE attrelid = 'assets'::regclass AND attnum > 0 AND NOT attisdropped`,
  )
  expect(columns.map(({ name }) => name).sort()).toEqual([...shown, ...INTERNAL].sort())
})

test('attributes of assets that the feed includes are reported when they change, and no others', async () => {
  const { owner, make } = world
  const company = await make.company()
  const asset = await make.asset({ company })
  await make.counts(await make.sensor({ asset, grain: 'hour' }), '2026-01-01', () => 1)
  const key = await make.key([company])
  const other: Record<string, string> = {
    ...{ id: `'changed1'`, legacy_id: '77', name: `'Other'`, description: `'Other'`, media_type: `'static'` },
    ...{ format: `'other'`, venue_type_id: '77', status: `'archived'`, indoors: 'NOT indoors', facing_degrees: '77' },
    ...{ width_m: '7.7', height_m: '7.7', latitude: '7.7', longitude: '7.7', address: `'Other'`, city: `'Other'` },
    ...{ region: `country || '-77'`, postal_code: `'77'`, time_zone: `'UTC'`, sensor_minutes: '1440' },
    ...{ country: `'FR', region = NULL`, sensor_ids: `'{other}'`, created_at: 'now()', updated_at: 'now()' },
    ...{ venue_taxonomy: `'1.1'`, external_ids: `'{"other": "1"}'` },
  }
  let path = '/v1/partner/changes'
  const reported = async () => {
    const { data, pagination } = await world.read(path, key)
    path = `/v1/partner/changes?cursor=${pagination.cursor}`
    return data.map(({ kind }: { kind: string }) => kind).sort()
  }
  expect(await reported()).toEqual(['asset', 'impressions', 'sensors'])
  for (const { field, column, sql, inFeed } of ATTRIBUTES) {
    if (field === 'companyId' || sql.startsWith('v.')) continue
    await owner.query(`UPDATE assets SET ${column} = ${other[column]} WHERE number = $1`, [asset.number])
    // Another time zone may change the coverage of each month that has counts, and the offsets of installations.
    const kinds = field === 'timeZone' ? ['asset', 'impressions', 'sensors'] : inFeed ? ['asset'] : []
    expect([field, await reported()]).toEqual([field, kinds])
  }
  await owner.query(`UPDATE companies SET id = 'changed2' WHERE number = $1`, [company.number])
  expect(await reported()).toEqual(['asset'])
})
