/** The feed of changes: complete in whatever order transactions commit, merged, and bound to the scope of the key. */
import type { PoolClient } from 'pg'
import { keyHash } from '../../../db/api-keys/key-format'
import type { Made, MadeAsset, MadeSensor } from '../../support/factories'
import { World } from '../../support/world'

interface Change {
  asset_id: string
  kind: string
  from_date: string | null
  to_date: string | null
  changed_at: string
}

let world: World
let company: Made
let other: Made
let key: string

beforeAll(async () => {
  world = await World.open()
})
beforeEach(() =>
  world.make.together(async make => {
    company = await make.company()
    other = await make.company()
    key = await make.key([company])
  }),
)
afterAll(() => world.stop())

/** Follows the feed to its end. */
async function follow(cursor?: string, options: { limit?: number; as?: string; since?: string } = {}) {
  const { limit = 500, as = key, since } = options
  const changes: Change[] = []
  let next = cursor
  for (;;) {
    const query = new URLSearchParams({
      limit: String(limit),
      ...(next && { cursor: next }),
      ...(!next && since && { since }),
    })
    const { data, pagination } = await world.read(`/v1/partner/changes?${query}`, as)
    changes.push(...data)
    next = pagination.cursor as string
    if (!pagination.has_more) return { changes, cursor: next }
  }
}

const brief = (changes: Change[]) =>
  changes.map(({ asset_id, kind, from_date, to_date }) => [asset_id, kind, from_date, to_date])

/** Makes an asset with a sensor, and then a count of 1 on each of these days. */
async function createAsset(owner = company, dates: string[] = []): Promise<MadeSensor & { asset: MadeAsset }> {
  const sensor = await world.make.together(async make => {
    const asset = await make.asset({ company: owner })
    return { ...(await make.sensor({ asset, grain: 'day' })), asset }
  })
  if (dates.length > 0) await count([sensor], dates)
  return sensor
}

const count = (sensors: MadeSensor[], dates: string[]) =>
  world.make.together(async make => {
    for (const sensor of sensors) for (const date of dates) await make.counts(sensor, date, () => 1)
  })

test('lists everything once, in pages, and then only what changes', async () => {
  const sensor = await createAsset(company, ['2026-01-02', '2026-01-09', '2026-02-01'])
  await world.make.together(async make => {
    await make.origin(sensor.asset, '2026-01-03', ['DE', 'DE-BE', 'Berlin'], 5)
    await make.demographics(sensor.asset, '2026-01-04', { '25-34 male': 70 })
  })
  await createAsset(other, ['2026-01-02'])

  const first = await follow(undefined, { limit: 2 })
  const { id } = sensor.asset
  expect(brief(first.changes)).toEqual([
    [id, 'asset', null, null],
    [id, 'sensors', null, null],
    [id, 'impressions', '2026-01-02', '2026-01-02'],
    [id, 'impressions', '2026-01-09', '2026-01-09'],
    [id, 'impressions', '2026-02-01', '2026-02-01'],
    [id, 'demographics', '2026-01-04', '2026-01-04'],
    [id, 'origins', '2026-01-03', '2026-01-03'],
  ])
  expect((await follow(first.cursor)).changes).toEqual([])

  await world.make.counts(sensor, '2026-01-10', () => 1)
  const third = await follow(first.cursor)
  expect(brief(third.changes)).toEqual([[id, 'impressions', '2026-01-10', '2026-01-10']])
  expect((await follow(third.cursor)).changes).toEqual([])
  // An older position gets what both changes were, and no other day.
  await world.make.counts(sensor, '2026-01-12', () => 1)
  expect(brief((await follow(first.cursor)).changes)).toEqual([
    [id, 'impressions', '2026-01-10', '2026-01-10'],
    [id, 'impressions', '2026-01-12', '2026-01-12'],
  ])
  expect(brief((await follow(third.cursor)).changes)).toEqual([[id, 'impressions', '2026-01-12', '2026-01-12']])
})

