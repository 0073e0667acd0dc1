/** The feed of changes: its exact rows, and what the scope of a key hides. The world shows that a copy which follows it is exact. */
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
/** A key of both companies. */
let both: string

beforeAll(async () => {
  world = await World.open()
})
beforeEach(() =>
  world.make.together(async make => {
    company = await make.company()
    other = await make.company()
    key = await make.key([company])
    both = await make.key([company, other])
  }),
)
afterAll(() => world.stop())

/** Follows the feed to its end. @returns its rows, and what is left of them as text: `asset kind first last` */
async function follow(cursor?: string, { limit = 500, as = key, since = '' } = {}) {
  const changes: Change[] = []
  for (let next = cursor; ; ) {
    const query = next ? `cursor=${next}` : since && `since=${since}`
    const { data, pagination } = await world.read(`/v1/partner/changes?limit=${limit}&${query}`, as)
    changes.push(...data)
    next = pagination.cursor as string
    if (pagination.has_more) continue
    const rows = changes.map(({ asset_id, kind, from_date, to_date }) =>
      [asset_id, kind, from_date, to_date].filter(value => value !== null).join(' '),
    )
    return { changes, rows, cursor: next }
  }
}

const rowsOf = ({ id }: MadeAsset, ...rows: string[]) => rows.map(row => `${id} ${row}`)
const counted = (date: string, last = date) => `impressions ${date} ${last}`

/** Makes an asset with a sensor, and then a count of 1 on each of these days. */
async function createAsset(owner = company, dates: string[] = []): Promise<MadeSensor & { asset: MadeAsset }> {
  const sensor = await world.make.together(async make => {
    const asset = await make.asset({ company: owner })
    return { ...(await make.sensor({ asset, grain: 'day' })), asset }
  })
  for (const date of dates) await world.make.counts(sensor, date, () => 1)
  return sensor
}

/** Takes a company from the scope of a key. */
const deprive = (as: string, { number }: Made) =>
  world.owner.query('UPDATE api_keys SET companies = array_remove(companies, $1) WHERE hash = $2', [
    number,
    keyHash(as),
  ])

const deleteAsset = ({ id }: MadeAsset) => world.run(['delete', 'assets', id, '--yes'])

test('everything is listed once, in pages, and then each exact day that changes, however often', async () => {
  const sensor = await createAsset(company, ['2026-01-02', '2026-01-09', '2026-02-01'])
  const { asset } = sensor
  await world.make.together(async make => {
    await make.origin(asset, '2026-01-03', ['DE', 'DE-BE', 'Berlin'], 5)
    await make.demographics(asset, '2026-01-04', { '25-34 male': 70 })
  })
  await createAsset(other, ['2026-01-02'])
  const first = await follow(undefined, { limit: 2 })
  const days = ['2026-01-02', '2026-01-09', '2026-02-01'].map(date => counted(date))
  const facts = ['demographics 2026-01-04 2026-01-04', 'origins 2026-01-03 2026-01-03']
  expect(first.rows.toSorted()).toEqual(
    rowsOf(asset, 'asset', ...facts.slice(0, 1), ...days, ...facts.slice(1), 'sensors'),
  )
  expect((await follow(first.cursor)).rows).toEqual([])

  const correct = (date: string) =>
    world.owner.query('UPDATE sensor_days SET impressions = impressions + 1 WHERE date = $1', [date])
  await world.make.counts(sensor, '2026-01-08', () => 1)
  const second = await follow(first.cursor)
  expect(second.rows).toEqual(rowsOf(asset, counted('2026-01-08')))
  for (let i = 0; i < 3; i++) await correct('2026-01-09')
  const third = await follow(second.cursor)
  expect(third.rows).toEqual(rowsOf(asset, counted('2026-01-09')))
  expect((await follow(undefined, { since: third.changes[0]!.changed_at })).rows).toEqual(third.rows)
  // An older position gets both days, which are neighbours, in one row.
  expect((await follow(first.cursor)).rows).toEqual(rowsOf(asset, counted('2026-01-08', '2026-01-09')))
})

test('health is no change, and neither is an update that changes nothing', async () => {
  const sensor = await createAsset()
  const { cursor } = await follow()
  for (const [set, rows] of [
    [`sensors SET health_status = 'healthy', health_checked_at = now()`, []],
    ['sensors SET model = model', []],
    [`sensors SET model = 'Counter 2'`, ['sensors']],
  ] as const) {
    await world.owner.query(`UPDATE ${set} WHERE number = $1`, [sensor.number])
    expect((await follow(cursor)).rows).toEqual(rowsOf(sensor.asset, ...rows))
  }
})

