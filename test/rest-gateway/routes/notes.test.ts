/** Notes on the data: who may read internal notes, how notes are paged, and which changes of notes the feed leaves out. */
import type { Made, MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

const RANGE = 'from_date=2026-01-01&to_date=2026-01-31'

let world: World
let company: Made
let asset: MadeAsset
let key: string

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())
beforeEach(async () => {
  company = await world.make.company()
  asset = await world.make.asset({ company })
  key = await world.make.key([company], { scopes: ['internal:graphql:read'] })
})

/** Adds a note on the asset from 5 to 9 January. @returns its id */
async function add(text: string, ...options: string[]): Promise<string> {
  const note = ['--asset', asset.id, '--from', '2026-01-05', '--to', '2026-01-09', '--kind', 'caveat', '--text', text]
  const { code, document } = await world.runJson(['note', 'add', ...note, ...options])
  expect([code, document.error]).toEqual([0, undefined])
  return document.id
}

const list = async (range = RANGE, as = key) => (await world.read(`/v1/partner/notes?${range}`, as)).data

test('internal notes are read by analysts in GraphQL alone', async () => {
  await add('Customer complained', '--internal')
  const id = await add('Road works')
  const query = '{ notes(fromDate: "2026-01-01", toDate: "2026-01-31") { nodes { text internal } } }'
  const { body } = await world.get(`/graphql?query=${encodeURIComponent(query)}`, { key })
  expect(body.data.notes.nodes).toEqual(
    expect.arrayContaining([
      { text: 'Customer complained', internal: true },
      { text: 'Road works', internal: false },
    ]),
  )
  const row = { id, asset_id: asset.id, sensor_id: null, from: '2026-01-05', to: '2026-01-09', kind: 'caveat' }
  for (const as of [key, await world.make.key([company])])
    expect(await list(RANGE, as)).toEqual([
      { ...row, text: 'Road works', updated_at: expect.stringMatching(/^20.*Z$/) },
    ])
})

test('pages and streams have every note once', async () => {
  for (const text of ['a', 'b', 'c']) await add(text)
  await world.make.setAside(await world.make.sensor({ asset }), '2026-01-10T22:30:00Z', '2026-01-10T23:30:00Z')
  const read: string[] = []
  for (let cursor = '', hasMore = true; hasMore; ) {
    const { data, pagination } = await world.read(`/v1/partner/notes?${RANGE}&limit=2${cursor}`, key)
    read.push(...data.map(({ text }: { text: string }) => text))
    cursor = `&cursor=${pagination.cursor}`
    hasMore = pagination.has_more
  }
  expect(read.toSorted()).toEqual(['A bus parked before it', 'a', 'b', 'c'])
  const { text } = await world.get(`/v1/partner/notes?${RANGE}&output=csv`, { key })
  expect(text.split('\r\n').map(line => line.split(',')[6])).toEqual(['text', ...read, undefined])
})

/** Returns what the feed lists behind a cursor, and the next one. */
async function follow(kinds: string, cursor = ''): Promise<{ rows: string[]; next: string }> {
  const query = `limit=500${kinds && `&kinds=${kinds}`}${cursor && `&cursor=${cursor}`}`
  const { data, pagination } = await world.read(`/v1/partner/changes?${query}`, key)
  return { rows: data.map(({ kind }: { kind: string }) => kind), next: pagination.cursor }
}

test('the feed lists notes for readers that name their kind, and internal ones for nobody', async () => {
  const usual = await follow('')
  let { rows, next } = await follow('notes,sensors')
  expect([usual.rows, rows]).toEqual([['asset'], []])
  const id = await add('Inside', '--internal')
  for (const [change, expected] of [
    ['SELECT $1', []],
    ['UPDATE notes SET is_internal = false WHERE id = $1', ['notes']],
    ['UPDATE notes SET is_internal = true WHERE id = $1', ['notes']],
    ['DELETE FROM notes WHERE id = $1', []],
  ] as const) {
    await world.owner.query(change, [id])
    ;({ rows, next } = await follow('notes,sensors', next))
    expect([change, rows]).toEqual([change, expected])
  }
  expect((await follow('', usual.next)).rows).toEqual([])
})

test('the feed lists the notes of days whose public reasons retention removes', async () => {
  const dates = ['2024-12-31', '2026-01-20']
  for (const [value, ...reason] of [['5'], ['6', '--reason', 'Recalibrated', '--public']]) {
    const rows = dates.map(date => `${asset.id},${date},DE,DE-BE,Berlin,${value}\n`)
    const file = ['asset_id,date,country,region,city,impressions\n', ...rows].join('')
    expect((await world.run(['import', 'origins', '-', ...reason], file)).code).toBe(0)
  }
  const days = async () =>
    (await list('from_date=2024-01-01&to_date=2026-12-31')).map(({ from, to }: Record<string, string>) => [from, to])
  expect(await days()).toEqual([dates])
  const { next } = await follow('notes')
  const months = (new Date().getUTCFullYear() - 2025) * 12 + new Date().getUTCMonth()
  expect((await world.run(['retain', '--months', String(months), '--yes'])).code).toBe(0)
  expect(await days()).toEqual([[dates[1], dates[1]]])
  expect((await follow('notes', next)).rows).toEqual(['notes'])
})