test('a correction of days that were listed before is listed alone, however often', async () => {
  const days = Array.from({ length: 24 }, (_, i) => `2026-01-${String(i + 1).padStart(2, '0')}`)
  const { id, number } = (await createAsset(company, days)).asset
  const correct = (date: string) =>
    world.owner.query('UPDATE sensor_days SET impressions = impressions + 1 WHERE (asset, date) = ($1, $2)', [
      number,
      date,
    ])
  const first = await follow()
  await correct('2026-01-10')
  const second = await follow(first.cursor)
  expect(brief(second.changes)).toEqual([[id, 'impressions', '2026-01-10', '2026-01-10']])
  for (let i = 0; i < 3; i++) await correct('2026-01-11')
  const third = await follow(second.cursor)
  expect(brief(third.changes)).toEqual([[id, 'impressions', '2026-01-11', '2026-01-11']])
  const since = third.changes[0]?.changed_at as string
  expect(brief((await follow(undefined, { since })).changes)).toEqual(brief(third.changes))
  // Older positions get all of them, neighbours in one row.
  expect(brief((await follow(first.cursor)).changes)).toEqual([[id, 'impressions', '2026-01-10', '2026-01-11']])
})

test('health is no change, and neither is an update that changes nothing', async () => {
  const sensor = await createAsset()
  const { cursor } = await follow()
  const { owner } = world
  await owner.query(`UPDATE sensors SET health_status = 'healthy', health_checked_at = now() WHERE number = $1`, [
    sensor.number,
  ])
  await owner.query('UPDATE assets SET name = name WHERE number = $1', [sensor.asset.number])
  expect((await follow(cursor)).changes).toEqual([])
  await owner.query(`UPDATE sensors SET model = 'Counter 2' WHERE number = $1`, [sensor.number])
  expect(brief((await follow(cursor)).changes)).toEqual([[sensor.asset.id, 'sensors', null, null]])
})

/** Takes a company from the scope of a key. */
const deprive = (as: string, { number }: Made) =>
  world.owner.query('UPDATE api_keys SET companies = array_remove(companies, $1) WHERE hash = $2', [
    number,
    keyHash(as),
  ])

/** Deletes an asset with everything that belongs to it. */
const deleteAsset = ({ number }: MadeAsset) =>
  world.owner.query(`
    BEGIN;
    DELETE FROM sensor_days WHERE asset = ${number};
    DELETE FROM installations WHERE asset = ${number};
    UPDATE sensors SET asset = NULL, company = NULL WHERE asset = ${number};
    DELETE FROM assets WHERE number = ${number};
    COMMIT`)

test('a deleted asset is removed, once, and an id that comes back is listed then with all that it has now', async () => {
  const sensor = await createAsset(company, ['2026-01-02'])
  const { id } = sensor.asset
  const removed = [id, 'removed', null, null]
  const before = await follow()
  await deleteAsset(sensor.asset)
  const deleted = await follow(before.cursor)
  expect(brief(deleted.changes)).toEqual([removed])
  // A first copy does not have it.
  expect((await follow()).changes).toEqual([])
  const asset = await world.make.asset({ company, id })
  await count([await world.make.sensor({ asset, grain: 'day' })], ['2026-02-03'])
  const rows = [
    [id, 'asset', null, null],
    [id, 'sensors', null, null],
    [id, 'impressions', '2026-02-03', '2026-02-03'],
  ]
  expect(brief((await follow(before.cursor, { limit: 1 })).changes)).toEqual([removed, ...rows])
  expect(brief((await follow(deleted.cursor)).changes)).toEqual(rows)
  expect(brief((await follow()).changes)).toEqual(rows)
  // Changes from then on do not remove it again.
  const { cursor } = await follow(before.cursor)
  await world.owner.query(`UPDATE assets SET name = 'Other' WHERE number = $1`, [asset.number])
  expect(brief((await follow(cursor)).changes)).toEqual([rows[0]])
})

test('an id that comes back in another company is not removed by a reader of both', async () => {
  const both = await world.make.key([company, other])
  const { asset } = await createAsset(other)
  const { cursor } = await follow(undefined, { as: both })
  await deleteAsset(asset)
  await world.make.asset({ company, id: asset.id })
  const moved = await follow(cursor, { as: both })
  const rows = ['removed', 'asset'].map(kind => [asset.id, kind, null, null])
  expect(brief(moved.changes)).toEqual(rows)
  // The company that has lost it is no longer in scope.
  await deprive(both, other)
  expect((await follow(moved.cursor, { as: both })).changes).toEqual([])
  expect(brief((await follow(cursor, { as: both })).changes)).toEqual(rows)
})

