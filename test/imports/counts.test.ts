/** Counts of several files, one after another or at once, and what they do to the installations of their sensor. */
import type { ImportOptions } from '../../imports/import-file'
import { Counting } from '../support/counting'
import { type Outcome, refused, stored, unchanged } from '../support/outcomes'

let counting: Counting
beforeAll(async () => {
  counting = await Counting.open()
})
afterAll(() => counting.world.stop())

const bounds = async () => {
  const rows = await counting.world.rows('SELECT installed_at, removed_at FROM sensors')
  return Object.values(rows[0] ?? {})
}

type File = [rows: string, options: ImportOptions, expected: Partial<Outcome>]

const PARTS = '10:00=1 10:05=2 10:10=3 10:15=4 10:20=5 10:25=6'
const SUM = { sumToGrain: true }
const BOUNDS = ['2026-03-10T10:00:00Z', '2026-03-20T12:07:00Z']
const EXTEND = { extendInstallations: true }

/** Rows are `TIME=VALUE` on 15 March 2026, or `DATE…=VALUE`. */
test.each<[string, files: File[], counts: object, bounds?: unknown[]]>([
  [
    'a stored interval is repeated by its sum, and erased with all its parts, but is neither added to nor replaced',
    [
      ['10:00=1 10:05=2 10:10=3', SUM, stored(3)],
      [PARTS.slice(16), SUM, refused(4, [/^2: .* adds up to 3, but 6 is stored/])],
      ['10:00=6', SUM, unchanged(1)],
      [`10:00= 10:05= ${PARTS.slice(24)}`, { ...SUM, erase: true }, { stored: 3, dropped: 2 }],
      ['10:00= 10:05= 10:10=', { ...SUM, erase: true }, { erased: 3 }],
    ],
    { 41: 15 },
  ],
  [
    'parts are of the length that is given, where the file has too few to show it',
    [['10:00=1', { ...SUM, interval: 'minute' }, { stored: 0, dropped: 1 }]],
    {},
  ],
  [
    'counts outside of the first and last installation extend them exactly, but for those without a value',
    [
      [
        '2026-03-09T10:45=1 2026-03-08T10:45= 2026-03-09T10:30=2 2026-03-20T13:15=3 2026-03-21T00:00=4',
        { ...EXTEND, maxBufferedCounts: 1 },
        { ...stored(4), read: 5, unchanged: 1 },
      ],
    ],
    { 42: 2, 43: 1, 53: 3, 0: 4 },
    ['2026-03-09T09:30:00Z', '2026-03-20T23:15:00Z'],
  ],
  [
    'counts that are rejected extend nothing, nor do others of their file',
    [['2026-03-01T10:45=x 2026-03-09T10:45=1', EXTEND, { rejected: 1, not_stored: 1 }]],
    {},
    BOUNDS,
  ],
  [
    'without faulty rows, the others extend the installation',
    [['2026-03-01T10:45=x 2026-03-09T10:45=1', { ...EXTEND, skipFaulty: true }, { rejected: 1, stored: 1 }]],
    { 43: 1 },
    ['2026-03-09T09:45:00Z', BOUNDS[1]],
  ],
])('%s', async (_, files, counts, after = BOUNDS) => {
  const [installed_at, removed_at] = BOUNDS
  await counting.sensorIn('Europe/Berlin', 'quarter_hour', { installed_at, removed_at })
  for (const [rows, options, expected] of files) {
    const lines = rows.split(' ').map(row => (row.includes('T') ? row : `2026-03-15T${row}`).replace('=', ','))
    expect([rows, await counting.give(lines, options)]).toEqual([rows, expect.objectContaining(expected)])
  }
  expect(Object.assign({}, ...(await counting.counts()).map(([, day]) => day))).toEqual(counts)
  expect(await bounds()).toEqual(after)
})

test('a day that began before the sensor was installed extends its installation to its start', async () => {
  await counting.sensorIn('Europe/Berlin', 'day', { installed_at: '2026-01-10T09:00:00Z' })
  expect(await counting.give(['2026-01-10,1'])).toMatchObject({ rejected: 1 })
  expect(await counting.give(['2026-01-10,1'], EXTEND)).toEqual(stored(1))
  expect(await bounds()).toEqual(['2026-01-09T23:00:00Z', null])
})

test('counts never extend an installation into the future, and are refused more than a day ahead', async () => {
  const minute = (offset: number) => `${new Date(Date.now() + offset * 60_000).toISOString().slice(0, 16)}Z,1`
  await counting.sensorIn('UTC', 'minute', { removed_at: new Date(Date.now() - 7_200_000).toISOString() })
  expect((await counting.give([minute(-10), minute(10)], EXTEND)).errors).toEqual([
    expect.stringMatching(/^3: .*--extend-installations, which never extends into the future$/),
  ])
  expect(await counting.give([minute(-10)], EXTEND)).toEqual(stored(1))
  await counting.sensorIn('UTC', 'minute', {})
  expect(await counting.give([minute(0), minute(23 * 60), minute(26 * 60)], { interval: 'minute' })).toEqual(
    refused(3, [/^4: .* more than a day in the future$/]),
  )
})

test('counts between two installations are errors, whatever the options', async () => {
  const { asset } = await counting.sensorIn('Europe/Berlin', 'hour', { removed_at: BOUNDS[1] })
  const other = await counting.world.make.asset({ company: { number: asset!.company, id: '' } })
  await counting.world.import('sensors', ['serial,asset_id,installed_at', `S1,${other.id},2026-05-01T00:00Z`])
  for (const options of [{}, EXTEND]) {
    const { errors } = await counting.give(['2026-04-01T00:00,1', '2026-05-02T00:00,1'], options)
    expect(errors).toEqual([expect.stringMatching(/^2: start "2026-04-01T00:00" is between two installations/)])
  }
})

test('files that are imported concurrently are all stored', async () => {
  await counting.sensorIn('Europe/Berlin')
  const minutes = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'))
  const file = (hour: number) => minutes.map(minute => `2026-03-01T${10 + hour}:${minute},${hour}`)
  expect(await Promise.all([0, 1, 2, 3].map(hour => counting.give(file(hour))))).toEqual(Array(4).fill(stored(60)))
  expect(await counting.world.days()).toMatchObject([{ observed: 240, impressions: 360 }])
})
