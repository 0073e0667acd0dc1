import type { ImplausibleDay, ImplausibleDays } from '../../imports/counts/count-options'
import type { ImportOptions } from '../../imports/import-file'
import type { NativeGrain } from '../../schema/generated'
import { World } from '../support/world'

/** The date that is so many days after 2026-01-01. */
const date = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)

/** Rows of one day: the counts of its first hours. */
const rows = (day: number, counts: readonly number[], sensor = 'S-1'): string[] =>
  counts.map((count, hour) => `${sensor},${date(day)} ${String(hour).padStart(2, '0')}:00,${count}`)

/** Days alike, whose greatest count is 40 and whose total is 100. */
const usualDays = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => rows(from + i, [0, 40, 25, 35])).flat()

const HEADER = 'sensor,start,impressions'

describe('counts far above what a sensor ever had', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.clear()
    await add('S-1', 'hour')
  })

  const add = async (serial: string, grain: NativeGrain) => {
    await world.make.together(async make => {
      const asset = await make.asset({ name: serial, time_zone: 'Europe/Berlin' })
      await make.sensor({ asset, serial, grain, installed_at: '2020-01-01T00:00:00Z' })
    })
  }

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

  const tooHigh = `S-1 ${date(14)}: 251 in one hour, usual 40`
  test.each<[string, string[], string[], string[]]>([
    ['an interval above 5 times the greatest and 50', usualDays(0, 14), rows(14, [251]), [tooHigh]],
    ['none that is just as high', usualDays(0, 14), rows(14, [250]), []],
    [
      'a day above 3 times the greatest',
      usualDays(0, 14),
      rows(14, [101, 100, 100]),
      [`S-1 ${date(14)}: 301 in one day, usual 100`],
    ],
    ['no day that is just as high', usualDays(0, 14), rows(14, [100, 100, 100]), []],
    ['nothing while the history is shorter than 14 days', usualDays(0, 13), rows(14, [9999]), []],
    [
      'nothing after nothing but zeros',
      Array.from({ length: 20 }, (_, i) => rows(i, [0, 0])).flat(),
      rows(20, [9999]),
      [],
    ],
    ['nothing because of days more than 56 days before', usualDays(0, 14), rows(57, [9999]), []],
    [
      'what is above all days of the 56 before',
      usualDays(0, 14),
      rows(56, [9999]),
      [`S-1 ${date(56)}: 9999 in one hour, usual 40`],
    ],
    ['none of the days before the history', usualDays(30, 60), rows(29, [9999]), []],
    [
      'each spike, though others are in its history',
      [...usualDays(0, 14), ...rows(14, [9999]), ...usualDays(15, 20), ...rows(20, [9998])],
      rows(21, [9997]),
      [14, 20, 21].map((day, i) => `S-1 ${date(day)}: ${9999 - i} in one hour, usual 40`),
    ],
    [
      'what recurs until it is usual after seven days',
      usualDays(0, 14),
      [14, 15, 16, 17, 18, 19, 20, 21].flatMap(day => rows(day, [1000])),
      [14, 15, 16, 17, 18, 19, 20].map(day => `S-1 ${date(day)}: 1000 in one hour, usual 40`),
    ],
    [
      'a small count beside zeros by the day that is usual',
      [...Array.from({ length: 20 }, (_, i) => rows(i, [0])).flat(), ...rows(20, [9])],
      rows(21, [28]),
      [`S-1 ${date(21)}: 28 in one day, usual 9`],
    ],
  ])('names %s', async (_, history, lines, expected) => {
    const both = await judge([...history, ...lines].reverse())
    expect(both).toEqual(expected)
    await world.rows('DELETE FROM sensor_days')
    const first = await judge(history)
    const second = await judge(lines)
    expect([...first, ...second]).toEqual(expected)
    expect(await judge([...history, ...lines])).toEqual([])
  })

  test('of one sensor are not compared with those of another, or of its former grain', async () => {
    await add('S-2', 'hour')
    await judge(usualDays(0, 20))
    expect(await judge(rows(20, [9999], 'S-2'))).toEqual([])
    await world.rows('UPDATE sensor_days SET native_minutes = 15, counts = $1', [Buffer.alloc(96, 9)])
    expect(await judge(rows(21, [9999]))).toEqual([])
  })

  test('are named once, by the file that brings them', async () => {
    await judge(usualDays(0, 20))
    const spike = [`S-1 ${date(20)}: 9999 in one hour, usual 40`]
    const day = rows(20, [10, 9999, 10, 10])
    expect(await judge(day.slice(0, 1))).toEqual([])
    expect(await judge(day.slice(0, 2))).toEqual(spike)
    expect(await judge(day)).toEqual([])
    const more = rows(20, [10, 9999, 10, 10, 8888])
    expect(await judge(more)).toEqual([`S-1 ${date(20)}: 8888 in one hour, usual 40`])
  })

  test('are named of intervals whose counts are added up', async () => {
    await judge(usualDays(0, 20))
    const parts = ['00', '15', '30', '45'].map(minute => `S-1,${date(20)} 00:${minute},100`)
    const found = await judge(parts, { interval: 'quarter_hour', sumToGrain: true })
    expect(found).toEqual([`S-1 ${date(20)}: 400 in one hour, usual 40`])
  })

  test('are named in a minute, and in a daily count', async () => {
    await add('M-1', 'minute')
    await add('D-1', 'day')
    const minutes = (day: number, count: number) => [8, 3, count].map((n, i) => `M-1,${date(day)} 08:0${i},${n}`)
    const lines = Array.from({ length: 20 }, (_, i) => [...minutes(i, 12), `D-1,${date(i)},${500 + i}`]).flat()
    const found = await judge([...lines, ...minutes(20, 9999), `D-1,${date(20)},1558`], {})
    expect(found).toEqual([
      `M-1 ${date(20)}: 9999 in one minute, usual 12`,
      `D-1 ${date(20)}: 1558 in one day, usual 519`,
    ])
  })

  describe('by the command', () => {
    const importAll = async (lines: readonly string[], ...options: string[]) =>
      world.runJson(['import', 'impressions', '-', ...options], [HEADER, ...lines].join('\n'))
    const spike = { sensor: 'S-1', day: date(20), value: 9999, usual: 40, grain: 'hour' }

    test.each([[[]], [['--dry-run']]])('are a warning with %j', async options => {
      await judge(usualDays(0, 20))
      const { code, document } = await importAll(rows(20, [9999]), '--interval', 'hour', ...options)
      expect(code).toBe(0)
      expect(document).toMatchObject({ total: { stored: 1 }, implausible: [spike], implausible_total: 1 })
      expect(await world.days()).toHaveLength(options.length === 0 ? 21 : 20)
      const usual = await importAll(rows(21, [40]), '--interval', 'hour', ...options)
      expect(usual.document).toMatchObject({ implausible: [], implausible_total: 0 })
    })

    test('refuse the file with --refuse-implausible', async () => {
      await judge(usualDays(0, 20))
      const { code, document } = await importAll([...rows(20, [9999]), ...rows(21, [40, 300])], '--refuse-implausible')
      expect(code).toBe(1)
      const message = `sensor "S-1" has 9999 in one hour on ${date(20)}, where at most 40 is usual (and 1 more such days)`
      expect(document).toMatchObject({
        files: [{ read: 3, not_stored: 3, refused: true, faults: [{ line: null }] }],
        implausible: [spike, { day: date(21), value: 300 }],
      })
      expect(document.files[0].faults[0].reason).toBe(
        `${message}: correct the file, or leave out --refuse-implausible to store it with a warning`,
      )
      expect(await world.days()).toHaveLength(20)
    })

    test('are printed up to twenty', async () => {
      for (let i = 0; i < 25; i++) await add(`T-${i}`, 'hour')
      const sensors = Array.from({ length: 25 }, (_, i) => `T-${i}`)
      const history = sensors.flatMap(sensor => Array.from({ length: 14 }, (_, i) => rows(i, [3, 4, 5], sensor)).flat())
      const input = [HEADER, ...history, ...sensors.flatMap(sensor => rows(14, [5, 999, 4], sensor))].join('\n')
      const { code, stderr } = await world.run(['import', 'impressions', '-'], input)
      expect(code).toBe(0)
      const lines = stderr.trimEnd().split('\n')
      expect(lines).toHaveLength(21)
      expect(lines[0]).toBe(`-: warning: sensor "T-0" has 999 in one hour on ${date(14)}, where at most 5 is usual`)
      expect(lines[20]).toBe('-: warning: and 5 more days with such counts')
    })
  })
})
