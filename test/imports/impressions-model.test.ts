import { Readable } from 'node:stream'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { REPEATED_HOURS } from '../../imports/counts/count-options'
import { type CountRow, CountsModel } from '../support/counts-model'
import { chunksOf } from '../support/csv'
import { scaledRuns } from '../support/fuzz'
import { rounds } from '../support/rounds'
import { World } from '../support/world'
import { Calendar, dayOf } from '../world/calendar'

jest.setTimeout(rounds(120_000, 1_200_000))

/** Sensors with the dates of the files, most of them of a clock change, and the minutes of the day around it. */
const SENSORS = {
  berlin: { zone: 'Europe/Berlin', grain: 'minute', minutes: 1, dates: ['2025-03-29', '2025-03-30', '2025-10-26'] },
  howe: { zone: 'Australia/Lord_Howe', grain: 'quarter_hour', minutes: 15, dates: ['2025-04-06', '2025-10-05'] },
  island: { zone: 'Australia/Lord_Howe', grain: 'hour', minutes: 60, dates: ['2025-04-06', '2025-10-05'] },
  york: { zone: 'America/New_York', grain: 'hour', minutes: 60, dates: ['2025-03-09', '2025-11-02', '2025-11-03'] },
  kathmandu: { zone: 'Asia/Kathmandu', grain: 'quarter_hour', minutes: 15, dates: ['2025-03-30'] },
  utc: { zone: 'UTC', grain: 'hour', minutes: 60, dates: ['2025-03-30', '2025-10-26'] },
} as const

type Serial = keyof typeof SENSORS

/** A row and its pass, whether or not the file shows it. */
type Generated = CountRow & { disambiguation: 'earlier' | 'later' }

const row: fc.Arbitrary<Generated> = fc.constantFrom(...(Object.keys(SENSORS) as Serial[])).chain(serial => {
  const { dates, minutes } = SENSORS[serial]
  const step = Math.max(15, minutes)
  const minute = fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 0, max: 240 / step }).map(i => i * step) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 16 }).map(i => i * 15) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 1439 }) },
  )
  return fc
    .record({
      date: fc.constantFrom(...dates),
      minute,
      isExplicit: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
      disambiguation: fc.constantFrom('earlier', 'later'),
      impressions: fc.oneof(
        { weight: 19, arbitrary: fc.constantFrom('', '0', '1', '3', '300') },
        { weight: 1, arbitrary: fc.constantFrom('x', '-1') },
      ),
    })
    .map(({ date, minute, isExplicit, disambiguation, impressions }) => ({
      serial,
      local: Temporal.PlainDateTime.from(date).add({ minutes: minute }).toString().slice(0, 16),
      pass: isExplicit ? disambiguation : undefined,
      disambiguation,
      impressions,
    }))
})

const zonedOf = ({ serial, local, disambiguation }: Generated) =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(SENSORS[serial as Serial].zone, { disambiguation })

function formatRow(row: Generated): string {
  const { serial, local, pass, impressions } = row
  const zoned = zonedOf(row)
  return `${serial},${pass ? `${zoned.toString().slice(0, 16)}${zoned.offset}` : local},${impressions}`
}

/** The first interval of each day and two that follow one another, so that no file is refused for the spacing of its rows. */
const ADJACENT = Object.entries(SENSORS).flatMap(([serial, { minutes, dates }]) =>
  dates.flatMap(date =>
    [0, 1200, 1200 + minutes].map((minute): Generated => {
      const local = Temporal.PlainDateTime.from(date).add({ minutes: minute }).toString().slice(0, 16)
      return { serial, local, pass: undefined, disambiguation: 'earlier', impressions: '1' }
    }),
  ),
)

/** Returns the quarter hours of a row that covers an hour, a row of a quarter hour, or nothing. */
function quartersOf(row: Generated): Generated[] {
  const { minutes } = SENSORS[row.serial as Serial]
  if (minutes === 1 || Number(row.local.slice(-2)) % 15 !== 0) return []
  if (minutes === 15) return [row]
  if (!row.local.endsWith(':00')) return []
  return ['00', '15', '30', '45'].map(minute => ({ ...row, local: row.local.replace(/00$/, minute) }))
}

/**
 * Files in the order of the clock, in the opposite one, or in none; each time once or as often as it comes; some with each row
 * several times, or several times the whole file.
 */
const file = fc
  .record({
    rows: fc.array(row, { minLength: 1, maxLength: 200, size: 'max' }),
    order: fc.constantFrom(1, 1, -1, 0),
    unique: fc.boolean(),
    copies: fc.constantFrom(1, 1, 1, 2, 3),
    inBlocks: fc.boolean(),
    inParts: fc.boolean(),
  })
  .map(({ rows, order, unique, copies, inBlocks, inParts }) => {
    const all = [...rows, ...ADJACENT]
    const times = (inParts ? all.flatMap(quartersOf) : all).map(row => ({
      row,
      instant: zonedOf(row).epochMilliseconds,
    }))
    const sorted = order === 0 ? times : times.sort((a, b) => order * (a.instant - b.instant))
    const seen = new Set<string>()
    const once = sorted
      .map(({ row }) => row)
      .filter(row => !unique || seen.size < seen.add(`${row.serial} ${zonedOf(row)}`).size)
    const repeat = <Item>(item: Item) => Array<Item>(copies).fill(item)
    return inBlocks ? once.flatMap(repeat) : repeat(once).flat()
  })

const options = fc.record({
  erase: fc.boolean(),
  repeatedHour: fc.constantFrom(undefined, ...REPEATED_HOURS),
  skippedHour: fc.constantFrom(undefined, 'drop' as const),
  sumToGrain: fc.boolean(),
})

describe('impressions in generated files', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
    for (const [serial, { zone, grain }] of Object.entries(SENSORS)) {
      const asset = await world.make.asset({ time_zone: zone })
      await world.make.sensor({ asset, serial, grain })
    }
  })
  afterAll(() => world.stop())

  async function storedCounts(): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for (const { serial, date, counts, impressions, observed } of await world.days()) {
      const { zone, grain } = SENSORS[serial as Serial]
      const seen = counts.filter(value => value >= 0)
      expect([observed, impressions]).toEqual([seen.length, seen.reduce((sum, value) => sum + value, 0)])
      for (const [i, start] of Calendar.of(zone).starts(dayOf(date), grain).entries())
        if (counts[i]! >= 0) found.set(`${serial} ${start}`, counts[i]!)
    }
    return found
  }

  test('are stored as a model predicts, with any options, in any order, split over any files, and with any size of the buffer', async () => {
    const files = fc.array(fc.tuple(file, options), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        files,
        fc.constantFrom(1, 7, 40, 1000),
        fc.integer({ min: 20, max: 1500 }),
        async (files, maxBufferedCounts, size) => {
          await world.owner.query('DELETE FROM sensor_days')
          const model = new CountsModel(SENSORS)
          for (const [rows, chosen] of files) {
            const given = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
            const { lines, ...figures } = model.import(rows, given)
            const bytes = Buffer.from(`sensor,start,impressions\n${rows.map(formatRow).join('\n')}\n`)
            const outcome = await world.import('impressions', Readable.from(chunksOf(bytes, size)), {
              ...given,
              maxBufferedCounts,
              skipFaulty: true,
            })
            expect(outcome.errors.map(fault => Number(fault.split(':')[0]))).toEqual(lines)
            expect(outcome).toMatchObject({ ...figures, not_stored: 0 })
            expect(await storedCounts()).toEqual(model.counts)
          }
        },
      ),
      { ...scaledRuns(20), endOnFailure: true },
    )
  })
})
