/** Two companies with assets, sensors and counts, imported as an operator does. A sensor has moved from one to the other. */
import { ORIGINS } from '../../support/origins'
import { stored } from '../../support/outcomes'
import type { World } from '../../support/world'

/** Returns rows of a quarter hour at midnight and one at noon, for each day. */
const counts = (serial: string, dates: readonly string[], count: number): string[] =>
  dates.flatMap(date => [`${serial},${date}T00:00:00Z,${count}`, `${serial},${date}T12:00:00Z,${count + 1}`])

const COMPANIES = ['id,name', 'companyalder,Alder Ltd', 'companybirch,Birch Ltd']

/**
 * SN-1 is on asset 101 of Alder. SN-2 was there until 3 January, and is on 201 of Birch since. SN-3 was on 101 and is on 102
 * of Alder since 3 January. SN-4 is on 201, and SN-5 was never installed.
 */
export async function fillNetwork(world: World): Promise<void> {
  const files = {
    companies: COMPANIES,
    vendors: ['id,name,own,finest_grain', 'vendorcountbox,CountBox,false,quarter_hour'],
    assets: [
      'id,legacy_id,company_id,name,media_type,format,latitude,longitude,country,time_zone',
      ...[101, 102].map(id => `assetno${id},${id},companyalder,Alder ${id},digital,billboard,1,1,GB,Etc/UTC`),
      'assetno201,201,companybirch,Birch 201,digital,billboard,1,1,GB,Etc/UTC',
    ],
    sensors: [
      'id,serial,model,vendor_id,asset_id,installed_at',
      ...[1, 2, 3].map(i => `sensorno${i},SN-${i},M,CountBox,101,2026-01-01`),
      'sensorno4,SN-4,M,CountBox,201,2026-01-01',
      'sensorno5,SN-5,M,CountBox,,',
    ],
  } as const
  for (const kind of ['companies', 'vendors', 'assets', 'sensors'] as const) {
    const lines: readonly string[] = files[kind]
    expect(await world.import(kind, lines)).toMatchObject(stored(lines.length - 1))
  }
  const moves = ['serial,asset_id,installed_at', 'SN-2,201,2026-01-03', 'SN-3,102,2026-01-03']
  expect(await world.import('sensors', moves)).toMatchObject(stored(2))
  const january = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']
  const rows = ['SN-1', 'SN-2', 'SN-3', 'SN-4'].flatMap((serial, i) => counts(serial, january, 10 * (i + 1)))
  const impressions = ['sensor,start,impressions', ...rows]
  expect(await world.import('impressions', impressions, { interval: 'quarter_hour' })).toMatchObject(stored(32))
  const origins = ['101', '201'].flatMap(id => [
    `${id},2026-01-01,GB,GB-LND,London,5`,
    `${id},2026-01-02,GB,GB-LND,London,6`,
  ])
  expect(await world.import('origins', ['asset_id,date,country,region,city,impressions', ...origins])).toMatchObject(
    stored(4),
  )
  const people = ['101', '201'].flatMap(id => ['male', 'female'].map(gender => `${id},2026-01-02,${gender},25-34,7`))
  expect(await world.import('demographics', ['asset_id,date,gender,age_band,impressions', ...people])).toMatchObject(
    stored(4),
  )
}

/** Returns all that is stored, apart from health, versions and keys, by table. */
export async function readContent(world: World): Promise<Record<string, unknown[]>> {
  const tables: Record<string, string> = {
    companies: 'SELECT id, name FROM companies c',
    assets: `SELECT a.id, legacy_id, name, sensor_ids, installations::text, measured_from, measured_to
      FROM assets a JOIN asset_versions ON asset = number`,
    sensors: 'SELECT id, serial, asset_id, installed_at, removed_at FROM sensors s',
    counts: 'SELECT asset, sensor, date, impressions, observed, hours, counts FROM sensor_days',
    origins: `SELECT asset, date, city, impressions FROM ${ORIGINS} AS o`,
    demographics: 'SELECT asset, date, male_25_34, female_25_34 FROM demographic_days',
  }
  const content: Record<string, unknown[]> = {}
  for (const [name, query] of Object.entries(tables))
    content[name] = await world.rows(`SELECT * FROM (${query}) t ORDER BY t::text`)
  return content
}
