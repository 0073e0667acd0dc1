import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportOptions } from '../../imports/import-file'
import { stored } from '../support/outcomes'
import { World } from '../support/world'

const FORMS = join(__dirname, '..', '..', '..', 'shared', 'data', 'forms')

type Grain = 'hour' | 'quarter_hour'

const LOOKS_LIKE_RANGE = / looks like a range of times, .*: --time-format range reads the start of each$/
const RANGE = { timeFormat: ['range'] } as const

const two = (number: number): string => String(number).padStart(2, '0')
const hours = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
/** Returns a row for each hour. */
const ranges = (date: string, from: number, to: number): string[] =>
  hours(from, to).map(hour => `${date} ${two(hour)}:00-${two((hour + 1) % 24)}:00,${hour}`)

describe('a time with an offset', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(() => world.clear())

  const sensorIn = async (zone: string, grain: Grain = 'hour') => {
    const asset = await world.make.asset({ name: 'Platz', time_zone: zone })
    await world.make.sensor({ asset, serial: 'S-1', grain, installed_at: '2010-01-01T00:00:00Z' })
  }
  const give = (rows: readonly string[], options: ImportOptions = {}) =>
    world.import('impressions', ['start,impressions', ...rows], { set: [['sensor', 'S-1']], ...options })
  /** Counts by local date and interval. */
  const counts = async () =>
    (await world.days()).map(
      ({ date, counts: all }) =>
        `${date}: ${[...all.entries()].flatMap(([i, count]) => (count < 0 ? [] : [`${i}=${count}`])).join(' ')}`,
    )

  test.each<[string, string, Grain, string[], ImportOptions?]>([
    ['a range of hours', 'Europe/Berlin', 'hour', ['2026-02-10 08:00-09:00,1']],
    ['a range of hours without blank', 'Europe/Berlin', 'hour', ['2026-02-10T08:00-09:00,1']],
    ['a range of quarters', 'Europe/Berlin', 'quarter_hour', ['2026-02-10 08:00-08:15,1']],
    [
      'a range of quarters that are added up',
      'Europe/Berlin',
      'hour',
      ['2026-02-10 08:00-08:15,1'],
      { sumToGrain: true },
    ],
    [
      'a range after others that may be offsets',
      'America/New_York',
      'hour',
      ['2026-07-10 03:00-04:00,1', '2026-07-10 12:00-13:00,2'],
    ],
    ['one of two ranges that may be offsets', 'America/New_York', 'hour', ranges('2026-07-10', 3, 5)],
    ['one of two ranges in descending order', 'America/New_York', 'hour', ranges('2026-07-10', 3, 5).reverse()],
    [
      'one of three offsets of a day',
      'Europe/Berlin',
      'hour',
      ['2026-02-10 23:00-01:00,1', '2026-02-10 23:00-02:00,1', '2026-02-10 23:00-03:00,1'],
    ],
    [
      'a range that a format reads',
      'Europe/Berlin',
      'hour',
      ['2026-02-10 0800-0900,1'],
      { timeFormat: ['yyyy-MM-dd HHmmXX'] },
    ],
    ['a range with a short end', 'Europe/Berlin', 'hour', ['2026-02-10 08:00-09,1']],
  ])('is none for %s: the file is refused', async (_, zone, grain, rows, options = {}) => {
    await sensorIn(zone, grain)
    for (const skipFaulty of [false, true]) {
      const { stored: count, errors } = await give(rows, { ...options, skipFaulty })
      expect([count, errors]).toEqual([0, [expect.stringMatching(LOOKS_LIKE_RANGE)]])
      expect(errors[0]).toMatch(new RegExp(`^${rows.length + 1}: start "2026`))
    }
    expect(await world.days()).toEqual([])
  })

  test('is found in a file by hours, whose days come again', async () => {
    await sensorIn('America/New_York')
    const days = hours(10, 28).map(day => `2026-07-${day}`)
    const rows = hours(0, 24).flatMap(hour => days.flatMap(day => ranges(day, hour, hour + 1)))
    expect((await give(rows)).errors).toEqual([expect.stringMatching(LOOKS_LIKE_RANGE)])
    expect(await give(rows, RANGE)).toEqual(stored(24 * 18))
    expect((await counts())[0]).toBe(
      `2026-07-10: ${hours(0, 24)
        .map(hour => `${hour}=${hour}`)
        .join(' ')}`,
    )
  })

  test.each<[string, string, string[]]>([
    ['UTC', 'America/New_York', hours(0, 24).map(hour => `2026-07-10 ${two(hour)}:00:00 +0000,${hour}`)],
    ['UTC in short', 'Asia/Kolkata', hours(0, 24).map(hour => `2026-07-10 ${two(hour)}:30:00+00,${hour}`)],
    ['winter time in summer', 'America/New_York', hours(0, 24).map(hour => `2026-07-10T${two(hour)}:00-05:00,${hour}`)],
    ['summer time', 'America/New_York', hours(0, 24).map(hour => `2026-07-10T${two(hour)}:00-04:00,${hour}`)],
    [
      'the two offsets of a clock change, and UTC',
      'America/New_York',
      ['2026-11-01T01:00-04:00,1', '2026-11-01T01:00-05:00,2', '2026-11-01T04:00-05:00,3', '2026-11-01T08:00Z,4'],
    ],
    [
      'another place, if it cannot be a range',
      'Europe/Berlin',
      hours(8, 24).map(hour => `2026-07-10T${two(hour)}:00-08:00,${hour}`),
    ],
  ])('is one if it is %s', async (_, zone, rows) => {
    await sensorIn(zone)
    expect(await give(rows)).toEqual(stored(rows.length))
    const first = Date.parse(
      (rows[0] as string)
        .split(',')[0]
        ?.replace(/ \+0000|\+00$/, 'Z')
        .replace(' ', 'T') as string,
    )
    const [at] = await world.rows(`SELECT min(date)::text AS date FROM sensor_days`)
    expect(at?.date).toBe(new Date(first).toLocaleDateString('sv', { timeZone: zone }))
  })

  describe.each<[string, string, string[]]>([
    ['range-colon.csv', 'Date+Time', ['8=23 9=32 10=41 11=50 12=59 13=68']],
    ['range-compact.csv', 'Date+Time', ['8=23 9=32 10=41 11=50 12=59 13=68']],
    ['range-in-one-column.csv', 'ts', []],
    ['offset-blank.csv', 'ts', ['2=23 3=32 4=41 5=50 6=59']],
    // Its date is 2/10: nothing shows whether that is in February.
    ['am-pm-dots.csv', 'ts', []],
  ])('in the published form %s', (name, start, expected) => {
    const path = join(FORMS, name)
    if (!existsSync(path)) return test.skip('is not here', () => {})
    const options: ImportOptions = {
      set: [['sensor', 'S-1']],
      map: [
        ['start', start],
        ['impressions', 'Count'],
      ],
    }
    test('is stored as it is meant', async () => {
      await sensorIn('Europe/Berlin')
      let hint = ''
      const first = await world.import('impressions', readFileSync(path), {
        ...options,
        onHint: text => {
          hint = text
        },
      })
      const proposed = /--time-format (?:'(.*?)'|(range))/.exec([...first.errors, hint].join('\n'))
      if (name.startsWith('range')) {
        expect([...first.errors, hint].join('\n')).toMatch(/looks like a range.*--time-format range/s)
        const format = { timeFormat: ['yyyy-MM-dd HHmmXX'] }
        expect((await world.import('impressions', readFileSync(path), { ...options, ...format })).stored).toBe(0)
      }
      if (proposed) {
        const timeFormat = [proposed[1] ?? (proposed[2] as string)]
        expect((await world.import('impressions', readFileSync(path), { ...options, timeFormat })).rejected).toBe(0)
      }
      const all = (await counts()).map(day => day.replace(/^.*?: /, ''))
      if (expected.length > 0) expect(all).toEqual(expected)
    })
  })
})
