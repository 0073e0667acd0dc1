import { Readable } from 'node:stream'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { type Day, daysOf, startsOf } from '../../../db/calendar/local-days'
import { unpack } from '../../../db/calendar/packed-counts'
import { chunksOf } from '../../support/csv'
import { scaledRuns } from '../../support/fuzz'
import { Imports } from '../../support/importing'

/** Sensors with clock changes on the dates of the files. */
const SENSORS = {
  minutes: { zone: 'Europe/Berlin', grain: 'minute', native: 1, dates: ['2026-03-28', '2026-03-29', '2026-10-25'] },
  quarters: { zone: 'Australia/Lord_Howe', grain: 'quarter_hour', native: 15, dates: ['2026-04-05', '2026-10-04'] },
  hours: { zone: 'America/New_York', grain: 'hour', native: 60, dates: ['2026-03-08', '2026-11-01', '2026-11-02'] },
} as const

type Serial = keyof typeof SENSORS

interface Row {
  serial: Serial
  date: string
  minute: number
  form: 'local' | 'earlier' | 'later'
  impressions: string
}

const row: fc.Arbitrary<Row> = fc.constantFrom(...(Object.keys(SENSORS) as Serial[])).chain(serial => {
  const { dates, native } = SENSORS[serial]
  const whole = fc
    .integer({ min: 0, max: native === 1 ? 40 : 240 / native })
    .map(i => (native === 1 ? 100 + i : i * native))
  return fc.record({
    serial: fc.constant(serial),
    date: fc.constantFrom(...dates),
    minute: fc.oneof({ weight: 9, arbitrary: whole }, fc.integer({ min: 0, max: 1439 })),
    form: fc.constantFrom('local', 'local', 'earlier', 'later'),
    impressions: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('', '0', '1', '300') },
      fc.constantFrom('x', '70000'),
    ),
  })
})

/** The instants of a local time, in seconds: none, one or two. */
function instantsOf({ serial, date, minute }: Row): number[] {
  const { zone } = SENSORS[serial]
  const local = Temporal.PlainDateTime.from(date).add({ minutes: minute })
  const instants = (['earlier', 'later'] as const)
    .map(disambiguation => local.toZonedDateTime(zone, { disambiguation }))
    .filter(zoned => zoned.toPlainDateTime().equals(local))
    .map(zoned => zoned.epochMilliseconds / 1000)
  return [...new Set(instants)]
}

function textOf(row: Row): string {
  const { serial, date, minute, form, impressions } = row
  const local = Temporal.PlainDateTime.from(date).add({ minutes: minute })
  if (form === 'local') return `${serial},${local.toString().slice(0, 16)},${impressions}`
  const zoned = local.toZonedDateTime(SENSORS[serial].zone, { disambiguation: form })
  return `${serial},${zoned.toString().slice(0, 16)}${zoned.offset},${impressions}`
}

/** The expected counts, computed row by row. */
class Model {
  readonly counts = new Map<string, number>()

  import(rows: readonly Row[]): { read: number; stored: number; unchanged: number; rejected: number; lines: number[] } {
    const occurrences = new Map<string, number>()
    const given = new Map<string, string>()
    const lines: number[] = []
    let repeated = 0
    rows.forEach((row, i) => {
      const { serial, form, impressions } = row
      const candidates = instantsOf(row)
      let instant = candidates[0]
      if (form === 'local' && candidates.length > 1) {
        const key = `${serial} ${row.date} ${row.minute}`
        const occurrence = occurrences.get(key) ?? 0
        occurrences.set(key, occurrence + 1)
        instant = candidates[occurrence]
      } else if (form !== 'local') {
        const local = Temporal.PlainDateTime.from(row.date).add({ minutes: row.minute })
        instant = local.toZonedDateTime(SENSORS[serial].zone, { disambiguation: form }).epochMilliseconds / 1000
      }
      const begins = instant !== undefined && localMinute(instant, serial) % SENSORS[serial].native === 0
      const earlier = given.get(`${serial} ${instant}`)
      if (!begins || impressions === 'x') lines.push(i + 2)
      else if (earlier === undefined) given.set(`${serial} ${instant}`, impressions)
      else if (earlier === impressions) repeated++
      else lines.push(i + 2)
    })
    let stored = 0
    for (const [key, impressions] of given) {
      const value = impressions === '' ? undefined : Number(impressions)
      if (this.counts.get(key) === value) continue
      stored++
      if (value === undefined) this.counts.delete(key)
      else this.counts.set(key, value)
    }
    return { read: rows.length, stored, unchanged: given.size - stored + repeated, rejected: lines.length, lines }
  }
}

const localMinute = (instant: number, serial: Serial): number =>
  Temporal.Instant.fromEpochMilliseconds(instant * 1000).toZonedDateTimeISO(SENSORS[serial].zone).minute

describe('impressions in generated files', () => {
  let imports: Imports
  beforeAll(async () => {
    imports = await Imports.open()
    for (const [serial, { zone, grain }] of Object.entries(SENSORS)) {
      const asset = await imports.make.asset({ time_zone: zone })
      await imports.make.sensor({ asset, serial, grain })
    }
  })
  afterAll(() => imports.close())

  async function storedCounts(): Promise<Map<string, number>> {
    const rows = (await imports.rows(
      'SELECT s.serial, d.date, d.counts, d.impressions, d.observed FROM sensor_days d JOIN sensors s ON s.number = d.sensor',
    )) as { serial: Serial; date: string; counts: Buffer; impressions: number; observed: number }[]
    const found = new Map<string, number>()
    for (const { serial, date, counts, impressions, observed } of rows) {
      const { zone, native } = SENSORS[serial]
      const [day] = daysOf(zone, date, date) as [Day]
      const starts = startsOf(day, native)
      const values = unpack(counts, starts.length)
      const seen = [...values].filter(value => value >= 0)
      expect([observed, impressions]).toEqual([seen.length, seen.reduce((sum, value) => sum + value, 0)])
      starts.forEach((start, i) => {
        if ((values[i] as number) >= 0) found.set(`${serial} ${day.start + start}`, values[i] as number)
      })
    }
    return found
  }

  test('are stored as a model predicts, in any order, split over any files, and with any size of the buffer', async () => {
    const files = fc.array(fc.array(row, { minLength: 1, maxLength: 250, size: 'max' }), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        files,
        fc.constantFrom(1, 7, 40, 1000),
        fc.integer({ min: 20, max: 1500 }),
        async (files, maxBufferedCounts, size) => {
          await imports.pool.query('DELETE FROM sensor_days')
          const model = new Model()
          for (const rows of files) {
            const { lines, ...figures } = model.import(rows)
            const bytes = Buffer.from(`sensor,start,impressions\n${rows.map(textOf).join('\n')}\n`)
            const outcome = await imports.run('impressions', Readable.from(chunksOf(bytes, size)), {
              maxBufferedCounts,
              skipFaulty: true,
            })
            expect(outcome).toMatchObject({ ...figures, not_stored: 0 })
            expect(outcome.errors.map(fault => Number(fault.split(':')[0]))).toEqual(lines)
            expect(await storedCounts()).toEqual(model.counts)
          }
        },
      ),
      { ...scaledRuns(20), endOnFailure: true },
    )
  }, 120_000)
})