test('an asset that never was in the scope of a reader is not named', async () => {
  const both = await world.make.key([company, other])
  const known = await createAsset(other)
  const { cursor } = await follow(undefined, { as: both })
  const { asset } = await createAsset(other)
  await deleteAsset(asset)
  await createAsset(other)
  await deleteAsset(known.asset)
  await deprive(both, other)
  expect(brief((await follow(cursor, { as: both })).changes)).toEqual([[known.asset.id, 'removed', null, null]])
  // Nor one that was deleted before its company came into scope.
  const own = await follow()
  const gained = await follow(own.cursor, { as: await world.make.key([company, other]) })
  expect(gained.changes.filter(({ kind }) => kind === 'removed')).toEqual([])
})

test('`since` begins with the changes from a time on', async () => {
  const sensor = await createAsset(company, ['2026-01-02'])
  for (const update of [
    `UPDATE changes SET number = to_microseconds('2026-03-01Z')`,
    `UPDATE asset_months SET number = to_microseconds('2026-03-01Z'), since = array_replace(since, number, to_microseconds('2026-03-01Z'))`,
  ]) {
    await world.owner.query(`${update} WHERE company = $1`, [company.number])
  }
  await world.make.counts(sensor, '2026-01-20', () => 1)
  const { changes, cursor } = await follow(undefined, { since: '2026-03-02T00:00:00Z', limit: 1 })
  expect(brief(changes)).toEqual([[sensor.asset.id, 'impressions', '2026-01-20', '2026-01-20']])
  expect((await follow(cursor)).changes).toEqual([])
  expect((await follow(undefined, { since: '2026-03-01T00:00:00Z' })).changes).toHaveLength(4)
  const both = await world.get(`/v1/partner/changes?cursor=${cursor}&since=2026-03-02T00:00:00Z`, { key })
  expect(both.body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: 'since' } })
})

test('transactions that were open while the feed was read are not missed', async () => {
  const companies = [company, other, await world.make.company()]
  const as = await world.make.key(companies)
  const sensors = await Promise.all(companies.map(each => createAsset(each)))
  const open = async ({ asset }: (typeof sensors)[number], i: number): Promise<PoolClient> => {
    const client = await world.owner.connect()
    await client.query('BEGIN')
    await client.query(
      `WITH place AS (INSERT INTO origin_places (company, region, city) VALUES ($2, 'DE-BE', 'Berlin') RETURNING number)
       INSERT INTO origin_days (asset, company, date, places, impressions)
         SELECT $1, $2, date '2026-01-01' + $3::integer, ARRAY[number], '{1}' FROM place`,
      [asset.number, asset.company, i],
    )
    return client
  }
  const end = async (client: PoolClient, how: string) => {
    await client.query(how)
    client.release()
  }
  const [first, second, third] = (await Promise.all(sensors.map(open))) as [PoolClient, PoolClient, PoolClient]
  await end(second, 'COMMIT')
  const pass = await follow(undefined, { as })
  const listed = pass.changes.filter(({ kind }) => kind === 'origins')
  expect(brief(listed)).toEqual([[sensors[1]?.asset.id, 'origins', '2026-01-02', '2026-01-02']])
  // The one that began first commits last.
  await end(third, 'ROLLBACK')
  await end(first, 'COMMIT')
  const next = await follow(pass.cursor, { as })
  expect(brief(next.changes)).toEqual([[sensors[0]?.asset.id, 'origins', '2026-01-01', '2026-01-01']])
})

