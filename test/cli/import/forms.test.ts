import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Counts, type Form, Forms, series } from '../../support/forms'
import { rounds } from '../../support/rounds'

jest.setTimeout(120_000)

const FOLDER = join(__dirname, '..', '..', '..', '..', 'shared', 'data', 'forms')
const present = existsSync(FOLDER)
if (!present) console.warn('The small files of forms are not there: their tests are skipped.')

const steps = (count: number): number[] => Array.from({ length: count }, (_, i) => 23 + 9 * i)
const hours = (start: string, count: number): Counts => ({ 'S-1': series(start, 60, ...steps(count)) })
const MORNING = '2026-02-10T08:00:00+01:00'
const EVENING = '2026-02-10T19:00:00+01:00'
const SUMMER = '2026-07-14T02:00:00+02:00'

const COLUMNS = '--set sensor=S-1 --map start=ts --map impressions=Count'
const DATE_TIME = '--set sensor=S-1 --map start=Date+Time --map impressions=Count'
const RANGE = {
  options: DATE_TIME,
  refused: /looks? like a range[\s\S]*--time-format range/,
  further: '--time-format range',
}
const DATE_HOUR = '--set sensor=S-1 --map start=Date+Hour --map impressions=Count'
const SUM_TO_GRAIN = { options: `${COLUMNS} --sum-to-grain` }

/** The files of the folder, by name; further ones with the same content behind a `#`. */
const FORMS: Record<string, Form> = {
  'range-colon.csv': { ...RANGE, right: hours(MORNING, 6) },
  'range-compact.csv': { ...RANGE, right: hours(MORNING, 6) },
  'range-compact.csv#offset': {
    options: `${DATE_TIME} --time-format 'yyyy-MM-dd HHmmXX'`,
    refused: /looks? like a range/,
    right: hours(MORNING, 6),
  },
  'range-in-one-column.csv': { ...RANGE, options: COLUMNS, right: hours(MORNING, 5) },
  'offset-blank.csv': { options: COLUMNS, right: hours(SUMMER, 5) },
  'half-hours.csv': { grain: 'quarter_hour', options: COLUMNS, refused: /finest_grain hour/ },
  'half-hours.csv#sum': { ...SUM_TO_GRAIN, right: { 'S-1': series(MORNING, 60, 55, 91, 127, 163) } },
  'two-hours.csv': { options: COLUMNS, refused: /finest_grain day/ },
  'two-hours.csv#sum': { ...SUM_TO_GRAIN, grain: 'day', right: { 'S-1': ['2026-02-10T00:00:00+01:00=870'] } },
  'weeks.csv': { grain: 'day', options: COLUMNS, refused: /week|7 days/ },
  'ten-minutes.csv': { grain: 'quarter_hour', options: COLUMNS, refused: /not the start of a quarter hour/ },
  'ten-minutes.csv#sum': { ...SUM_TO_GRAIN, grain: 'quarter_hour', refused: /./ },
  'ten-minutes.csv#hour': { ...SUM_TO_GRAIN, right: { 'S-1': series(MORNING, 60, 273, 597) } },
  'sparse.csv': {
    grain: 'quarter_hour',
    options: COLUMNS,
    right: {
      'S-1': series(
        MORNING,
        15,
        23,
        32,
        ...[null, null, null, null],
        41,
        ...Array(5).fill(null),
        50,
        null,
        null,
        null,
        59,
      ),
    },
  },
  'hours-to-24.csv': { options: `${DATE_HOUR} --time-format 'dd.MM.yyyy H'`, refused: /24/, right: hours(EVENING, 5) },
  'hours-to-24.csv#number': {
    options: `${DATE_HOUR} --time-format dd.MM.yyyy --interval-number hour --first-interval 1`,
    right: hours(EVENING, 5),
  },
  'stamps-end.csv': { options: COLUMNS, refused: /--stamps end/, further: '--stamps end', right: hours(EVENING, 5) },
  'am-pm-dots.csv': { options: COLUMNS, refused: /./, right: hours('2026-02-10T10:00:00+01:00', 8) },
  'in-out.csv': {
    options: '--set sensor=S-1 --map start=ts --map impressions=In+Out',
    refused: /--sum impressions=In\+Out/,
    right: { 'S-1': series(MORNING, 60, 130, 139, 148, 157, 166) },
  },
  'in-out.csv#sum': {
    options: '--set sensor=S-1 --map start=ts --sum impressions=In+Out',
    right: { 'S-1': series(MORNING, 60, 130, 139, 148, 157, 166) },
  },
  'every-row-twice.csv': {
    zone: 'America/New_York',
    options: `${COLUMNS} --ignore Weather`,
    refused: /--repeated-hour/,
    further: '--repeated-hour first',
    right: {
      'S-1': [...series('2025-11-02T00:00:00-04:00', 60, 23, 32), ...series('2025-11-02T02:00:00-05:00', 60, 41, 50)],
    },
  },
  'hours-across.csv': {
    options: '--map sensor=Station --map start=Date',
    refused: /--across/,
    further: '--across',
    right: {
      'S-1': [0, 1, 2, 3, 4].flatMap(day =>
        series(`2026-02-1${day}T00:00:00+01:00`, 60, ...steps(20).slice(4 * day, 4 * day + 4)),
      ),
    },
  },
  'interval-number.csv': {
    grain: 'quarter_hour',
    options: '--map sensor=Site --map start=Date+Interval --map impressions=Volume --interval-number quarter_hour',
    right: { 'S-1': series('2026-02-10T00:00:00+01:00', 15, ...steps(8)) },
  },
  'stations-by-number.csv': {
    sensors: ['J1', 'J2', '1', '2'],
    options: `--map sensor=Station --map start=ts --map impressions=Count --serial '*=J*'`,
    right: { J1: series(MORNING, 60, 23, 32, 41), J2: series(MORNING, 60, 50, 59, 68) },
  },
  'short-rows.csv': {
    grain: 'day',
    sensors: ['S-1', 'S-2'],
    options: '--map start=ts --wide',
    refused: /--short-rows/,
    further: '--short-rows',
    right: {
      'S-1': series('2026-02-10T00:00:00+01:00', 1440, ...steps(5)),
      'S-2': series('2026-02-10T00:00:00+01:00', 1440, 123, null, 141, null, 159),
    },
  },
  'utc-without-z.csv': { options: `${COLUMNS} --time-zone UTC`, right: hours(SUMMER, 5) },
  'epoch.csv': { options: `${COLUMNS} --time-format epoch`, right: hours(SUMMER, 5) },
  'excel.csv': { options: `${COLUMNS} --time-format excel`, right: hours('2026-02-10T01:00:00+01:00', 5) },
  'months-german.csv': {
    options: `${COLUMNS} --time-format 'dd. MMMM yyyy HH:mm' --language de`,
    right: hours('2026-03-10T08:00:00+01:00', 5),
  },
  'utc-days.csv': { grain: 'day', zone: 'America/New_York', options: COLUMNS, refused: /another time zone/ },
  'utc-days.csv#sum': { ...SUM_TO_GRAIN, grain: 'day', zone: 'America/New_York', refused: /begin with the days at/ },
  'events.csv': {
    options: '--set sensor=S-1 --map start=ts --set impressions=1 --sum-to-grain',
    refused: /csv:3: start is that of line 2 too[\s\S]*events/,
  },
  'parts-missing.csv': {
    ...SUM_TO_GRAIN,
    named: /at 2026-02-10T09:00\+01:00: [\s\S]* at 2026-02-10T10:00\+01:00: /,
    right: { 'S-1': series(MORNING, 60, 146, null, null, 578) },
  },
  'decomposed-serial.csv': {
    sensors: ['Zülpich-Süd'],
    options: '--map start=ts --map sensor=Sensor --map impressions=Count',
    right: { 'Zülpich-Süd': series(MORNING, 60, 23, 32) },
  },
  'comments.csv': { options: `${COLUMNS} --comment '#'`, right: hours(MORNING, 4) },
  'hours-with-decimals.csv': { options: `${DATE_HOUR} --time-format 'yyyy-MM-dd H'`, right: hours(MORNING, 5) },
  'day-of-month.csv': {
    grain: 'quarter_hour',
    options: `--set sensor=S-1 --map start='2026-02-'+Day+Time --map impressions=Count --time-format 'yyyy-MM-d h:mm:ss a'`,
    right: { 'S-1': series('2026-02-10T11:00:00+01:00', 15, ...steps(8)) },
  },
  'averages.csv': { options: COLUMNS, refused: /38\.5/ },
}