test('a deleted asset is removed, once, and an id that comes back is listed then with all that it has now', async () => {
  const sensor = await createAsset(company, ['2026-01-02'])
  const before = await follow()
  await deleteAsset(sensor.asset)
  const deleted = await follow(before.cursor)
  expect(deleted.rows).toEqual(rowsOf(sensor.asset, 'removed'))
  // A first copy does not have it.
  expect((await follow()).rows).toEqual([])
  const asset = await world.make.asset({ company, id: sensor.asset.id })
  await world.make.counts(await world.make.sensor({ asset, grain: 'day' }), '2026-02-03', () => 1)
  const rows = rowsOf(asset, 'asset', 'sensors', counted('2026-02-03'))
  const followed = await follow(before.cursor, { limit: 1 })
  expect(followed.rows).toEqual([...deleted.rows, ...rows])
  for (const cursor of [deleted.cursor, undefined]) expect((await follow(cursor)).rows).toEqual(rows)
  // Changes from then on do not remove it again.
  await world.owner.query(`UPDATE assets SET name = 'Other' WHERE number = $1`, [asset.number])
  expect((await follow(followed.cursor)).rows).toEqual(rowsOf(asset, 'asset'))
})

test('an id that comes back in another company is not removed by a reader of both', async () => {
  const { asset } = await createAsset(other)
  const { cursor } = await follow(undefined, { as: both })
  await deleteAsset(asset)
  await world.make.asset({ company, id: asset.id })
  const moved = await follow(cursor, { as: both })
  expect(moved.rows).toEqual(rowsOf(asset, 'removed', 'asset'))
  // The company that has lost it is no longer in scope.
  await deprive(both, other)
  expect((await follow(moved.cursor, { as: both })).rows).toEqual([])
  expect((await follow(cursor, { as: both })).rows).toEqual(moved.rows)
})

test('what a scope has gained is listed in full, what it has lost as removed, and what it never had is not named', async () => {
  const [own, foreign] = [await createAsset(), await createAsset(other, ['2026-01-02'])]
  await deleteAsset((await createAsset(other)).asset)
  const { cursor } = await follow()
  const gained = await follow(cursor, { as: both })
  expect(gained.rows).toEqual(rowsOf(foreign.asset, 'asset', 'sensors', counted('2026-01-02')))
  // After the pass: one that was deleted before the scope was lost, and one that is still there.
  await deleteAsset((await createAsset()).asset)
  await createAsset()
  await deprive(both, company)
  const lost = await follow(gained.cursor, { as: both })
  expect(lost.rows).toEqual(rowsOf(own.asset, 'removed'))
  expect((await follow(lost.cursor, { as: both })).rows).toEqual([])
})

test('`since` begins with the changes from a time on, and excludes a cursor', async () => {
  const { asset, ...sensor } = await createAsset(company, ['2026-01-02'])
  // All that was committed until now was committed then.
  await world.owner.query(`UPDATE transactions SET committed_at = '2026-03-01Z'`)
  await world.make.counts({ ...sensor, asset }, '2026-01-20', () => 1)
  const { rows, cursor } = await follow(undefined, { since: '2026-03-02T00:00:00Z', limit: 1 })
  expect(rows).toEqual(rowsOf(asset, counted('2026-01-20')))
  expect((await follow(cursor)).rows).toEqual([])
  expect((await follow(undefined, { since: '2026-03-01T00:00:00Z' })).rows).toHaveLength(4)
  const { body } = await world.get(`/v1/partner/changes?cursor=${cursor}&since=2026-03-02T00:00:00Z`, { key })
  expect(body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: 'since' } })
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

test('pages are also available as CSV, with the next cursor in a header, also behind the last one', async () => {
  const { asset } = await createAsset()
  const get = async (query: string) => {
    const { headers, text } = await world.get(`/v1/partner/changes?${query}&output=csv`, { key })
    return [text.split('\r\n')[1], headers['x-next-cursor'] as string] as const
  }
  const [row, cursor] = await get('limit=1')
  expect(row).toContain(`${asset.id},asset,`)
  expect((await follow(cursor)).rows).toEqual(rowsOf(asset, 'sensors'))
  const [, end] = await get(`cursor=${cursor}`)
  const [none, last] = await get(`cursor=${end}`)
  expect(none).toBe('')
  expect((await follow(last)).rows).toEqual([])
})
