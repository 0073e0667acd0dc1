/** Notes on the data: operators write them, partners and analysts list them, and the feed has them if a reader names their kind. */
import type { Made, MadeAsset, MadeSensor } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let company: Made
let asset: MadeAsset
let other: MadeAsset
let sensor: MadeSensor
let key: string

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())
/** A sensor was on one asset until the end of 14 January at the assets, and has been on another one since. */
beforeEach(() =>
  world.make.together(async make => {
    company = await make.company()
    asset = await make.asset({ company, id: nextId() })
    other = await make.asset({ company, id: nextId() })
    sensor = await make.sensor({ asset: other, installed_at: '2026-01-14T23:00:00Z' })
    await make.installation(sensor, asset, '2026-01-01T23:00:00Z', '2026-01-14T23:00:00Z')
    key = await make.key([company], { scopes: ['internal:graphql:read'] })
  }),
)

let made = 0
/** Ascending, so that the first asset is listed first. */
const nextId = () => `assetof${String(++made).padStart(4, '0')}`

/** Adds a note from 5 to 9 January. */
async function add(text: string, ...options: string[]): Promise<string> {
  const dates = ['--from', '2026-01-05', '--to', '2026-01-09']
  const { code, document } = await world.runJson([
    'note',
    'add',
    ...dates,
    '--kind',
    'caveat',
    '--text',
    text,
    ...options,
  ])
  expect([code, document.error]).toEqual([0, undefined])
  return document.id
}

const setAside = () =>
  world.owner.query(
    `INSERT INTO set_asides (sensor, from_time, to_time, reason, is_public)
      VALUES ($1, '2026-01-10T22:30:00Z', '2026-01-10T23:30:00Z', 'A bus parked before it', true)`,
    [sensor.number],
  )

const RANGE = 'from_date=2026-01-01&to_date=2026-01-31'

const list = async (options = '', as = key) => (await world.read(`/v1/partner/notes?${RANGE}${options}`, as)).data

test('a note has its record, and what writes and removes it is in the history of operations', async () => {
  const id = await add('Road works', '--asset', asset.id)
  const common = { asset_id: asset.id, sensor_id: null, from: '2026-01-05', to: '2026-01-09' }
  expect(await list()).toEqual([
    { id, ...common, kind: 'caveat', text: 'Road works', updated_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  ])
  expect((await world.run(['note', 'remove', id])).code).toBe(0)
  expect(await list()).toEqual([])
  const { document } = await world.runJson(['history', '--limit', '2'])
  expect(document.rows.map((row: { command: string }) => row.command)).toEqual(['note remove', 'note add'])
  expect(document.rows[0].details).toMatchObject({ id, asset: asset.id, text: 'Road works' })
})

test('internal notes are read by analysts in GraphQL alone', async () => {
  await add('Customer complained', '--asset', asset.id, '--internal')
  await add('Road works', '--asset', other.id)
  const range = 'fromDate: "2026-01-01", toDate: "2026-01-31"'
  const query = `{ notes(${range}) { nodes { text internal } } }`
  expect((await world.get(`/graphql?query=${encodeURIComponent(query)}`, { key })).body.data).toEqual({
    notes: {
      nodes: [
        { text: 'Customer complained', internal: true },
        { text: 'Road works', internal: false },
      ],
    },
  })
  for (const as of [key, await world.make.key([company])])
    expect(await list('', as)).toMatchObject([{ text: 'Road works' }])
})

test('pages and streams have every note once', async () => {
  for (const text of ['a', 'b', 'c']) await add(text, '--asset', asset.id)
  await setAside()
  const path = `/v1/partner/notes?${RANGE}`
  const read: string[] = []
  for (let cursor = '', hasMore = true; hasMore; ) {
    const { data, pagination } = await world.read(`${path}&limit=2${cursor}`, key)
    read.push(...data.map(({ text }: { text: string }) => text))
    cursor = `&cursor=${pagination.cursor}`
    hasMore = pagination.has_more
  }
  expect(read.toSorted()).toEqual(['A bus parked before it', 'a', 'b', 'c'])
  const { text } = await world.get(`${path}&output=csv`, { key })
  expect(text.split('\r\n').map(line => line.split(',')[6])).toEqual(['text', ...read, undefined])
  expect(await list(`&asset_ids=${other.id}`)).toEqual([])
})

/** Returns the changes since a cursor, and the next one. */
async function follow(kinds: string, cursor = ''): Promise<{ rows: string[]; next: string }> {
  const query = `limit=500${kinds && `&kinds=${kinds}`}${cursor && `&cursor=${cursor}`}`
  const { data, pagination } = await world.read(`/v1/partner/changes?${query}`, key)
  const rows = data.map((row: Record<string, unknown>) => [row.asset_id, row.kind, row.from_date].join(' '))
  return { rows, next: pagination.cursor }
}

const notesOf = (...assets: MadeAsset[]) => assets.map(({ id }) => `${id} notes `)

test('the feed lists notes for readers that name their kind, and only the six other kinds without it', async () => {
  const [usual, all] = [await follow(''), await follow('notes,asset')]
  expect(usual.rows).toEqual([`${asset.id} asset `, `${other.id} asset `, `${other.id} sensors `])
  expect(all.rows).toEqual([`${asset.id} asset `, `${other.id} asset `])
  let next = all.next
  const expectChanges = async (expected: string[]) => {
    const changes = await follow('notes,asset', next)
    next = changes.next
    expect(changes.rows).toEqual(expected)
  }
  const id = await add('Too little', '--sensor', sensor.id)
  await expectChanges(notesOf(asset))
  await world.run(['note', 'remove', id])
  await expectChanges(notesOf(asset))
  await setAside()
  await expectChanges(notesOf(asset))
  await world.owner.query('DELETE FROM set_asides')
  await expectChanges(notesOf(asset))
  const inner = await add('Inside', '--asset', asset.id, '--internal')
  await expectChanges([])
  for (const isInternal of [false, true]) {
    await world.owner.query('UPDATE notes SET is_internal = $2 WHERE id = $1', [inner, isInternal])
    await expectChanges(notesOf(asset))
  }
  await world.run(['note', 'remove', inner])
  await expectChanges([])
  expect((await follow('', usual.next)).rows).toEqual([])
})

test('the feed lists the notes of days whose public reasons retention removes', async () => {
  for (const [value, reason] of [
    ['5', []],
    ['6', ['--reason', 'Recalibrated', '--public']],
  ] as const) {
    const rows = ['2024-12-31', '2026-01-20'].map(date => `${asset.id},${date},DE,DE-BE,Berlin,${value}`)
    const file = ['asset_id,date,country,region,city,impressions', ...rows, ''].join('\n')
    expect((await world.run(['import', 'origins', '-', ...reason], file)).code).toBe(0)
  }
  const months = (new Date().getUTCFullYear() - 2025) * 12 + new Date().getUTCMonth()
  const begun = await follow('notes')
  const days = async () =>
    (await world.read('/v1/partner/notes?from_date=2024-01-01&to_date=2026-12-31', key)).data.map(
      (row: Record<string, string>) => [row.from, row.to],
    )
  expect(await days()).toEqual([['2024-12-31', '2026-01-20']])
  expect((await world.run(['retain', '--months', String(months), '--yes'])).code).toBe(0)
  expect(await days()).toEqual([['2026-01-20', '2026-01-20']])
  expect((await follow('notes', begun.next)).rows).toEqual(notesOf(asset))
})
