/** Tests notes on the data: operators write them, partners and analysts list them, and the feed has them if a reader names their kind. */

import type { Made, MadeAsset, MadeSensor } from '../../support/factories'
import { run, runJson } from '../../support/in-process'
import { World } from '../../support/world'

let world: World
let company: Made
let asset: MadeAsset
let other: MadeAsset
let sensor: MadeSensor
let key: string
let analyst: string

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())
/** A sensor was on one asset until the end of 14 January at the assets, and has been on another one since. */
beforeEach(async () => {
  company = await world.make.company()
  ;[asset, other] = (await world.make.together(async make => {
    const made = [await make.asset({ company, id: nextId() }), await make.asset({ company, id: nextId() })] as const
    sensor = await make.sensor({ asset: made[1], installed_at: '2026-01-14T23:00:00Z' })
    await make.installation(sensor, made[0], '2026-01-01T23:00:00Z', '2026-01-14T23:00:00Z')
    return [...made]
  })) as [MadeAsset, MadeAsset]
  key = await world.make.key([company])
  analyst = await world.make.key([company], { scopes: ['internal:graphql:read'] })
})

let made = 0
/** Ascending, so that the first asset is listed first. */
const nextId = () => `assetof${String(++made).padStart(4, '0')}`

const env = () => ({ DATABASE_URL: world.database.ownerUrl, METRICS_ENV: 'dev' })

async function add(...options: string[]): Promise<string> {
  const { code, document } = await runJson(['note', 'add', ...options], env())
  expect([code, document.error]).toEqual([0, undefined])
  return document.id
}

const setAside = (from: string, to: string, reason: string, isPublic: boolean) =>
  world.owner.query(
    'INSERT INTO set_asides (sensor, from_time, to_time, reason, is_public) VALUES ($1, $2, $3, $4, $5)',
    [sensor.number, from, to, reason, isPublic],
  )

const list = async (range: string, options = '', as = key) =>
  (await world.read(`/v1/partner/notes?from_date=${range.replace(' ', '&to_date=')}${options}`, as)).data

const brief = (rows: Record<string, unknown>[]) =>
  rows.map(({ asset_id, sensor_id, from, to, kind, text }) => [asset_id, sensor_id, from, to, kind, text])