test('what the scope of a key has gained is listed in full, and what it has lost as removed', async () => {
  const [own, foreign] = [await createAsset(), await createAsset(other, ['2026-01-02'])]
  const { cursor } = await follow()
  const both = await world.make.key([company, other])
  const gained = await follow(cursor, { as: both })
  expect(brief(gained.changes)).toEqual([
    [foreign.asset.id, 'asset', null, null],
    [foreign.asset.id, 'sensors', null, null],
    [foreign.asset.id, 'impressions', '2026-01-02', '2026-01-02'],
  ])
  await deprive(both, company)
  const lost = await follow(gained.cursor, { as: both })
  expect(brief(lost.changes)).toEqual([[own.asset.id, 'removed', null, null]])
  expect((await follow(lost.cursor, { as: both })).changes).toEqual([])
  // Changes after the scope was lost stay unknown.
  await createAsset()
  expect((await follow(gained.cursor, { as: both })).changes).toHaveLength(1)
})

test('positions show nothing of the database', async () => {
  const { asset } = await createAsset()
  const { cursor } = (await world.get('/v1/partner/changes?limit=1', { key })).body.pagination
  const { next } = (await world.graphql(key, '{ changes(limit: 1) { next } }')).changes
  const marks = await world.rows('SELECT mark FROM transactions WHERE mark IS NOT NULL')
  expect(marks).not.toHaveLength(0)
  for (const position of [cursor, next]) {
    const text = Buffer.from(position, 'base64url').toString('latin1')
    for (const secret of [asset.id, ...marks.map(({ mark }) => mark)]) expect(text).not.toContain(secret)
  }
})

/** Dumps the tables of the feed, and restores them into the same database after some work. */
async function restoreAfter(work: () => Promise<void>): Promise<void> {
  const tables = ['asset_months', 'changes', 'transactions']
  const copies = (sql: (table: string) => string) => tables.map(sql).join(';')
  await world.owner.query(copies(table => `CREATE TABLE dumped_${table} AS TABLE ${table}`))
  await work()
  const client = await world.owner.connect()
  await client.query(`BEGIN; SET LOCAL session_replication_role = replica; TRUNCATE ${tables.join()}`)
  await client.query(
    copies(table => `INSERT INTO ${table} OVERRIDING SYSTEM VALUE TABLE dumped_${table}; DROP TABLE dumped_${table}`),
  )
  await client.query('COMMIT')
  client.release()
}

test('a cursor that has seen what a restored database lacks is refused, whatever is written since', async () => {
  const sensor = await createAsset()
  const before = await follow()
  let lost = ''
  let within = ''
  await restoreAfter(async () => {
    await world.make.counts(sensor, '2026-01-05', () => 1)
    lost = (await follow(before.cursor)).cursor
    within = (await world.get('/v1/partner/changes?limit=1', { key })).body.pagination.cursor
  })
  const readLost = async () => {
    for (const cursor of [lost, within]) {
      const { status, body } = await world.get(`/v1/partner/changes?cursor=${cursor}`, { key })
      expect([status, body.error.code, body.error.details]).toEqual([410, 'RESYNC_REQUIRED', {}])
    }
  }
  await readLost()
  for (const date of ['2026-01-06', '2026-02-07', '2026-03-08']) {
    await world.make.counts(sensor, date, () => 1)
    await readLost()
  }
  // Nothing that the reader has is missing, and all that is new is listed.
  const { changes } = await follow(before.cursor)
  expect(brief(changes)).toEqual([
    [sensor.asset.id, 'impressions', '2026-01-06', '2026-01-06'],
    [sensor.asset.id, 'impressions', '2026-02-07', '2026-02-07'],
    [sensor.asset.id, 'impressions', '2026-03-08', '2026-03-08'],
  ])
})

test.each(['csv', 'parquet'])(
  'pages are also available as %s, with the next cursor in a header, also behind the last one',
  async output => {
    const { asset } = await createAsset()
    const get = (query: string) => world.get(`/v1/partner/changes?${query}&output=${output}`, { key })
    const first = await get('limit=1')
    expect(first.text).toContain(asset.id)
    const cursor = first.headers['x-next-cursor'] as string
    const next = await follow(cursor)
    expect(brief(next.changes)).toEqual([[asset.id, 'sensors', null, null]])
    const second = await get(`cursor=${cursor}`)
    const last = await get(`cursor=${second.headers['x-next-cursor']}`)
    expect(last.text).not.toContain(asset.id)
    expect((await follow(last.headers['x-next-cursor'] as string)).changes).toEqual([])
  },
)
