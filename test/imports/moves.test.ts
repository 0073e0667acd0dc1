/** Counts of a sensor on the date of its move, between assets whose clocks may differ; two that would meet refuse the move. */
import { readNodeRules, ZoneRules } from '../../db/calendar/zone-rules'
import { storeRules } from '../../db/zones/rules-in-force'
import type { ImportOptions } from '../../imports/import-file'
import { updateZones } from '../../imports/relocation/update-rules'
import { type Outcome, stored, unchanged } from '../support/outcomes'
import { like } from '../support/text'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await World.open()
})
beforeEach(() => world.clear())
afterAll(() => world.stop())

type Zones = readonly [from: string, to: string]

/** Two assets of one company, with a sensor on the first. */
const install = (grain: 'day' | 'hour', zones: Zones) =>
  world.make.together(async make => {
    const company = await make.company()
    const [from] = [
      await make.asset({ company, name: 'from', legacy_id: 1, time_zone: zones[0] }),
      await make.asset({ company, name: 'to', legacy_id: 2, time_zone: zones[1] }),
    ]
    await make.sensor({ asset: from, grain, serial: 'S1', installed_at: '2020-01-01T00:00:00Z' })
  })
const moveRow = (asset: number | '', at: string) => ['serial,asset_id,installed_at', `S1,${asset},${at}`]
const move = (asset: number | '', at: string) => world.import('sensors', moveRow(asset, at))
const give = (rows: readonly string[], options: ImportOptions = {}) =>
  world.import('impressions', ['sensor,start,impressions', ...rows.map(row => `S1,${row}`)], options)
const counts = async () =>
  (await world.days())
    .map(({ asset, date, counts: all }) => `${asset} ${date} ${all.filter(count => count >= 0)}`)
    .sort()

const WEST: Zones = ['America/Toronto', 'America/Vancouver']
const BERLIN: Zones = ['Europe/Berlin', 'Europe/Berlin']
const TWO_ASSETS =
  '…start "…" is on a date on which the sensor was at two assets (it was moved 2025-04-06T…): give the start of the day with an offset…'
const TWICE = '…local time at each of two assets, because the sensor was moved: give it an offset…'
const NEVER = '…none of its assets had while the sensor was there, because it was moved: give it an offset…'
const BEGUN = '…part of an interval that began before the sensor was moved to this asset'
const DAYS = ['2025-04-05,1', '2025-04-06,2', '2025-04-07,3']
const HOURS = Array.from({ length: 27 }, (_, i) => `${new Date(Date.UTC(2025, 3, 6, 4 + i)).toISOString()},1`)

type File = [rows: string[], options: ImportOptions, outcome: Partial<Omit<Outcome, 'errors'>> | string[]]

/** The files of daily counts, of which the date of the move needs an offset, whatever the options. */
const daily = (offset: string): File[] => [
  [DAYS, {}, [TWO_ASSETS]],
  [DAYS, { repeatedHour: 'first' }, [TWO_ASSETS]],
  [DAYS, { sumToGrain: true }, [TWO_ASSETS]],
  [['2025-04-06T00:00,2'], {}, [TWO_ASSETS]],
  [['2025-04-06,'], {}, unchanged(1)],
  [DAYS.with(1, `2025-04-06T00:00${offset},2`), {}, stored(3)],
]
const DAILY = ['from 2025-04-05 1', 'from 2025-04-06 2', 'to 2025-04-07 3']

