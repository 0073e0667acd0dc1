import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NativeGrain } from '../../../schema/generated'
import { settingsOf } from '../../support/databases'
import { Imports } from '../../support/importing'
import { type Env, runJson } from '../../support/in-process'
import { Service } from '../../support/service'

jest.setTimeout(120_000)

const FOLDER = join(__dirname, '..', '..', '..', '..', 'shared', 'data', 'forms')
const present = existsSync(FOLDER)
if (!present) console.warn('The small files of forms are not there: their tests are skipped, those of their kinds run.')

/** `START=COUNT`, as the route of time series has them, by serial. */
type Counts = Record<string, string[]>

interface Form {
  /** By default hours, of S-1 in Europe/Berlin. */
  grain?: NativeGrain
  zone?: string
  sensors?: string[]
  /** Of `import impressions`, as in a shell. */
  options: string
  /** What the message says without the further options; undefined if these options suffice. */
  refused?: RegExp
  /** With these the counts are right. */
  further?: string
  /** Undefined if nothing can be stored. */
  right?: Counts
}

/** Returns counts of consecutive intervals; null for one without. */
function series(start: string, minutes: number, ...counts: (number | null)[]): string[] {
  const [, offset = ''] = /([+-]\d\d:\d\d)$/.exec(start) ?? []
  const local = Date.parse(start.replace(offset, 'Z'))
  return counts.flatMap((count, i) => {
    if (count === null) return []
    return `${new Date(local + i * minutes * 60_000).toISOString().slice(0, 19)}${offset}=${count}`
  })
}

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
  let imports: Imports
  let service: Service
  let env: Env
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-forms-'))
  beforeAll(async () => {
    imports = await Imports.open()
    service = await Service.start({ database: imports.database })
    env = settingsOf(imports.database)
  })
  afterAll(async () => {
    await imports.pool.end()
    await service.stop()
    rmSync(directory, { recursive: true })
  })

  const file = join(directory, 'counts.csv')
  const importFile = async (options: string) => {
    const args = [...options.matchAll(/(?:'[^']*'|\S)+/g)].map(([text]) => text)
    const given = args.map((text, i) => (args[i - 1] === '--map' ? text : text.replaceAll("'", '')))
    const { code, document } = await runJson(['import', 'impressions', file, ...given], env)
    const faults = (document.files?.[0].faults ?? []) as { reason: string }[]
    return { code, document, message: faults.map(({ reason }) => reason).join('\n') }
  }

  /** Returns what the route of time series answers, by serial. */
  const readCounts = async (grain: NativeGrain, assets: Map<string, string>, key: string): Promise<Counts> => {
    const [{ from, to }] = (await imports.rows(
      'SELECT min(date)::text AS from, max(date)::text AS to FROM sensor_days',
    )) as [{ from: string; to: string }]
    const counts: Counts = {}
    for (const [serial, asset] of from === null ? [] : assets) {
      const range = `grain=${grain}&from_date=${from}&to_date=${to}`
      const { data } = await service.read(`/v1/partner/assets/${asset}/impressions/timeseries?${range}`, key)
      const found = data.filter(({ impressions }: { impressions: number | null }) => impressions !== null)
      if (found.length === 0) continue
      counts[serial] = found.map(
        ({ start, impressions }: { start: string; impressions: number }) => `${start}=${impressions}`,
      )
    }
    return counts
  }

  const check = async (text: string, form: Form) => {
    const { grain = 'hour', zone = 'Europe/Berlin', sensors = ['S-1'], options, refused, further, right } = form
    await imports.clear()
    const company = await imports.make.company()
    const assets = new Map<string, string>()
    for (const serial of sensors) {
      const asset = await imports.make.asset({ company, name: serial, time_zone: zone })
      await imports.make.sensor({ asset, serial, grain, installed_at: '2017-01-01T00:00:00Z' })
      assets.set(serial, asset.id)
    }
    const key = await imports.make.key([company])
    writeFileSync(file, text)
    const read = () => readCounts(grain, assets, key)
    const { code, message } = await importFile(options)
    if (!refused) {
      expect([code, message, await read()]).toEqual([0, '', right])
      return
    }
    expect([code, await read()]).toEqual([1, {}])
    expect(message).toMatch(refused)
    for (const proposed of findProposed(message)) {
      const { code, message: reason } = await importFile(`${options} ${proposed}`)
      expect([proposed, reason, await read()]).toEqual([proposed, reason, code === 0 ? right : {}])
      await imports.rows('DELETE FROM sensor_days')
    }
    if (!further) return
    const outcome = await importFile(`${options} ${further}`)
    expect([outcome.code, outcome.message, await read()]).toEqual([0, '', right])
  }

  ;(present ? describe : describe.skip).each(Object.entries(CHANGES))('%s:', (_, change) => {
    test.each(Object.entries(FORMS))('%s', async (name, form) => {
      const text = readFileSync(join(FOLDER, name.replace(/#.*/, '')), 'utf8')
      await check(change(text.trimEnd().split(/\r?\n/)), form)
    })
  })
})

const FLAGS = ['across', 'sum-to-grain', 'short-rows', 'wide', 'extend-installations']

/** Returns the options that a message names, of those by which rows are read; `--interval` says what they are. */
function findProposed(message: string): string[] {
  const found = [...message.matchAll(/--([a-z-]+)(?: ('[^']*'|"[^"]*"|[^\s,;:()]+))?/g)]
  return [
    ...new Set(found.map(([, name = '', value = '']) => (FLAGS.includes(name) ? `--${name}` : `--${name} ${value}`))),
  ].filter(option => !/^--(interval|skip-faulty) /.test(option))
}
