import { type Form, Forms, series } from '../../support/forms'

jest.setTimeout(120_000)

/** A file of one of the kinds of forms, with other delimiters, grains, orders and lengths than the examples have. */
type Kind = Form & { rows: string[] }

const DAY = '2026-02-10T00:00:00+01:00'
const NOON = '2026-02-10T12:00:00+01:00'
const SUMMER = '2026-07-14T02:00:00+02:00'
const COLUMNS = '--set sensor=S-1 --map start=ts --map impressions=Count'
const RANGE = { refused: /looks? like a range[\s\S]*--time-format range/, further: '--time-format range' }

const two = (number: number): string => String(number).padStart(2, '0')
/** `HH:mm`; 24:00 is the end of the day. */
const clock = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`

const counts = (length: number): number[] => Array.from({ length }, (_, i) => 11 + 7 * i)

/** Returns rows behind a header `ts,Count`, with these counts. */
const rows = (length: number, time: (i: number) => string, delimiter = ','): string[] => [
  `ts${delimiter}Count`,
  ...counts(length).map((count, i) => `${time(i)}${delimiter}${count}`),
]
const right = (start: string, minutes: number, length: number) => ({ 'S-1': series(start, minutes, ...counts(length)) })
/** Returns what sums of so many counts each are. */
const sums = (start: string, minutes: number, length: number, parts: number) => {
  const summed = Array.from({ length: length / parts }, (_, i) =>
    counts(length)
      .slice(i * parts, (i + 1) * parts)
      .reduce((sum, count) => sum + count),
  )
  return { 'S-1': series(start, minutes, ...summed) }
}
const swapped = ([header = '', ...others]: string[]): string[] => [
  header,
  ...others.map((_, i) => others[(i * 5 + 3) % others.length] as string),
]

const at = (minutes: number, i: number, from = 720) => `2026-02-10 ${clock(from + minutes * i)}`
const range = (minutes: number, i: number, dash: string) =>
  `2026-02-10 ${clock(720 + minutes * i)}${dash}${clock(720 + minutes * (i + 1))}`

const KINDS: Record<string, Kind> = {
  'ranges of quarter hours, with tabs': {
    ...RANGE,
    rows: rows(8, i => range(15, i, '-'), '\t'),
    grain: 'quarter_hour',
    options: COLUMNS,
    right: right(NOON, 15, 8),
  },
  'ranges of hours with blanks around the dash, shuffled': {
    ...RANGE,
    // No option is proposed for rows without an order.
    refused: /looks? like a range/,
    rows: swapped(rows(7, i => range(60, i, ' - '))),
    options: COLUMNS,
    right: right(NOON, 60, 7),
  },
  'ranges of hours until midnight': {
    refused: /looks? like a range/,
    further: "--time-format 'dd.MM.yyyy range'",
    rows: rows(6, i => `10.02.2026 ${clock(1080 + 60 * i)}-${clock(1140 + 60 * i)}`, ';'),
    options: COLUMNS,
    right: right('2026-02-10T18:00:00+01:00', 60, 6),
  },
  'a logger at winter time all year': {
    rows: rows(6, i => `2026-07-14T0${1 + i}:00:00+01:00`),
    options: COLUMNS,
    right: right(SUMMER, 60, 6),
  },
  'a logger at UTC, with +00': {
    rows: rows(6, i => `2026-07-14 0${i}:00:00+00`, ';'),
    options: COLUMNS,
    right: right(SUMMER, 60, 6),
  },
  'five minutes, of a sensor of minutes': {
    rows: rows(12, i => at(5, i)),
    grain: 'minute',
    options: COLUMNS,
    refused: /finest_grain quarter_hour/,
  },
  'five minutes, added up to quarter hours, shuffled': {
    rows: swapped(rows(12, i => at(5, i))),
    grain: 'quarter_hour',
    options: COLUMNS,
    refused: /--sum-to-grain/,
    further: '--sum-to-grain',
    right: sums(NOON, 15, 12, 3),
  },
  'four hours, of a sensor of hours': {
    rows: rows(6, i => at(240, i, 0)),
    options: COLUMNS,
    refused: /finest_grain day/,
  },
  'four hours, added up to a day': {
    rows: rows(6, i => at(240, i, 0), ';'),
    grain: 'day',
    options: `${COLUMNS} --sum-to-grain`,
    right: sums(DAY, 1440, 6, 6),
  },
  'twenty minutes, of a sensor of quarter hours': {
    rows: rows(9, i => at(20, i)),
    grain: 'quarter_hour',
    options: `${COLUMNS} --sum-to-grain`,
    refused: /./,
  },
  'twenty minutes, added up to hours': {
    rows: rows(9, i => at(20, i)),
    options: `${COLUMNS} --sum-to-grain`,
    right: sums(NOON, 60, 9, 3),
  },
  'months, of a sensor of days': {
    rows: rows(5, i => `2026-0${1 + i}-01`),
    grain: 'day',
    options: COLUMNS,
    refused: /./,
  },
  'hours from 1 to 24 that name their ends': {
    rows: rows(5, i => `10.02.2026 ${20 + i}`, ';'),
    options: `${COLUMNS} --time-format 'dd.MM.yyyy k' --stamps end`,
    right: right('2026-02-10T19:00:00+01:00', 60, 5),
  },
  'ends of quarter hours until the midnight of the next day': {
    rows: rows(4, i => (i === 3 ? '2026-02-11 00:00' : at(15, i, 1395))),
    grain: 'quarter_hour',
    options: `${COLUMNS} --stamps end`,
    right: right('2026-02-10T23:00:00+01:00', 15, 4),
  },
  'ends of quarter hours until 24:00': {
    rows: rows(4, i => at(15, i, 1395)),
    grain: 'quarter_hour',
    options: COLUMNS,
    refused: /--stamps end/,
    further: '--stamps end',
    right: right('2026-02-10T23:00:00+01:00', 15, 4),
  },
  'a.m. and p.m. day first': {
    rows: rows(6, i => `13/02/2026 ${10 + i > 12 ? i - 2 : 10 + i}:00 ${10 + i < 12 ? 'a.m.' : 'p.m.'}`),
    options: COLUMNS,
    refused: /./,
    right: right('2026-02-13T10:00:00+01:00', 60, 6),
  },
  'three columns of counts that are added up, with empty parts': {
    rows: ['ts;A;B;C', ...[0, 1, 2, 3].map(i => `${at(60, i)};${i === 2 ? '' : 5};${10 + i};1`)],
    options: '--set sensor=S-1 --map start=ts --sum impressions=A+B+C',
    refused: /--missing ''/,
    further: "--missing ''",
    right: { 'S-1': series(NOON, 60, 16, 17, 13, 19) },
  },
  'joined counts with separators of thousands': {
    rows: ['ts;In;Out', ...[8, 9, 10].map((count, i) => `${at(60, i)};${count};1${two(count)}`)],
    options: '--set sensor=S-1 --map start=ts --map impressions=In+Out',
    refused: /--sum impressions=In\+Out/,
    right: { 'S-1': series(NOON, 60, 116, 118, 120) },
  },
  'every row three times, far from each other': {
    rows: ['ts,Count', ...[0, 1, 2].flatMap(() => counts(5).map((count, i) => `2025-10-26 0${i}:00,${count}`))],
    options: COLUMNS,
    refused: /--repeated-hour/,
    further: '--repeated-hour first',
    right: {
      'S-1': [
        ...series('2025-10-26T00:00:00+02:00', 60, 11, 18, 25),
        ...series('2025-10-26T03:00:00+01:00', 60, 32, 39),
      ],
    },
  },
  'both passes of the repeated hour, with equal counts': {
    rows: ['ts;Count', ...[1, 2, 2, 3].map(hour => `2025-10-26 0${hour}:00;40`)],
    options: COLUMNS,
    right: {
      'S-1': [...series('2025-10-26T01:00:00+02:00', 60, 40, 40), ...series('2025-10-26T02:00:00+01:00', 60, 40, 40)],
    },
  },
  'quarter hours across, of two sensors': {
    rows: ['Site;Day;12:00;12:15;12:30;12:45', 'S-1;10.02.2026;11;18;25;32', 'S-2;10.02.2026;5;;7;8'],
    grain: 'quarter_hour',
    sensors: ['S-1', 'S-2'],
    options: '--map sensor=Site --map start=Day --across --time-format dd.MM.yyyy',
    right: { 'S-1': series(NOON, 15, 11, 18, 25, 32), 'S-2': series(NOON, 15, 5, null, 7, 8) },
  },
  'hours across with a clock of 12 hours': {
    rows: ['Station,Date,10:00 AM,11:00 AM,12:00 PM,1:00 PM', 'S-1,2026-02-10,11,18,25,32'],
    options: '--map sensor=Station --map start=Date --across',
    right: right('2026-02-10T10:00:00+01:00', 60, 4),
  },
  'ranges across': {
    rows: ['Station,Date,12:00-13:00,13:00-14:00,14:00-15:00', 'S-1,2026-02-10,11,18,25'],
    options: '--map sensor=Station --map start=Date',
    refused: /--across/,
    further: '--across',
    right: right(NOON, 60, 3),
  },
  'numbers of hours, shuffled': {
    rows: swapped(['Date|Hour|Count', ...counts(7).map((count, i) => `2026-02-10|${12 + i}|${count}`)]),
    options: '--set sensor=S-1 --map start=Date+Hour --map impressions=Count --interval-number hour',
    right: right(NOON, 60, 7),
  },
  'numbers of minutes from 1': {
    rows: ['Date,No,Count', ...counts(5).map((count, i) => `10/02/2026,${721 + i},${count}`)],
    grain: 'minute',
    options:
      '--set sensor=S-1 --map start=Date+No --map impressions=Count --interval-number minute --first-interval 1 --time-format dd/MM/yyyy',
    right: right(NOON, 1, 5),
  },
  'the number of a quarter hour above 95': {
    rows: ['Date,No,Count', ...counts(4).map((count, i) => `2026-02-10,${93 + i},${count}`)],
    grain: 'quarter_hour',
    options: '--set sensor=S-1 --map start=Date+No --map impressions=Count --interval-number quarter_hour',
    refused: /from 0 to 95/,
    further: '--first-interval 1',
    right: right('2026-02-10T23:00:00+01:00', 15, 4),
  },
  'stations by number in a wide file': {
    rows: ['ts;1;2', ...counts(3).map((count, i) => `${at(60, i)};${count};${count + 100}`)],
    sensors: ['J1', 'J2', '1', '2'],
    options: `--map start=ts --wide --serial '*=J*'`,
    right: { J1: series(NOON, 60, 11, 18, 25), J2: series(NOON, 60, 111, 118, 125) },
  },
  'short rows of a long file': {
    rows: ['Station,ts,Count', 'S-1,2026-02-10 12:00,11', 'S-1,2026-02-10 13:00', 'S-1,2026-02-10 14:00,25'],
    options: '--map sensor=Station --map start=ts --map impressions=Count',
    refused: /--short-rows/,
    further: '--short-rows --interval hour',
    right: { 'S-1': series(NOON, 60, 11, null, 25) },
  },
  'times of another zone': {
    rows: rows(5, i => `2026-07-13 ${20 + i > 23 ? 0 : 20 + i}:00`.replace('13 0:', '14 00:')),
    options: `${COLUMNS} --time-zone America/New_York`,
    right: right(SUMMER, 60, 5),
  },
  'milliseconds since 1970, of a sensor of quarter hours': {
    rows: rows(5, i => String(1_783_987_200_000 + i * 900_000), ';'),
    grain: 'quarter_hour',
    options: `${COLUMNS} --time-format epoch-ms`,
    right: right(SUMMER, 15, 5),
  },
  'serial dates with a decimal comma': {
    rows: rows(5, i => (46_063 + (48 + i) / 96).toFixed(10).replace('.', ','), ';'),
    grain: 'quarter_hour',
    options: `${COLUMNS} --time-format excel --decimal ,`,
    right: right(NOON, 15, 5),
  },
  'serial dates of days': {
    rows: rows(5, i => String(46_063 + i)),
    grain: 'day',
    options: `${COLUMNS} --time-format excel`,
    right: right(DAY, 1440, 5),
  },
  'months in French': {
    rows: rows(5, i => `10 février 2026 ${12 + i}:00`, ';'),
    options: `${COLUMNS} --time-format 'd MMMM yyyy HH:mm' --language fr`,
    right: right(NOON, 60, 5),
  },
  'comments of another kind, behind the rows too': {
    rows: ['// by the city', ...rows(5, i => at(60, i), ';'), '// end; of file'],
    options: `${COLUMNS} --comment //`,
    right: right(NOON, 60, 5),
  },
  'midnight beside a column of hours with decimals': {
    rows: ['Date;Hour;Count', ...counts(5).map((count, i) => `2026-02-10 00:00:00;${12 + i}.0;${count}`)],
    options: `--set sensor=S-1 --map start=Date+Hour --map impressions=Count --time-format 'yyyy-MM-dd H'`,
    right: right(NOON, 60, 5),
  },
  'a constant behind a column': {
    rows: ['Day;Time;Count', ...counts(5).map((count, i) => `10;${clock(720 + 60 * i)};${count}`)],
    options: `--set sensor=S-1 --map start=Day+'.02.2026 '+Time --map impressions=Count --time-format 'dd.MM.yyyy HH:mm'`,
    right: right(NOON, 60, 5),
  },
  'an average with a decimal comma': {
    rows: ['ts;Count', `${at(60, 0)};11`, `${at(60, 1)};38,5`, `${at(60, 2)};12`],
    options: `${COLUMNS} --decimal ,`,
    refused: /38,5/,
  },
}

describe('further files of the same kinds', () => {
  let forms: Forms
  beforeAll(async () => {
    forms = await Forms.open()
  })
  afterAll(() => forms.close())

  test.each(Object.entries(KINDS))('%s', async (_, { rows, ...form }) => {
    await forms.check(rows.join('\n'), form)
  })
})
