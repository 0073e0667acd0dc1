import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { World } from '../support/world'

jest.setTimeout(120_000)

describe('times as files have them', () => {
  let world: World
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-times-'))
  const file = join(directory, 'counts.csv')
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(async () => {
    await world.stop()
    rmSync(directory, { recursive: true })
  })
  beforeEach(() => world.clear())

  const sensor = async (grain: 'hour' | 'quarter_hour' | 'day') => {
    const asset = await world.make.asset({ name: 'Platz', time_zone: 'Europe/Berlin' })
    await world.make.sensor({ asset, grain, serial: 'S-1', installed_at: '2017-01-01T00:00:00Z' })
  }
  /** Imports rows that have their count last, and returns what is stored as `DATE HH:MM=COUNT`, or the error. */
  const give = async (start: string, rows: readonly string[], options: readonly string[]) => {
    const columns = rows[0]!
      .split(';')
      .slice(0, -1)
      .map((_, i) => 'ABC'[i])
    writeFileSync(file, [[...columns, 'n'].join(';'), ...rows].join('\n'))
    const maps = ['--set', 'sensor=S-1', '--map', `start=${start}`, '--map', 'impressions=n']
    const { code, stderr } = await world.run(['import', 'impressions', file, ...maps, ...options])
    if (code !== 0) return stderr
    return (await world.days()).flatMap(({ date, counts }) =>
      counts.flatMap((count, i) => (count < 0 ? [] : [`${date} ${clock((i * 1440) / counts.length)}=${count}`])),
    )
  }
  const clock = (minute: number) =>
    [Math.floor(minute / 60), minute % 60].map(part => String(part).padStart(2, '0')).join(':')

  type Row = [what: string, grain: 'hour' | 'quarter_hour' | 'day', start: string, rows: string[], options: string[]]

  test.each<[...Row, string[]]>([
    [
      'hours from 1 to 24',
      'hour',
      'A+B',
      ['10.02.2026;1;5', '10.02.2026;24;6'],
      ['--time-format', 'dd.MM.yyyy', '--interval-number', 'hour', '--first-interval', '1'],
      ['2026-02-10 00:00=5', '2026-02-10 23:00=6'],
    ],
    [
      'hours from 1 to 24 that are ends',
      'hour',
      'A+B',
      ['10.02.2026;1;5', '10.02.2026;24;6'],
      ['--time-format', 'dd.MM.yyyy k', '--stamps', 'end'],
      ['2026-02-10 00:00=5', '2026-02-10 23:00=6'],
    ],
    [
      'hours from 0 with k',
      'hour',
      'A',
      ['10.02.2026 01;5', '10.02.2026 23;6'],
      ['--time-format', 'dd.MM.yyyy kk'],
      ['2026-02-10 01:00=5', '2026-02-10 23:00=6'],
    ],
    [
      'ends in ISO 8601',
      'hour',
      'A',
      ['2026-02-10 24:00;5', '2026-02-11T01:00:00;6'],
      ['--stamps', 'end'],
      ['2026-02-10 23:00=5', '2026-02-11 00:00=6'],
    ],
    [
      'numbers of quarter hours',
      'quarter_hour',
      'A+B',
      ['2026-02-10;0;5', '2026-02-10 00:00:00;95.0;6'],
      ['--interval-number', 'quarter_hour'],
      ['2026-02-10 00:00=5', '2026-02-10 23:45=6'],
    ],
    [
      'numbers of hours, added up to days',
      'day',
      'A+B',
      Array.from({ length: 24 }, (_, hour) => `2026-02-10;${hour};2`),
      ['--interval-number', 'hour', '--sum-to-grain'],
      ['2026-02-10 00:00=48'],
    ],
    [
      'UTC without Z',
      'hour',
      'A',
      ['2026-07-14 00:00:00;5', '2026-07-14 23:00;6', '2026-07-15 02:00+02:00;7'],
      ['--time-zone', 'UTC'],
      ['2026-07-14 02:00=5', '2026-07-15 01:00=6', '2026-07-15 02:00=7'],
    ],
    ...(['+01:00', '-05:00'] as const).map((offset): [string, 'hour', string, string[], string[], string[]] => [
      `times at ${offset} all year`,
      'hour',
      'A',
      ['2026-07-14 00:00;5', '2026-07-14 01:00;6'],
      ['--time-zone', offset],
      offset === '+01:00' ? ['2026-07-14 01:00=5', '2026-07-14 02:00=6'] : ['2026-07-14 07:00=5', '2026-07-14 08:00=6'],
    ]),
    [
      'times of another zone',
      'hour',
      'A',
      ['2026-07-14 00:00;5'],
      ['--time-zone', 'America/New_York'],
      ['2026-07-14 06:00=5'],
    ],
    [
      'ends in another zone',
      'hour',
      'A',
      ['2026-07-14 24:00;5'],
      ['--time-zone', 'America/New_York', '--stamps', 'end'],
      ['2026-07-15 05:00=5'],
    ],
    [
      'dates, whatever the zone of times',
      'day',
      'A',
      ['2026-07-14;5'],
      ['--time-zone', 'Asia/Tokyo'],
      ['2026-07-14 00:00=5'],
    ],
    [
      'seconds since 1970',
      'hour',
      'A',
      ['1783987200;5', '1783990800.0;6'],
      ['--time-format', 'epoch'],
      ['2026-07-14 02:00=5', '2026-07-14 03:00=6'],
    ],
    [
      'milliseconds since 1970',
      'hour',
      'A',
      ['1783987200000;5'],
      ['--time-format', 'epoch-ms'],
      ['2026-07-14 02:00=5'],
    ],
    [
      'serial dates of Excel',
      'hour',
      'A',
      ['46063.0416666667;5', '46063,5;6', '46064;7'],
      ['--time-format', 'excel'],
      ['2026-02-10 01:00=5', '2026-02-10 12:00=6', '2026-02-11 00:00=7'],
    ],
    [
      'names of months in German',
      'hour',
      'A',
      ['10. März 2026 08:00;5', '10. MÄRZ 2026 09:00;6'],
      ['--time-format', 'dd. MMMM yyyy HH:mm', '--language', 'de'],
      ['2026-03-10 08:00=5', '2026-03-10 09:00=6'],
    ],
    [
      'hours with decimals',
      'hour',
      'A+B',
      ['2026-02-10;8.0;5', '2026-02-10;23,0;6'],
      ['--time-format', 'yyyy-MM-dd H'],
      ['2026-02-10 08:00=5', '2026-02-10 23:00=6'],
    ],
    [
      'midnights beside hours',
      'hour',
      'A+B',
      ['2026-02-10 00:00:00;8;5', '2026-02-10T00:00:00.000;9.0;6'],
      ['--time-format', 'yyyy-MM-dd H'],
      ['2026-02-10 08:00=5', '2026-02-10 09:00=6'],
    ],
    ['midnights beside times in ISO 8601', 'hour', 'A+B', ['2026-02-10 00:00:00;08:00;5'], [], ['2026-02-10 08:00=5']],
  ])('are stored: %s', async (_, grain, start, rows, options, expected) => {
    await sensor(grain)
    expect(await give(start, rows, options)).toEqual(expected)
  })

  test.each<[...Row, RegExp]>([
    [
      'hour 24 of H',
      'hour',
      'A+B',
      ['10.02.2026;24;6'],
      ['--time-format', 'dd.MM.yyyy H'],
      /end of a day: give --stamps end .*; if hours are numbered from 1 to 24, --interval-number hour --first-interval 1/,
    ],
    ['24:00', 'hour', 'A', ['2026-02-10 24:00;6'], [], /"2026-02-10 24:00" is the end of a day: give --stamps end/],
    [
      'hour 0 of k',
      'hour',
      'A',
      ['10.02.2026 0;6'],
      ['--time-format', 'dd.MM.yyyy k'],
      /must be of the form dd.MM.yyyy k/,
    ],
    [
      'a number that no quarter hour has',
      'quarter_hour',
      'A+B',
      ['2026-02-10;96;6'],
      ['--interval-number', 'quarter_hour'],
      /"2026-02-10 96", but must be a date like .* and the number of a quarter hour from 0 to 95/,
    ],
    [
      'no number',
      'quarter_hour',
      'A+B',
      ['10.02.2026;;6'],
      ['--interval-number', 'quarter_hour'],
      /but must be a date/,
    ],
    [
      'number 0 where the first is 1',
      'hour',
      'A+B',
      ['2026-02-10;0;6'],
      ['--interval-number', 'hour', '--first-interval', '1'],
      /from 1 to 24/,
    ],
    [
      'numbers of another grain',
      'quarter_hour',
      'A+B',
      ['2026-02-10;0;6'],
      ['--interval-number', 'hour'],
      /covers one hour \(--interval-number\), but the sensor counts by the quarter hour/,
    ],
    ['numbered times', 'hour', 'A+B', ['2026-02-10 01:00;0;6'], ['--interval-number', 'hour'], /must be a date/],
    [
      'another time beside an hour',
      'hour',
      'A+B',
      ['2026-02-10 01:00:00;8;5'],
      ['--time-format', 'yyyy-MM-dd H'],
      /but must be of the form yyyy-MM-dd H/,
    ],
    [
      'two times',
      'hour',
      'A+B+C',
      ['2026-02-10;00:00;01:00;5'],
      ['--time-format', 'yyyy-MM-dd HH:mm'],
      /but must be of the form/,
    ],
    ['days of UTC', 'day', 'A', ['2026-02-10 00:00;5'], ['--time-zone', 'UTC'], /not the start of a day/],
    [
      'milliseconds as seconds',
      'hour',
      'A',
      ['1783987200000;5'],
      ['--time-format', 'epoch'],
      /must be of the form epoch/,
    ],
    [
      'a number of Excel that is an hour',
      'hour',
      'A',
      ['23;5'],
      ['--time-format', 'excel'],
      /must be of the form excel/,
    ],
    [
      'names of another language',
      'hour',
      'A',
      ['10. March 2026 08:00;5'],
      ['--time-format', 'd. MMMM yyyy HH:mm', '--language', 'de'],
      /must be of the form/,
    ],
    [
      'an unknown zone',
      'hour',
      'A',
      ['2026-02-10 00:00;5'],
      ['--time-zone', 'Berlin'],
      /--time-zone "Berlin" is not an IANA time zone like Europe\/Berlin, nor an offset like \+01:00/,
    ],
    [
      'an unknown language',
      'hour',
      'A',
      ['1. Mai 2026 08:00;5'],
      ['--time-format', 'd. MMM yyyy HH:mm', '--language', 'xx'],
      /--language "xx" is not a language/,
    ],
    [
      'a language without names',
      'hour',
      'A',
      ['2026-02-10 00:00;5'],
      ['--language', 'de'],
      /--language is for the names/,
    ],
    [
      'a first number without numbers',
      'hour',
      'A',
      ['2026-02-10 00:00;5'],
      ['--first-interval', '1'],
      /--first-interval is for --interval-number/,
    ],
    ['a number without a date', 'hour', 'A', ['0;5'], ['--interval-number', 'hour'], /--map start=Date\+Interval/],
    [
      'a number and a time',
      'hour',
      'A+B',
      ['2026-02-10;0;5'],
      ['--interval-number', 'hour', '--time-format', 'yyyy-MM-dd HH'],
      /has a time, which --interval-number gives/,
    ],
    [
      'numbered ends',
      'hour',
      'A+B',
      ['2026-02-10;0;5'],
      ['--interval-number', 'hour', '--stamps', 'end'],
      /leave out --stamps end/,
    ],
  ])('are refused: %s', async (_, grain, start, rows, options, reason) => {
    await sensor(grain)
    expect(await give(start, rows, options)).toMatch(reason)
    expect(await world.days()).toEqual([])
  })

  test('of a repeated hour of another zone are in its order', async () => {
    await sensor('hour')
    const rows = ['00:00;1', '01:00;2', '01:00;3', '02:00;4'].map(row => `2025-11-02 ${row}`)
    expect(await give('A', rows, ['--time-zone', 'America/New_York'])).toEqual(
      ['05:00=1', '06:00=2', '07:00=3', '08:00=4'].map(hour => `2025-11-02 ${hour}`),
    )
    expect(await give('A', ['2025-11-02 01:00;5'], ['--time-zone', 'America/New_York'])).toMatch(/only once/)
    expect(await give('A', ['2026-03-08 02:00;5'], ['--time-zone', 'America/New_York'])).toMatch(/skips/)
    // The hour that Berlin repeats is none in UTC.
    const utc = ['2025-10-26 00:00;7', '2025-10-26 01:00;8']
    expect(await give('A', utc, ['--time-zone', 'UTC'])).toHaveLength(6)
    expect((await world.days())[0]?.counts.slice(1, 5)).toEqual([-1, 7, 8, -1])
  })

  test('across may be beside midnights', async () => {
    await sensor('hour')
    writeFileSync(file, 'sensor,start,00:00,01:00\nS-1,2026-02-10 00:00:00,5,6\n')
    expect((await world.run(['import', 'impressions', file, '--across'])).stderr).toBe('')
    expect((await world.days())[0]?.counts.slice(0, 3)).toEqual([5, 6, -1])
  })

  test('are kept by profiles', async () => {
    await sensor('hour')
    const profile = join(directory, 'profile.json')
    const options = ['--interval-number', 'hour', '--first-interval', '1', '--time-zone', 'UTC', '--stamps', 'start']
    await give('A+B', ['2026-02-10;1;5'], [...options, '--profile', profile])
    expect(JSON.parse(readFileSync(profile, 'utf8'))).toMatchObject({
      'interval-number': 'hour',
      'first-interval': '1',
      'time-zone': 'UTC',
      stamps: 'start',
    })
    expect(await give('A+B', ['2026-02-10;2;6'], ['--profile', profile])).toEqual([
      '2026-02-10 01:00=5',
      '2026-02-10 02:00=6',
    ])
  })

  test('of health checks may be those of another zone', async () => {
    await sensor('hour')
    writeFileSync(file, 'sensor,checked_at,status\nS-1,2026-02-10 08:00,healthy\n')
    expect((await world.run(['import', 'health', file, '--time-zone', 'Asia/Tokyo'])).code).toBe(0)
    const [row] = await world.rows('SELECT health_checked_at AS at FROM sensors')
    expect(row?.at).toBe('2026-02-09T23:00:00Z')
  })
})
