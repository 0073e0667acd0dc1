/** Files of sensors: what a row says of an installation, what it keeps, and the counts that follow it or refuse it. */
import type { ImportOptions } from '../../imports/import-file'
import type { MadeAsset } from '../support/factories'
import { refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

let world: World
let auckland: MadeAsset
const notices: string[] = []

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

/** Rows of installations of S begin on `a`, in Berlin. */
beforeEach(async () => {
  await world.clear()
  await world.make.together(async make => {
    const company = await make.company()
    const berlin = await make.asset({ company, name: 'a', legacy_id: 1 })
    await make.asset({ company, name: 'b', legacy_id: 2, time_zone: 'America/New_York' })
    await make.asset({ company, name: 'kathmandu', legacy_id: 3, time_zone: 'Asia/Kathmandu' })
    auckland = await make.asset({ company, name: 'auckland', legacy_id: 4, time_zone: 'Pacific/Auckland' })
    await make.vendor('minute', { id: 'vendorown1', name: 'Minute' })
    await make.vendor('quarter_hour', { name: 'Quarter' })
    const vendor = await make.vendor('hour', { name: 'Hour' })
    const attributes = { vendor, serial: 'S', model: 'M', grain: 'hour', installed_at: '2026-01-01T00:00Z' } as const
    await make.sensor({ asset: berlin, ...attributes })
  })
})

const NEW = 'model,vendor_id,asset_id,installed_at'
const PLACE = 'asset_id,installed_at'
const WHOLE = `${PLACE},removed_at`

/** Imports rows of the sensor S, in which `2026-01-01Z` is a midnight of UTC. */
function give(columns: string, values: string | readonly string[], options: ImportOptions = {}) {
  notices.length = 0
  const rows = [values].flat().map(row => `S,${row}`.replace(/(\d\d-\d\d)Z/g, '$1T00:00Z'))
  return world.import('sensors', [`serial,${columns}`, ...rows], {
    onNotice: notice => notices.push(notice),
    ...options,
  })
}

const count = (...rows: string[]) =>
  world.import('impressions', ['sensor,start,impressions', ...rows.map(row => `S,${row}`)])

/** Gives the sensor S one count an hour. */
const countHours = (from: string, to: string) => {
  const [first, end] = [from, to].map(date => Date.parse(date) / 3_600_000) as [number, number]
  const starts = Array.from({ length: end - first }, (_, i) => new Date((first + i) * 3_600_000).toISOString())
  return count(...starts.map(start => `${start},1`))
}

const history = async () =>
  (
    await world.rows(`SELECT a.name, i.installed_at, i.removed_at FROM installations i
      JOIN assets a ON a.number = i.asset ORDER BY i.installed_at`)
  ).map(row => Object.values(row).join(' ').replaceAll('T00:00:00Z', 'Z').trimEnd())

const sensors = () =>
  world.rows(`SELECT s.id, serial, model, v.name AS vendor, s.native_minutes, a.name AS asset, s.company = a.company AS belongs,
    billable_state, installed_at, removed_at
    FROM sensors s JOIN vendors v ON v.number = s.vendor LEFT JOIN assets a ON a.number = s.asset ORDER BY serial`)

/** Returns the sums of assets, with their first and last dates. */
const totals = async () =>
  (
    await world.rows(`SELECT a.name, sum(impressions)::integer AS sum, min(date) AS first, max(date) AS last
      FROM assets a JOIN sensor_days d ON d.asset = a.number GROUP BY a.name ORDER BY a.name`)
  ).map(row => Object.values(row).join(' '))

test('sensors are stored with every field, and refer to others by id, name or legacy id', async () => {
  const file = [
    'id,serial,model,vendor_id,asset_id,billable_state,installed_at,removed_at',
    'sensorone1,S1,M1,vendorown1,1,billable,2026-01-01T00:00:00Z,2026-02-01T00:00:00.5Z',
    `,S2,M2,Hour,${auckland.id},,2026-01-01,`,
    ',S3,M3,Quarter,,retired,,',
    ',S4,M4,Quarter,kathmandu,,2026-01-01,',
  ]
  expect(await world.import('sensors', file)).toEqual(stored(4))
  const before = await sensors()
  const removed = { installed_at: '2026-01-01T00:00:00Z', removed_at: '2026-02-01T00:00:00.5Z', asset: null }
  expect(before.slice(1)).toMatchObject([
    { id: 'sensorone1', vendor: 'Minute', native_minutes: 1, billable_state: 'billable', ...removed },
    {
      ...{ id: expect.stringMatching(/^[a-z0-9]{24}$/), native_minutes: 60, asset: 'auckland', belongs: true },
      ...{ billable_state: 'pending', installed_at: '2025-12-31T11:00:00Z' },
    },
    { vendor: 'Quarter', asset: null, installed_at: null, billable_state: 'retired' },
    { asset: 'kathmandu', installed_at: '2025-12-31T18:15:00Z' },
  ])
  expect(await world.import('sensors', file)).toEqual(unchanged(4))
  expect(await sensors()).toEqual(before)
})

test('an installation may begin with the first day of a year', async () => {
  expect(await give(NEW, 'M,Hour,1,2018')).toEqual(stored(1))
  expect(await give(NEW, 'M,Hour,1,2018', { timeFormat: ['dd.MM.yyyy', 'yyyy'] })).toEqual(unchanged(1))
  expect(await history()).toEqual(['a 2017-12-31T23:00:00Z'])
  const removed = await give(WHOLE, '1,2018,2019', { timeFormat: ['yyyy'] })
  expect(removed.errors).toEqual([expect.stringMatching(/^2: removed_at is "2019", but must be/)])
})

test('a sensor without counts is removed now when asset_id is empty, and may change to a vendor of another grain', async () => {
  expect(await give('vendor_id', 'Minute')).toEqual(stored(1))
  expect(await world.rows('SELECT native_minutes FROM installations')).toEqual([{ native_minutes: 1 }])
  await give('asset_id', '')
  const removed = (await history())[0]?.split(' ')[2]
  expect(Math.abs(Date.parse(removed as string) - Date.now())).toBeLessThan(60_000)
  expect(await sensors()).toMatchObject([{ asset: null, belongs: null, removed_at: removed }])
  expect(await give('asset_id', '')).toEqual(unchanged(1))
})

test('a sensor moves after its last day with counts if the row has no installed_at', async () => {
  await count('2026-02-10T12:00,5')
  expect(await give('asset_id', '4')).toEqual(stored(1))
  expect(await history()).toEqual(['a 2026-01-01Z 2026-02-10T23:00:00Z', 'auckland 2026-02-10T23:00:00Z'])
  await count('2026-02-12T12:00,5')
  expect(await totals()).toEqual(['a 5 2026-02-10 2026-02-10', 'auckland 5 2026-02-12 2026-02-12'])
  expect(await give('asset_id', '4')).toEqual(unchanged(1))
})

const STEPS = {
  ...{ place: PLACE, whole: WHOLE, removed: 'removed_at', installed: 'installed_at', asset: 'asset_id' },
  gone: 'asset_id,removed_at',
}
const REMOVED = ['a 2026-01-01Z 2026-01-20Z']
const JUNE = 'a 2026-01-01Z 2026-05-31T12:00:00Z; auckland 2026-05-31T12:00:00Z'
const YEARS = 'a 2026-01-01Z 2027-05-31T12:00:00Z; auckland 2027-05-31T12:00:00Z 2027-12-31T11:00:00Z'

/** Files, with a name of their columns and rows divided by `|`, and the history after them. */
test.each([
  ['none for a while', 'place ,2026-02-10Z', 'a 2026-01-01Z 2026-02-10Z'],
  [
    'one again after that',
    'place ,2026-02-10Z; place 1,2026-03-01Z; whole ,,2026-03-10Z; whole ,2026-03-01Z,2026-03-12Z',
    'a 2026-01-01Z 2026-02-10Z; a 2026-03-01Z 2026-03-12Z',
  ],
  ['none, before any removal', 'whole ,2026-03-05Z,2026-03-12Z', 'a 2026-01-01Z 2026-03-05Z'],
  ['another, later', 'place 2,2026-01-20Z; installed 2026-01-22Z', 'a 2026-01-01Z 2026-01-20Z; b 2026-01-22Z'],
  ['another, earlier', 'place 2,2026-01-20Z; installed 2026-01-18Z', 'a 2026-01-01Z 2026-01-18Z; b 2026-01-18Z'],
  ['only the other if it has not counted before', 'asset 4', 'auckland 2026-01-01Z'],
  ['the other since it was removed', 'removed 2026-01-20Z; asset 4', `${REMOVED}; auckland 2026-01-20Z`],
  ['none since it arrived at another', 'place 2,2026-01-20Z; removed 2026-01-20Z', `${REMOVED}`],
  ['none since then, by an empty asset', 'place 2,2026-01-20Z; gone ,2026-01-20Z', `${REMOVED}`],
  ['none since then, by its date alone', 'place 2,2026-01-20Z; place ,2026-01-20Z', `${REMOVED}`],
  ['none since then, by both dates', 'place 2,2026-01-20Z; whole ,2026-01-20Z,2026-01-20Z', `${REMOVED}`],
  ['none ever', 'removed 2026-01-01Z', ''],
  ['none ever, by an empty asset', 'gone ,2026-01-01Z', ''],
  ['none ever, by its date alone', 'place ,2026-01-01Z', ''],
  ['one until a local time there', 'removed 2026-12-24 18:30', 'a 2026-01-01Z 2026-12-24T17:30:00Z'],
  ['one until a time elsewhere', 'removed 2026-12-24T18:30:15+05:30', 'a 2026-01-01Z 2026-12-24T13:00:15Z'],
  ['three in order', 'place 1,2027-01-01|4,2027-06-01|,2028-01-01', YEARS],
  ['three in no order', 'place ,2028-01-01|4,2027-06-01|1,2027-01-01', YEARS],
  [
    'none from another date at the asset that it left',
    'place 4,2026-06-01|,2027-01-01; removed 2027-02-01',
    `${JUNE} 2027-01-31T11:00:00Z`,
  ],
  [
    'none from a date before a move, at the asset that it has then',
    'place 4,2026-06-01|,2027-01-01; place ,2026-03-01',
    'a 2026-01-01Z 2026-02-28T23:00:00Z',
  ],
])('rows say that a sensor was on %s; the same row again changes nothing', async (_, steps, expected) => {
  const files = steps.split('; ').map(step => step.split(/ (.*)/) as [keyof typeof STEPS, string])
  for (const [columns, rows] of files)
    expect([rows, await give(STEPS[columns], rows.split('|'))]).toMatchObject([rows, { errors: [] }])
  const after = expected.split('; ').filter(Boolean)
  expect(await history()).toEqual(after)
  const [columns, rows] = files.at(-1)!
  expect(await give(STEPS[columns], rows.split('|'))).toEqual(unchanged(rows.split('|').length))
  expect(await history()).toEqual(after)
})

describe('rows that repeat what is recorded for their instant', () => {
  beforeEach(() => give(WHOLE, ['2,2026-02-10Z,2026-03-01Z', '1,2026-04-01Z,']))

  test('change nothing, and name the moves and removals that they keep', async () => {
    const before = await history()
    for (const [columns, row, kept] of [
      [PLACE, '1,2026-01-01Z', ['move to "b"', 'removal', 'move to "a"']],
      [PLACE, '1,2026-01-20Z', ['move to "b"', 'removal', 'move to "a"']],
      [WHOLE, '1,2026-01-01Z,', ['move to "b"', 'removal', 'move to "a"']],
      [WHOLE, '2,2026-02-10Z,2026-03-01Z', ['move to "a"']],
      [PLACE, ',2026-03-10Z', ['move to "a"']],
      [PLACE, ',2025-12-01Z', ['installation on "a"', 'move to "b"', 'removal', 'move to "a"']],
      [PLACE, '1,2026-04-01Z', []],
    ] as const) {
      expect([row, await give(columns, row)]).toEqual([row, unchanged(1)])
      const message = `^sensor "S": keeps ${kept.map(event => `the ${event}.* at 2026-\\S+`).join('.*')}$`
      expect(notices).toEqual(kept.length === 0 ? [] : [expect.stringMatching(new RegExp(message))])
    }
    expect(await history()).toEqual(before)
  })

  test.each([
    ['another asset', PLACE, '2,2026-01-20Z', ['a 2026-01-01Z 2026-01-20Z', 'b 2026-01-20Z']],
    ['none', PLACE, ',2026-01-20Z', REMOVED],
    ['an earlier instant', PLACE, '1,2025-12-01Z', ['a 2025-12-01Z']],
    ['that it was not removed', WHOLE, '2,2026-02-10Z,', ['a 2026-01-01Z 2026-02-10Z', 'b 2026-02-10Z']],
    ['another removal', WHOLE, '1,2026-01-01Z,2026-01-20Z', REMOVED],
  ])('are unlike one that says %s, which replaces later moves and removals', async (_, columns, row, after) => {
    expect(await give(columns, row)).toEqual(stored(1))
    expect(await history()).toEqual(after)
    expect(notices).toEqual([])
  })

  test('keep a later change of the hardware', async () => {
    await give(NEW, 'M,Minute,1,2026-05-01')
    expect(await give(NEW, 'M,Hour,1,2026-04-01Z')).toEqual(unchanged(1))
    expect(await world.rows('SELECT native_minutes FROM sensors')).toEqual([{ native_minutes: 1 }])
  })
})

test('rows of another grain leave the earlier counts theirs, and limit the zones of the asset', async () => {
  const zone = (name: string) => world.import('assets', ['legacy_id,time_zone', `1,${name}`])
  await countHours('2026-02-08', '2026-02-09T23:00Z')
  expect(await zone('Asia/Kathmandu')).toEqual(
    refused(1, [/^2: 47 stored counts of sensor "S" .* would not begin where/]),
  )
  expect(await give(NEW, 'M,Quarter,1,2026-02-10')).toEqual(stored(1))
  await count('2026-02-10T00:15,7')
  expect(await world.rows('SELECT native_minutes, min(date) AS first FROM sensor_days GROUP BY 1 ORDER BY 1')).toEqual([
    { native_minutes: 15, first: '2026-02-10' },
    { native_minutes: 60, first: '2026-02-08' },
  ])
  expect(
    await world.rows(`SELECT native_minutes, sensor_minutes FROM sensors s JOIN assets a ON a.number = s.asset`),
  ).toEqual([{ native_minutes: 15, sensor_minutes: 15 }])
  expect(await give(NEW, 'M,Quarter,1,2026-02-10')).toEqual(unchanged(1))
  await world.rows('DELETE FROM sensor_days')
  expect(await zone('America/New_York')).toEqual(
    refused(1, ['2: sensor "S" would count two grains on one local day: change its installed_at first']),
  )
  expect(await give(NEW, 'M,Hour,2,2026-03-10T12:00Z')).toEqual(stored(1))
})