/** Changes that leave the counts as they are. Comments stay where they are. */
const CHANGES: Record<string, (lines: string[]) => string> = {
  'as it is': lines => lines.join('\n'),
  'with CRLF and quoted values': lines =>
    lines.map(line => (line.startsWith('#') ? line : line.replace(/[^,;]+/g, '"$&"'))).join('\r\n'),
  'with tabs and in reverse': lines => {
    const [header = '', ...rows] = lines.filter(line => !line.startsWith('#'))
    const [first = '', ...comments] = lines.filter(line => line.startsWith('#'))
    return [...comments, header, first, ...rows.reverse()]
      .filter(line => line !== '')
      .join('\n')
      .replace(/[,;]/g, '\t')
  },
}

describe('counts in the forms in which they come', () => {
  let forms: Forms
  beforeAll(async () => {
    forms = await Forms.open()
  })
  afterAll(() => forms.close())

  ;(present ? describe : describe.skip).each(Object.entries(CHANGES).slice(0, rounds(1, 3)))('%s:', (_, change) => {
    test.each(Object.entries(FORMS))('%s', async (name, form) => {
      const text = readFileSync(join(FOLDER, name.replace(/#.*/, '')), 'utf8')
      await forms.check(change(text.trimEnd().split(/\r?\n/)), form)
    })
  })

  ;(present ? test : test.skip)('a dry run names a month of zeros', async () => {
    await forms.prepare(readFileSync(join(FOLDER, 'zeros.csv'), 'utf8'), {})
    const { code, document } = await forms.import(`${COLUMNS} --dry-run`)
    expect([code, document.changes]).toEqual([
      0,
      [{ asset_id: expect.any(String), month: '2026-02', old: null, new: 0 }],
    ])
  })
})