/** The instant of a move, or those of a removal and of the installation after it. */
test.each<[string, 'day' | 'hour', Zones, at: string, files: File[], counts: string[]]>([
  ['a midnight of its new asset, daily', 'day', WEST, '2025-04-06T07:00Z', daily('-04:00'), DAILY],
  ['noon, daily', 'day', BERLIN, '2025-04-06T10:00Z', daily('+02:00'), DAILY],
  ['a gap, daily', 'day', BERLIN, '2025-04-06T10:00Z 2025-04-06T15:00Z', daily('+02:00'), DAILY],
  ['noon to another zone, daily', 'day', WEST, '2025-04-06T15:00Z', daily('-04:00'), DAILY],
  [
    'the midnight of both assets, daily',
    'day',
    ['Europe/Berlin', 'Europe/Paris'],
    '2025-04-05T22:00Z',
    [[DAYS.slice(0, 2), {}, stored(2)]],
    ['from 2025-04-05 1', 'to 2025-04-06 2'],
  ],
  [
    'an hour that both clocks show',
    'hour',
    WEST,
    '2025-04-06T07:00Z',
    [
      [['00:00,1', '01:00,2', '00:00,3', '04:00,4'].map(row => `2025-04-06T${row}`), {}, [TWICE, TWICE, TWICE]],
      [['2025-04-06T00:00,1', '2025-04-06T04:00,4'], { repeatedHour: 'second' }, [TWICE]],
      [['00:00-04:00,1', '01:00-04:00,2', '00:00-07:00,4'].map(row => `2025-04-06T${row}`), {}, stored(3)],
    ],
    ['from 2025-04-06 1,2', 'to 2025-04-06 4'],
  ],
  [
    'an hour that neither clock shows',
    'hour',
    ['America/Vancouver', 'America/Toronto'],
    '2025-04-06T07:00Z',
    [[['2025-04-06T01:00,1', '2025-04-06T01:00,'], { skippedHour: 'drop' }, [NEVER]]],
    [],
  ],
  [
    'a midnight of its new asset, of which the hours of the day are all there',
    'day',
    WEST,
    '2025-04-06T07:00Z',
    // Toronto had three hours of its day.
    [[HOURS, { sumToGrain: true }, { ...stored(24), read: 27, dropped: 3 }]],
    ['to 2025-04-06 24'],
  ],
  [
    'noon, of which the hours of the day are all there',
    'day',
    WEST,
    '2025-04-06T15:00Z',
    [
      [HOURS, { sumToGrain: true }, [BEGUN, BEGUN, BEGUN]],
      [HOURS.slice(0, 24), { sumToGrain: true }, stored(24)],
    ],
    ['from 2025-04-06 24'],
  ],
])('moved at %s', async (_, grain, zones, at, files, expected) => {
  await install(grain, zones)
  const [moved = '', removed] = at.split(' ').reverse()
  if (removed) await move('', removed)
  await move(2, moved)
  for (const [rows, options, outcome] of files) {
    const errors = Array.isArray(outcome) ? outcome.map(like) : []
    const figures = Array.isArray(outcome) ? { stored: 0, rejected: errors.length } : outcome
    expect([rows, options, await give(rows, options)]).toMatchObject([rows, options, { ...figures, errors }])
  }
  expect(await counts()).toEqual(expected)
})

test('two counts of the day refuse a move, or another zone, by which they would meet: both are named', async () => {
  await install('day', WEST)
  await give(['2025-04-05,205', '2025-04-06,206'])
  await move(2, '2025-04-06')
  await give(['2025-04-06T00:00-07:00,306'])
  const { errors } = await move(1, '2025-04-06T07:00Z')
  const meeting = '1 stored count…(2025-04-06 has 206 on "from" (…), and 306 on "to" (…)): erase one of the two …'
  expect(errors).toEqual([like(`2: ${meeting}`)])
  const zone = await world.import('assets', ['legacy_id,time_zone', '2,America/Toronto'])
  expect(zone.errors).toEqual([like('…206 on "from" …306 on "to"…')])
  // As the message says.
  expect(await give(['2025-04-06T00:00-07:00,'], { erase: true })).toMatchObject({ erased: 1 })
  expect(await move(1, '2025-04-06T07:00Z')).toEqual(stored(1))
})

test('new rules that let a day begin before the move to its asset are refused', async () => {
  const zone = WEST[1]
  const { starts, offsets } = readNodeRules(zone)
  const known = starts.filter(start => start < Date.parse('2025-03-01T00:00Z') / 1000)
  const change = Date.parse('2025-03-09T10:00Z') / 1000
  const rules = (version: string, offset: number) =>
    new ZoneRules(zone, version, [...known, change], [...offsets.slice(0, known.length), offset])
  await storeRules(world.owner, [rules('2024a', -7 * 3600)])
  await install('day', WEST)
  await give(['2025-04-06,206'])
  await move(2, '2025-04-06T07:00Z')
  await give(['2025-04-06T00:00-07:00,306'])
  const readRules = (name: string) => (name === zone ? rules('2099a', -6 * 3600) : readNodeRules(name))
  for (const dryRun of [true, false]) {
    const message = like('…206 on "from" …306 on "to" …nothing was changed…')
    await expect(updateZones(world.owner, { dryRun, readRules })).rejects.toMatchObject({
      ...{ code: 'ZONE_RULES_REFUSED', message },
    })
  }
  expect(await counts()).toEqual(['from 2025-04-06 206', 'to 2025-04-06 306'])
})
