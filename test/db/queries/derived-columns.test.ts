import { World } from '../../support/world'

let world: World

beforeAll(async () => {
  world = await World.open({ connections: 1 })
})
afterAll(() => world.stop())

/** Returns the ids of assets and sensors with a derived column that differs from its source. */
async function readWrong(): Promise<unknown[]> {
  const { rows } = await world.owner.query(
    `SELECT a.id FROM assets a WHERE (a.company_id, a.sensor_ids, a.sensor_minutes) IS DISTINCT FROM (
       (SELECT id FROM companies WHERE number = a.company), ARRAY(SELECT id FROM sensors WHERE asset = a.number ORDER BY id),
       (SELECT max(native_minutes) FROM sensors WHERE asset = a.number))
     UNION ALL
     SELECT a.id FROM assets a WHERE ARRAY(
       SELECT (sensor, "nativeMinutes", to_timestamp("from"), to_timestamp("to")) FROM json_to_recordset(a.installations)
         AS i (sensor integer, "nativeMinutes" smallint, "from" float8, "to" float8) ORDER BY 1
     ) IS DISTINCT FROM ARRAY(
       SELECT (i.sensor, i.native_minutes, i.installed_at::timestamptz, i.removed_at::timestamptz)
         FROM installations i WHERE i.asset = a.number ORDER BY 1
     )
     UNION ALL
     SELECT s.id FROM sensors s WHERE s.asset_id IS DISTINCT FROM (SELECT id FROM assets WHERE number = s.asset)
       OR s.vendor_name IS DISTINCT FROM (SELECT name FROM vendors WHERE number = s.vendor)`,
  )
  return rows
}

test('derived columns follow every write to their sources', async () => {
  const { make, owner } = world
  const company = await make.company()
  const assets = [await make.asset({ company }), await make.asset({ company }), await make.asset({ company })]
  for (const grain of ['minute', 'quarter_hour', 'hour'] as const) {
    for (const asset of [...assets.slice(0, 2), null]) await make.sensor({ asset, grain })
  }
  const sensorCounts = async () =>
    (await owner.query('SELECT sensor_ids FROM assets')).rows.map(({ sensor_ids }) => sensor_ids.length).sort()
  expect(await sensorCounts()).toEqual([0, 3, 3])
  const [first, second, third] = assets.map(({ number }) => number)
  const writes = [
    `UPDATE sensors SET asset = ${second} WHERE asset = ${first} AND native_minutes = 60`,
    `UPDATE sensors SET asset = ${third}, company = ${company.number} WHERE asset IS NULL`,
    `UPDATE sensors SET asset = NULL, company = NULL WHERE asset = ${second} AND native_minutes = 15`,
    `UPDATE sensors SET id = 'other' || substr(id, 6) WHERE native_minutes = 60`,
    `UPDATE sensors SET health_status = 'healthy', health_checked_at = now()`,
    `UPDATE vendors SET name = 'Other ' || name`,
    `UPDATE vendors SET own = false, native_minutes = 15 WHERE native_minutes = 1`,
    `UPDATE companies SET id = 'another' || substr(id, 8)`,
    `UPDATE assets SET id = 'another' || substr(id, 8) WHERE number = ${third}`,
    `UPDATE installations SET asset = ${second} WHERE asset = ${first} AND native_minutes = 60`,
    `UPDATE installations SET removed_at = installed_at + interval '1 year 1.234 s' WHERE asset = ${second}`,
    `INSERT INTO installations (sensor, asset, company, native_minutes, installed_at, removed_at)
       SELECT number, ${first}, ${company.number}, 60, installed_at - interval '2 days',
         installed_at - interval '1 day 1 ms' FROM sensors WHERE asset = ${second}`,
    `UPDATE sensors SET installed_at = installed_at - interval '2 days' WHERE asset = ${second}`,
    `UPDATE installations SET asset = ${third}, removed_at = removed_at + interval '1 ms' WHERE asset = ${first}`,
    `DELETE FROM installations WHERE asset = ${second}`,
    `DELETE FROM sensors WHERE asset = ${third}`,
  ]
  for (const write of writes) {
    const { rowCount } = await owner.query(write)
    expect([write, (rowCount ?? 0) > 0]).toEqual([write, true])
    expect([write, await readWrong()]).toEqual([write, []])
  }
  expect(await sensorCounts()).toEqual([0, 2, 3])
})

test('concurrent transactions that move sensors to one asset both appear in its derived columns', async () => {
  const { make, owner } = world
  const asset = await make.asset()
  const sensors = [await make.sensor({ asset: null }), await make.sensor({ asset: null })]
  const move = (sensor: number) => [
    'UPDATE sensors SET asset = $1, company = $2 WHERE number = $3',
    [asset.number, asset.company, sensor] as unknown[],
  ]
  const [one, other] = [await owner.connect(), await owner.connect()]
  try {
    const [[text, first], [, second]] = sensors.map(({ number }) => move(number)) as [
      [string, unknown[]],
      [string, unknown[]],
    ]
    await one.query('BEGIN')
    await one.query(text, first)
    const waiting = other.query(text, second)
    await one.query('COMMIT')
    await waiting
  } finally {
    one.release()
    other.release()
  }
  expect(await readWrong()).toEqual([])
})