test('a note on an asset is listed where its days overlap the range, and what is removed no longer is', async () => {
  const id = await add(
    '--asset',
    asset.id,
    '--from',
    '2026-01-05',
    '--to',
    '2026-01-09',
    '--kind',
    'caveat',
    '--text',
    'Road works',
  )
  await add('--asset', asset.id, '--from', '2026-01-09', '--kind', 'break', '--text', 'A new model')
  const caveat = [asset.id, null, '2026-01-05', '2026-01-09', 'caveat', 'Road works']
  const open = [asset.id, null, '2026-01-09', null, 'break', 'A new model']
  for (const [range, expected] of [
    ['2026-01-01 2026-01-04', []],
    ['2026-01-01 2026-01-05', [caveat]],
    ['2026-01-09 2026-01-09', [caveat, open]],
    ['2026-01-10 2026-01-10', [open]],
    ['0001-01-01 9999-12-31', [caveat, open]],
  ] as const) {
    expect([range, brief(await list(range))]).toEqual([range, expected])
  }
  expect((await list('2026-01-05 2026-01-05'))[0]).toEqual({
    id,
    asset_id: asset.id,
    sensor_id: null,
    from: '2026-01-05',
    to: '2026-01-09',
    kind: 'caveat',
    text: 'Road works',
    updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect((await run(['note', 'remove', id], env())).code).toBe(0)
  expect(brief(await list('2026-01-01 2026-01-31'))).toEqual([open])
  const { document } = await runJson(['history', '--limit', '3'], env())
  expect(document.rows.map((row: { command: string }) => row.command)).toEqual(['note remove', 'note add', 'note add'])
  expect(document.rows[0].details).toMatchObject({ id, asset: asset.id, text: 'Road works' })
})

test('a note on a sensor is listed at the assets where the sensor was on days of the note and the range', async () => {
  await add('--sensor', sensor.serial, '--from', '2026-01-10', '--kind', 'caveat', '--text', 'Counts too little')
  const at = ({ id }: MadeAsset) => [id, sensor.id, '2026-01-10', null, 'caveat', 'Counts too little']
  expect(brief(await list('2026-01-01 2026-01-14'))).toEqual([at(asset)])
  expect(brief(await list('2026-01-01 2026-01-15'))).toEqual([at(asset), at(other)])
  expect(brief(await list('2026-01-15 2026-01-15'))).toEqual([at(other)])
  expect(brief(await list('2026-01-01 2026-01-31', `&asset_ids=${other.id}`))).toEqual([at(other)])
})

test('a stretch that is set aside is a note on the local days that it touches, with its reason if that is public', async () => {
  await setAside('2026-01-10T22:30:00Z', '2026-01-10T23:30:00Z', 'A bus parked before it', true)
  await setAside('2026-01-14T22:00:00Z', '2026-01-17T23:00:00Z', 'Only for us', false)
  expect(brief(await list('2026-01-01 2026-01-31'))).toEqual([
    [asset.id, sensor.id, '2026-01-10', '2026-01-11', 'unusable', 'A bus parked before it'],
    [asset.id, sensor.id, '2026-01-14', '2026-01-14', 'unusable', 'Set aside.'],
    [other.id, sensor.id, '2026-01-15', '2026-01-17', 'unusable', 'Set aside.'],
  ])
  expect(brief(await list('2026-01-12 2026-01-13'))).toEqual([])
  expect(new Set((await list('2026-01-01 2026-01-31')).map(({ id }: Made) => id)).size).toBe(3)
})

test('internal notes are read by analysts in GraphQL alone', async () => {
  await add(
    '--asset',
    asset.id,
    '--from',
    '2026-01-05',
    '--kind',
    'caveat',
    '--text',
    'Customer complained',
    '--internal',
  )
  await add('--asset', other.id, '--from', '2026-01-05', '--kind', 'caveat', '--text', 'Road works')
  const query = `{
    notes(fromDate: "2026-01-01", toDate: "2026-01-31") { nodes { text internal } }
    assets { nodes { notes(fromDate: "2026-01-01", toDate: "2026-01-31") { text } } }
  }`
  const { body } = await world.get('/graphql', {
    ...{ method: 'POST', key: analyst, body: JSON.stringify({ query }) },
    headers: { 'Content-Type': 'application/json' },
  })
  expect(body.data).toEqual({
    notes: {
      nodes: [
        { text: 'Customer complained', internal: true },
        { text: 'Road works', internal: false },
      ],
    },
    assets: { nodes: [{ notes: [{ text: 'Customer complained' }] }, { notes: [{ text: 'Road works' }] }] },
  })
  for (const as of [key, analyst]) {
    expect(brief(await list('2026-01-01 2026-01-31', '', as))).toEqual([
      [other.id, null, '2026-01-05', null, 'caveat', 'Road works'],
    ])
  }
})

test('pages and streams have every note once, and nobody reads those of other companies', async () => {
  const texts = ['a', 'b', 'c', 'd', 'e']
  for (const text of texts) await add('--asset', asset.id, '--from', '2026-01-05', '--kind', 'caveat', '--text', text)
  const path = '/v1/partner/notes?from_date=2026-01-01&to_date=2026-01-31'
  const read: string[] = []
  for (let cursor = ''; ; ) {
    const { data, pagination } = await world.read(`${path}&limit=2${cursor}`, key)
    read.push(...data.map(({ text }: { text: string }) => text))
    if (!pagination.has_more) break
    cursor = `&cursor=${pagination.cursor}`
  }
  expect(read.toSorted()).toEqual(texts)
  const { text } = await world.get(`${path}&output=csv`, { key })
  expect(text.split('\r\n').map(line => line.split(',')[6])).toEqual(['text', ...read, undefined])
  expect(await list('2026-01-01 2026-01-31', '', await world.make.key([await world.make.company()]))).toEqual([])
  const stranger = await world.make.asset()
  const { status } = await world.get(`${path}&asset_ids=${stranger.id}`, { key })
  expect(status).toBe(404)
})

test.each([
  ['from_date=2026-01-02&to_date=2026-01-01', 'INVALID_DATE_RANGE'],
  ['from_date=2026-01-02', 'REQUIRED_PARAMETER'],
  ['from_date=2026-01-02&to_date=2026-01-02&limit=501', 'INVALID_PARAMETER'],
  ['from_date=2026-01-02&to_date=2026-01-02&kind=break', 'INVALID_PARAMETER'],
])('?%s is %s', async (query, code) => {
  const { status, body } = await world.get(`/v1/partner/notes?${query}`, { key })
  expect([status, body.error.code]).toEqual([400, code])
})

describe('the feed', () => {
  /** Returns the changes since a cursor, and the next one. */
  async function follow(kinds: string, cursor = ''): Promise<{ rows: string[]; next: string }> {
    const query = `limit=500${kinds && `&kinds=${kinds}`}${cursor && `&cursor=${cursor}`}`
    const { data, pagination } = await world.read(`/v1/partner/changes?${query}`, key)
    const rows = data.map((row: Record<string, unknown>) => [row.asset_id, row.kind, row.from_date].join(' '))
    return { rows, next: pagination.cursor }
  }
  const notesOf = (...assets: MadeAsset[]) => assets.map(({ id }) => `${id} notes `)

  test('lists notes for readers that name their kind, and only the six other kinds without it', async () => {
    const [usual, all] = [await follow(''), await follow('notes,asset')]
    expect(usual.rows).toEqual([`${asset.id} asset `, `${other.id} asset `, `${other.id} sensors `])
    expect(all.rows).toEqual([`${asset.id} asset `, `${other.id} asset `])
    const of = ['--from', '2026-01-10', '--to', '2026-01-20', '--kind', 'caveat', '--text', 'Too little']
    let next = all.next
    const expectChanges = async (expected: string[]) => {
      const changes = await follow('notes,asset', next)
      next = changes.next
      expect(changes.rows).toEqual(expected)
    }
    await add('--asset', other.id, ...of)
    await expectChanges(notesOf(other))
    const id = await add('--sensor', sensor.id, ...of)
    await expectChanges(notesOf(asset, other))
    await run(['note', 'remove', id], env())
    await expectChanges(notesOf(asset, other))
    await setAside('2026-01-10T22:30:00Z', '2026-01-10T23:30:00Z', 'A bus', true)
    await expectChanges(notesOf(asset))
    await world.owner.query('DELETE FROM set_asides')
    await expectChanges(notesOf(asset))
    const inner = await add('--asset', asset.id, ...of, '--internal')
    await expectChanges([])
    await world.owner.query('UPDATE notes SET is_internal = false WHERE id = $1', [inner])
    await expectChanges(notesOf(asset))
    await world.owner.query('UPDATE notes SET is_internal = true WHERE id = $1', [inner])
    await expectChanges(notesOf(asset))
    await run(['note', 'remove', inner], env())
    await expectChanges([])
    expect((await follow('', usual.next)).rows).toEqual([])
  })

  test('lists the notes of both assets when their sensor moves or is deleted', async () => {
    await add(
      '--sensor',
      sensor.id,
      '--from',
      '2026-01-10',
      '--to',
      '2026-01-12',
      '--kind',
      'caveat',
      '--text',
      'Too little',
    )
    const begun = await follow('notes')
    await world.owner.query(`DELETE FROM installations WHERE sensor = $1 AND asset = $2`, [sensor.number, asset.number])
    const removed = await follow('notes', begun.next)
    expect(removed.rows).toEqual(notesOf(asset))
    await world.owner.query(`UPDATE installations SET installed_at = '2026-01-11T23:00:00Z' WHERE sensor = $1`, [
      sensor.number,
    ])
    const moved = await follow('notes', removed.next)
    expect(moved.rows).toEqual(notesOf(other))
    expect((await run(['delete', 'sensors', sensor.serial, '--yes'], env())).code).toBe(0)
    expect((await follow('notes', moved.next)).rows).toEqual(notesOf(other))
    expect(await list('2026-01-01 2026-01-31')).toEqual([])
  })

  test('lists the notes that no longer name their sensor, because it moved to another company', async () => {
    await setAside('2026-01-10T22:30:00Z', '2026-01-10T23:30:00Z', 'A bus', true)
    const begun = await follow('notes')
    const newOwner = await world.make.company()
    const stranger = await world.make.asset({ company: newOwner })
    const move = `serial,asset_id,installed_at\n${sensor.serial},${stranger.id},2026-02-01T00:00:00Z\n`
    expect((await run(['import', 'sensors', '-'], env(), move)).code).toBe(0)
    expect((await list('2026-01-01 2026-01-31')).map((row: { sensor_id: string | null }) => row.sensor_id)).toEqual([
      null,
    ])
    expect((await follow('notes', begun.next)).rows).toEqual(notesOf(asset))
    // Nor to a key of both companies: what happens there is no change of this one.
    const ofBoth = await world.make.key([company, newOwner])
    const { data } = await world.read('/v1/partner/notes?from_date=2026-01-01&to_date=2026-01-31', ofBoth)
    expect(data.map((row: { sensor_id: string | null }) => row.sensor_id)).toEqual([null])
  })

  test('lists the notes that no longer name their sensor, because its asset was deleted', async () => {
    await setAside('2026-01-10T22:30:00Z', '2026-01-10T23:30:00Z', 'A bus', true)
    const begun = await follow('notes')
    expect((await run(['delete', 'assets', other.id, '--yes'], env())).code).toBe(0)
    expect((await list('2026-01-01 2026-01-31')).map((row: { sensor_id: string | null }) => row.sensor_id)).toEqual([
      null,
    ])
    expect((await follow('notes', begun.next)).rows).toContain(notesOf(asset)[0])
  })

  test('lists the notes of days whose public reasons retention removes', async () => {
    for (const [value, reason] of [
      ['5', []],
      ['6', ['--reason', 'Recalibrated', '--public']],
    ] as const) {
      const rows = ['2024-12-31', '2026-01-20'].map(date => `${asset.id},${date},DE,DE-BE,Berlin,${value}`)
      const file = ['asset_id,date,country,region,city,impressions', ...rows, ''].join('\n')
      expect((await run(['import', 'origins', '-', ...reason], env(), file)).code).toBe(0)
    }
    const months = (new Date().getUTCFullYear() - 2025) * 12 + new Date().getUTCMonth()
    const begun = await follow('notes')
    const days = () =>
      list('2024-01-01 2026-12-31').then(rows => rows.map((r: Record<string, string>) => [r.from, r.to]))
    expect(await days()).toEqual([['2024-12-31', '2026-01-20']])
    expect((await run(['retain', '--months', String(months), '--yes'], env())).code).toBe(0)
    expect(await days()).toEqual([['2026-01-20', '2026-01-20']])
    expect((await follow('notes', begun.next)).rows).toEqual(notesOf(asset))
  })

  test('binds a cursor to the kinds, and refuses unknown ones', async () => {
    const { next } = await follow('notes')
    for (const [query, code] of [
      [`cursor=${next}`, 'INVALID_CURSOR'],
      ['kinds=note', 'INVALID_PARAMETER'],
      ['kinds=', 'INVALID_PARAMETER'],
    ] as const) {
      const { body } = await world.get(`/v1/partner/changes?${query}`, { key })
      expect([query, body.error.code]).toEqual([query, code])
    }
  })
})
