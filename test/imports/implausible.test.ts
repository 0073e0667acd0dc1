/** Counts far above what their sensor ever had: imports warn of them, or refuse the file. */
import type { ImplausibleDay, ImplausibleDays } from '../../imports/counts/count-options'
import type { ImportOptions } from '../../imports/import-file'
import type { NativeGrain } from '../../schema/generated'
import { World } from '../support/world'

/** The date that is so many days after 2026-01-01. */
const date = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)

/** Rows of one day: the counts of its first hours. */
const rows = (day: number, counts: readonly number[], sensor = 'S-1'): string[] =>
  counts.map((count, hour) => `${sensor},${date(day)} ${String(hour).padStart(2, '0')}:00,${count}`)

const days = (from: number, to: number, counts: readonly number[]): string[] =>
  Array.from({ length: to - from }, (_, i) => rows(from + i, counts)).flat()

/** Days alike, whose greatest count is 40 and whose total is 100. */
const usualDays = (from: number, to: number) => days(from, to, [0, 40, 25, 35])

const HEADER = 'sensor,start,impressions'

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.clear()
  await add('S-1', 'hour')
})

const add = (serial: string, grain: NativeGrain) =>
  world.make.together(async make => {
    const asset = await make.asset({ name: serial, time_zone: 'Etc/UTC' })
    await make.sensor({ asset, serial, grain, installed_at: '2020-01-01T00:00:00Z' })
  })

const judge = async (lines: readonly string[], options: ImportOptions = { interval: 'hour' }) => {
  let found: ImplausibleDays = { days: [], total: 0 }
  const onImplausible = (given: ImplausibleDays) => {
    found = given
  }
  await world.import('impressions', [HEADER, ...lines], { ...options, onImplausible })
  expect(found.total).toBe(found.days.length)
  return found.days.map(describeDay)
}
const describeDay = ({ sensor, day, value, usual, grain }: ImplausibleDay) =>
  `${sensor} ${day}: ${value} in one ${grain}, usual ${usual}`
const spike = (day: number, value = 9999) => `S-1 ${date(day)}: ${value} in one hour, usual 40`

test.each<[string, string[], string[], string[]]>([
  ['an interval above 5 times the greatest and 50', usualDays(0, 14), rows(14, [251]), [spike(14, 251)]],
  ['none that is just as high', usualDays(0, 14), rows(14, [250]), []],
  [
    'a day above 3 times the greatest',
    usualDays(0, 14),
    rows(14, [101, 100, 100]),
    [`S-1 ${date(14)}: 301 in one day, usual 100`],
  ],
  ['no day that is just as high', usualDays(0, 14), rows(14, [100, 100, 100]), []],
  ['nothing while the history is shorter than 14 days', usualDays(0, 13), rows(14, [9999]), []],
  ['nothing after nothing but zeros', days(0, 20, [0, 0]), rows(20, [9999]), []],
  ['nothing because of days more than 56 days before', usualDays(0, 14), rows(57, [9999]), []],
  ['what is above all days of the 56 before', usualDays(0, 14), rows(56, [9999]), [spike(56)]],
  ['none of the days before the history', usualDays(30, 60), rows(29, [9999]), []],
  [
    'each spike, though others are in its history',
    [...usualDays(0, 14), ...rows(14, [9999]), ...usualDays(15, 20), ...rows(20, [9998])],
    rows(21, [9997]),
    [spike(14), spike(20, 9998), spike(21, 9997)],
  ],
  [
    'what recurs until it is usual after seven days',
    usualDays(0, 14),
    days(14, 22, [1000]),
    [14, 15, 16, 17, 18, 19, 20].map(day => spike(day, 1000)),
  ],
  [
    'a small count beside zeros by the day that is usual',
    [...days(0, 20, [0]), ...rows(20, [9])],
    rows(21, [28]),
    [`S-1 ${date(21)}: 28 in one day, usual 9`],
  ],
])('counts far above what a sensor had name %s', async (_, history, lines, expected) => {
  expect(await judge([...history, ...lines].reverse())).toEqual(expected)
  await world.rows('DELETE FROM sensor_days')
  expect([...(await judge(history)), ...(await judge(lines))]).toEqual(expected)
  expect(await judge([...history, ...lines])).toEqual([])
})

test('counts are compared with days of their sensor and of its present grain alone', async () => {
  await add('S-2', 'hour')
  await judge(usualDays(0, 27))
  expect(await judge(rows(27, [9999], 'S-2'))).toEqual([])
  const former = `UPDATE sensor_days SET native_minutes = 15, counts = $1, impressions = 9999, observed = 1 WHERE date < $2`
  await world.rows(former, [Buffer.alloc(96, 9), date(10)])
  expect(await judge(rows(27, [9999]))).toEqual([spike(27)])
  await world.rows(former, [Buffer.alloc(96, 9), date(28)])
  expect(await judge(rows(28, [9999]))).toEqual([])
})

test('counts are named once, by the file that brings them, and as they are added up', async () => {
  await judge(usualDays(0, 20))
  const day = rows(20, [10, 9999, 10, 10, 8888])
  expect(await judge(day.slice(0, 1))).toEqual([])
  expect(await judge(day.slice(0, 2))).toEqual([spike(20)])
  expect(await judge(day.slice(0, 4))).toEqual([])
  expect(await judge(day)).toEqual([spike(20, 8888)])
  const parts = ['00', '15', '30', '45'].map(minute => `S-1,${date(21)} 00:${minute},100`)
  expect(await judge(parts, { interval: 'quarter_hour', sumToGrain: true })).toEqual([spike(21, 400)])
})

test('the command warns of such counts, lists up to twenty, and refuses the file with --refuse-implausible', async () => {
  const command = ['import', 'impressions', '-', '--interval', 'hour']
  const text = (lines: readonly string[]) => [HEADER, ...lines].join('\n')
  await judge(usualDays(0, 20))
  const found = { sensor: 'S-1', day: date(20), value: 9999, usual: 40, grain: 'hour' }
  const refused = await world.runJson([...command, '--refuse-implausible'], text(rows(20, [9999, 40])))
  const reason = expect.stringMatching(/^sensor "S-1" has 9999 in one hour on .*leave out --refuse-implausible/)
  const files = [{ read: 2, not_stored: 2, refused: true, faults: [{ line: null, reason }] }]
  expect(refused).toMatchObject({ code: 1, document: { files, implausible: [found] } })
  for (const options of [['--dry-run'], []]) {
    expect(await world.days()).toHaveLength(20)
    const document = { total: { stored: 1 }, implausible: [found], implausible_total: 1 }
    expect(await world.runJson([...command, ...options], text(rows(20, [9999])))).toMatchObject({ code: 0, document })
  }
  const usual = await world.runJson(command, text(rows(21, [40])))
  expect(usual.document).toMatchObject({ implausible: [], implausible_total: 0 })
  const { code, stderr } = await world.run(command, text([...usualDays(60, 74), ...spikes(25)]))
  expect([code, stderr.trimEnd().split('\n').length]).toEqual([0, 21])
  expect(stderr).toMatch(
    /^-: warning: sensor "S-1" has 9999 in one hour .*\n-: warning: and 5 more days with such counts\n$/s,
  )
})

/** Days of which every ninth one has a count that is far too high. */
const spikes = (count: number) =>
  Array.from({ length: count }, (_, i) => [...usualDays(75 + 9 * i, 83 + 9 * i), ...rows(83 + 9 * i, [9999])]).flat()
