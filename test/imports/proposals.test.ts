import type { ImportOptions } from '../../imports/import-file'
import { World } from '../support/world'

/** Hours of a sensor in Europe/Berlin, and how a file writes them. */
interface Form {
  times: readonly Date[]
  time: (parts: Record<'y' | 'M' | 'd' | 'h' | 'H' | 'm', string>, date: Date) => string
  /** Counts as the file writes them; otherwise 101, 102, … */
  counts?: readonly [text: string, count: number | undefined][]
  options?: ImportOptions
}

const HOUR = 3_600_000

const hours = (start: string, count: number, step = 1): Date[] =>
  Array.from({ length: count }, (_, i) => new Date(Date.parse(`${start}Z`) + i * step * HOUR))

const DAY = hours('2026-02-10T00:00', 24)
const AFTERNOON = hours('2026-02-10T10:00', 8)
const MORNING = hours('2026-02-20T08:00', 4)
const WEEKS = hours('2025-01-05T00:00', 50 * 24)
const JANUARY_TO_FEBRUARY = [...hours('2025-01-11T00:00', 48), ...hours('2025-02-01T00:00', 48)]

const two = (number: number): string => String(number).padStart(2, '0')
const isAfternoon = (date: Date): boolean => date.getUTCHours() >= 12
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12

const timeOf = ({ time }: Form, date: Date): string => {
  const [M, d, h] = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours()]
  return time({ y: String(date.getUTCFullYear()), M: two(M), d: two(d), h: String(h), H: two(h), m: '00' }, date)
}

/** Reverses, or shuffles by a fixed order. */
const reversed = (times: readonly Date[]): Date[] => [...times].reverse()
const shuffled = (times: readonly Date[]): Date[] => times.map((_, i) => times[(i * 7 + 3) % times.length] as Date)

const german: Form['time'] = ({ y, M, d, H }) => `${d}.${M}.${y} ${H}:00`
const dayFirst: Form['time'] = ({ y, M, d, H }) => `${d}/${M}/${y} ${H}:00`
const monthFirst: Form['time'] = ({ y, M, d, H }) => `${M}/${d}/${y} ${H}:00`
const american: Form['time'] = ({ y, M, d }, date) =>
  `${Number(M)}/${Number(d)}/${y} ${hour12(date)}:00 ${isAfternoon(date) ? 'PM' : 'AM'}`
const dotted: Form['time'] = (parts, date) => american(parts, date).replace(/(.)M$/, (_, a) => `${a.toLowerCase()}.m.`)
const iso: Form['time'] = ({ y, M, d, H }) => `${y}-${M}-${d} ${H}:00`

/** Counts of a morning. */
const four = (...texts: (string | [string, number])[]): NonNullable<Form['counts']> =>
  texts.map(text => (typeof text === 'string' ? [text, undefined] : text))

describe('an option that is proposed', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.clear()
    const asset = await world.make.asset({ name: 'Platz', time_zone: 'Europe/Berlin' })
    await world.make.sensor({ asset, serial: 'S-1', grain: 'hour', installed_at: '2010-01-01T00:00:00Z' })
  })

  const run = async (form: Form, options: ImportOptions = {}) => {
    const rows = form.times.map((date, i) => `S-1;${timeOf(form, date)};${form.counts?.[i]?.[0] ?? 101 + i}`)
    let hint = ''
    const given = {
      interval: 'hour',
      ...form.options,
      ...options,
      onHint: (text: string) => {
        hint = text
      },
    } as const
    const outcome = await world.import('impressions', ['sensor;start;impressions', ...rows], given)
    return { ...outcome, hint }
  }
  /** Returns the stored counts by local hour. */
  const stored = async () =>
    Object.fromEntries(
      (await world.days()).flatMap(({ date, counts }) =>
        [...counts.entries()].flatMap(([i, count]) => (count < 0 ? [] : [[`${date} ${two(i)}`, count]])),
      ),
    )
  /** Returns the counts of the file by local hour. */
  const said = ({ times, counts }: Form) =>
    Object.fromEntries(
      times.flatMap((date, i) => {
        const count = counts ? counts[i]?.[1] : 101 + i
        return count === undefined ? [] : [[date.toISOString().slice(0, 13).replace('T', ' '), count]]
      }),
    )
  const proposed = (hint: string): [string, string][] =>
    [...hint.matchAll(/--([a-z-]+) (?:'([^']*)'|"([^"]*)"|([^\s;]*[^\s;,]|,))/g)].map(([, option = '', ...values]) => [
      option,
      values.find(value => value !== undefined) ?? '',
    ])
  const optionsOf = (pairs: [string, string][]): ImportOptions =>
    Object.fromEntries(
      pairs.map(([option, value]) =>
        option === 'time-format'
          ? ['timeFormat', [value]]
          : option === 'missing'
            ? [option, value.split(',')]
            : [option, value],
      ),
    )

  test.each<[string, Form, string[]]>([
    ['dots', { times: WEEKS, time: german }, ['time-format dd.MM.yyyy HH:mm']],
    ['dots, the last one first', { times: reversed(WEEKS), time: german }, ['time-format dd.MM.yyyy HH:mm']],
    ['days before months', { times: WEEKS, time: dayFirst }, ['time-format dd/MM/yyyy HH:mm']],
    ['months before days', { times: WEEKS, time: monthFirst }, ['time-format MM/dd/yyyy HH:mm']],
    [
      'an order that only one of both has',
      { times: JANUARY_TO_FEBRUARY, time: dayFirst },
      ['time-format dd/MM/yyyy HH:mm'],
    ],
    ['AM and PM', { times: WEEKS, time: american }, ['time-format M/d/yyyy h:mm a']],
    ['a.m. and p.m.', { times: hours('2026-02-20T00:00', 24), time: dotted }, ['time-format M/d/yyyy h:mm a']],
    ['hours of one digit', { times: DAY, time: ({ h }) => `2026-02-10 ${h}:00` }, ['time-format yyyy-MM-dd H:mm']],
    ['hours alone from 0', { times: DAY, time: ({ h }) => `2026-02-10 ${h}` }, ['time-format yyyy-MM-dd H']],
    ['digits alone', { times: DAY, time: ({ y, M, d, H, m }) => `${y}${M}${d}${H}${m}` }, ['time-format yyyyMMddHHmm']],
    ['no colon', { times: DAY, time: ({ H }) => `2026-02-10 ${H}00` }, ['time-format yyyy-MM-dd HHmm']],
    [
      'ranges without colons',
      { times: MORNING, time: ({ h, H }) => `2026-02-20 ${H}00-${two(Number(h) + 1)}00` },
      ['time-format range'],
    ],
    [
      'ranges and dots',
      { times: MORNING, time: ({ h }) => `20.02.2026 ${h}:00 – ${Number(h) + 1}:00` },
      ['time-format dd.MM.yyyy range'],
    ],
    [
      'groups of three digits',
      { times: MORNING, time: iso, counts: four(['7', 7], ['1,234', 1234], ['987', 987], ['2,000,000', 2e6]) },
      ['thousands ,'],
    ],
    [
      'groups behind a no-break space',
      { times: MORNING, time: iso, counts: four(['1\u00a0234', 1234], ['9', 9], ['8', 8], ['7', 7]) },
      ['thousands  '],
    ],
    [
      'a decimal comma',
      { times: MORNING, time: iso, counts: four(['12,0', 12], ['9', 9], ['8,00', 8], ['7', 7]) },
      ['decimal ,'],
    ],
    [
      'a word for nothing',
      { times: MORNING, time: iso, counts: four('n/a', ['9', 9], 'NA', ['7', 7]) },
      ['missing n/a,NA'],
    ],
    [
      'a word for nothing, and groups',
      { times: MORNING, time: german, counts: four('-', ['1.009', 1009], ['8', 8], ['1.234', 1234]) },
      ['time-format dd.MM.yyyy HH:mm', 'missing -', 'thousands .'],
    ],
  ])('for %s stores what the file says', async (_, form, expected) => {
    const { hint, stored: count } = await run(form)
    expect([count, proposed(hint).map(pair => pair.join(' '))]).toEqual([0, expected])
    expect(await run(form, optionsOf(proposed(hint)))).toMatchObject({ rejected: 0, errors: [] })
    expect(await stored()).toEqual(said(form))
  })

  test.each<[string, Form]>([
    ['days and months that may be either', { times: hours('2025-02-07T00:00', 100), time: dayFirst }],
    ['a day and month that may be either', { times: hours('2025-02-07T08:00', 9), time: american }],
    ['rows that are not in order', { times: shuffled(WEEKS), time: german }],
    [
      'rows that are not in order, of which days and months may be either',
      { times: shuffled(JANUARY_TO_FEBRUARY), time: dayFirst },
    ],
    ['hours of 12 without AM and PM', { times: DAY, time: (_, date) => `2026-02-10 ${hour12(date)}:00` }],
    ['an afternoon without AM and PM', { times: AFTERNOON, time: (_, date) => `10.02.2026 ${two(hour12(date))}:00` }],
    ['hours that may count from 1', { times: AFTERNOON, time: ({ h }) => `2026-02-10 ${h}` }],
    ['words between', { times: DAY, time: (...all) => `${german(...all)} Uhr` }],
    [
      'letters for the half of the day',
      { times: DAY, time: (parts, date) => `${german(parts, date)} ${isAfternoon(date) ? 'ip.' : 'ap.'}` },
    ],
    ['names of zones', { times: DAY, time: (...all) => `${iso(...all)} Europe/Berlin` }],
    ['abbreviations of zones', { times: DAY, time: (...all) => `${german(...all)} CET` }],
    ['years of two digits', { times: DAY, time: ({ M, d, H }) => `26/${M}/${d} ${H}:00` }],
    ['times that were read before', { times: AFTERNOON, time: ({ h }) => `2026-02-10 ${(Number(h) + 3) % 20}:00` }],
    ['ends of days', { times: DAY, time: ({ H, d }) => `${d}.02.2026 ${H === '00' ? '24' : H}:00` }],
    [
      'one row of another form',
      { times: DAY, time: (parts, date) => (parts.H === '07' ? 'soon' : german(parts, date)) },
    ],
    ['a range that ends before its start', { times: MORNING, time: ({ H }) => `2026-02-20 ${H}00-0700` }],
    ['averages with a comma', { times: MORNING, time: iso, counts: four('38,5', '1,234', '9', '8') }],
    ['shares with a comma', { times: MORNING, time: iso, counts: four('0,123', '1,234', '9', '8') }],
    ['groups of other lengths', { times: MORNING, time: iso, counts: four('1,23', '1,234', '9', '8') }],
    ['different separators', { times: MORNING, time: iso, counts: four('1,234', '1.234', '9', '8') }],
    ['words', { times: MORNING, time: iso, counts: four('NA', 'many', '9', '8') }],
    [
      'a format that reads other rows differently',
      { times: WEEKS.slice(0, 24 * 13), time: monthFirst, options: { timeFormat: ['dd/MM/yyyy HH:mm'] } },
    ],
  ])('is none for %s', async (_, form) => {
    const { hint, stored: count, rejected } = await run(form)
    expect([hint, count]).toEqual(['', 0])
    expect(rejected).toBeGreaterThan(0)
    expect(await stored()).toEqual({})
  })

  test('is two where groups and decimals look the same', async () => {
    const { hint } = await run({ times: MORNING, time: iso, counts: four('1,000', '2,000', '9', '8') })
    expect(hint).toBe(
      'if the numbers have groups of three digits, give --thousands ","; if they have decimals, give --decimal ,',
    )
  })

  test('may add a format to those that are given', async () => {
    const time: Form['time'] = (parts, date) => (parts.d === '10' ? iso : german)(parts, date)
    const form = { times: hours('2026-02-10T00:00', 48), time, options: { timeFormat: ['dd.MM.yyyy HH:mm'] } }
    const { hint } = await run(form)
    expect(hint).toBe("--time-format 'yyyy-MM-dd HH:mm', given as well, reads every time of the file")
    await run(form, { timeFormat: ['dd.MM.yyyy HH:mm', 'yyyy-MM-dd HH:mm'] })
    expect(await stored()).toEqual(said(form))
  })
})
