/** Compares the impressions routes with a slow reference implementation, on generated assets and ranges. */
import fc from 'fast-check'
import { MISSING } from '../../../db/calendar/packed-counts'
import type { Factory, Made, MadeAsset, MadeSensor } from '../../support/factories'
import { intervalStarts, type ModelRow, type ModelSensor, modelRows } from '../../support/impressions-model'
import { World } from '../../support/world'

let world: World
let key: string
let company: Made

beforeAll(async () => {
  world = await World.open()
  company = await world.make.company()
  key = await world.make.key([company])
})
afterAll(() => world.stop())

const read = (asset: MadeAsset, route: string, from: string, to = from) =>
  world.read(
    `/v1/partner/assets/${asset.id}/impressions/${route}${route.includes('?') ? '&' : '?'}from_date=${from}&to_date=${to}`,
    key,
  )

const FINE: Record<string, number> = { minute: 1, quarter_hour: 15, hour: 60 }

const GRAINS = ['minute', 'quarter_hour', 'hour', 'day', 'week', 'month', 'quarter'] as const

/** Returns the expected body for the rows of the model. */
function bodyOf(model: ModelRow[], label: 'start' | 'date') {
  const counts = model.flatMap(({ impressions }) => impressions ?? [])
  const total = counts.reduce((sum, count) => sum + count, 0)
  const data = model.map(row => ({ [label]: row[label], impressions: row.impressions, coverage: row.coverage }))
  return { data, total, average: counts.length === 0 ? 0 : Math.round((total * 100) / counts.length) / 100 }
}

/** Dates near changes of the UTC offset. */
const DATES: Record<string, string[]> = {
  'Europe/Berlin': ['2026-03-27', '2026-10-23', '2026-12-30'],
  'America/New_York': ['2026-03-06', '2026-10-30'],
  'Australia/Lord_Howe': ['2026-04-03', '2026-10-02'],
  'Asia/Kathmandu': ['2026-01-30'],
  'Pacific/Apia': ['2011-12-28'],
  'America/Havana': ['2026-03-06', '2026-10-30'],
  'America/St_Johns': ['2026-03-06'],
  'Africa/Casablanca': ['2026-02-13'],
}

const measurement = fc.record({
  zone: fc.constantFrom(...Object.keys(DATES)),
  date: fc.nat(),
  length: fc.integer({ min: 1, max: 5 }),
  sensors: fc.array(
    fc.record({
      grain: fc.constantFrom('minute', 'minute', 'quarter_hour', 'hour', 'day' as const),
      installedAfterHours: fc.constantFrom(-1000, -1000, 7.3, 30),
      removedAfterHours: fc.constantFrom(null, null, 41.1),
      largest: fc.constantFrom(9, 254, 300, 70_000, 2_147_483_647),
      missing: fc.constantFrom(0, 3, 10),
      seed: fc.nat(),
    }),
    { maxLength: 3 },
  ),
})

test('the impressions of any asset and range equal those of the model at every grain, with the same total', async () => {
  await fc.assert(
    fc.asyncProperty(measurement, async ({ zone, date, length, sensors }) => {
      const dates = DATES[zone] as string[]
      const from = dates[date % dates.length] as string
      const to = new Date(Date.parse(from) + (length - 1) * 86_400_000).toISOString().slice(0, 10)
      const models: ModelSensor[] = []
      const asset = await world.make.together(async make => {
        const asset = await make.asset({ company, time_zone: zone })
        for (const { grain, installedAfterHours, removedAfterHours, largest, missing, seed } of sensors) {
          const installed = Date.parse(from) + installedAfterHours * 3_600_000
          const removed = removedAfterHours && installed + removedAfterHours * 3_600_000
          const sensor = await make.sensor({
            asset,
            grain,
            installed_at: new Date(installed).toISOString(),
            removed_at: removed ? new Date(removed).toISOString() : null,
          })
          const model: ModelSensor = { minutes: sensor.nativeMinutes, from: installed, to: removed, counts: new Map() }
          for (let day = Date.parse(from); day <= Date.parse(to); day += 2 * 86_400_000) {
            await storeCounts(make, sensor, model, new Date(day).toISOString().slice(0, 10), i =>
              missing > 0 && (i * 7 + seed) % missing === 0 ? MISSING : (i * 7919 + seed) % (largest + 1),
            )
          }
          models.push(model)
        }
        return asset
      })
      const days = Array.from({ length }, (_, i) =>
        new Date(Date.parse(from) + i * 86_400_000).toISOString().slice(0, 10),
      )
      const minutes = days.flatMap(day => intervalStarts(zone, day, 1))
      const coarsest = coarsestMinutes(models, minutes[0], minutes.at(-1))
      let total: number | undefined
      for (const grain of GRAINS) {
        const route = `timeseries?grain=${grain}`
        if (coarsest > (FINE[grain] ?? coarsest)) {
          const path = `/v1/partner/assets/${asset.id}/impressions/${route}&from_date=${from}&to_date=${to}`
          const { body } = await world.get(path, { key })
          expect(body.error.code).toBe('GRAIN_NOT_AVAILABLE')
          continue
        }
        const body = await read(asset, route, from, to)
        expect(body).toEqual(bodyOf(modelRows(zone, from, to, grain, models), 'start'))
        total ??= body.total
        expect(body.total).toBe(total)
      }
      const daily = await read(asset, 'daily', from, to)
      expect(daily).toEqual(bodyOf(modelRows(zone, from, to, 'day', models), 'date'))
      if (coarsest <= 60) {
        expect(await read(asset, 'hourly', from, to)).toEqual(
          bodyOf(modelRows(zone, from, to, 'hour', models), 'start'),
        )
      }
      const summary = await read(asset, 'summary', from, to)
      expect([summary.total, summary.average]).toEqual([daily.total, daily.average])
      expect(summary.data[0].impressions).toBe(total)
    }),
    { numRuns: 25 },
  )
}, 120_000)

/** Returns the longest native interval of the sensors that were installed between two instants; a quarter hour without any. */
function coarsestMinutes(models: ModelSensor[], first = 0, last = 0): number {
  const installed = models.filter(({ from, to }) => from <= last && (to === null || to > first))
  return installed.length === 0 ? 15 : Math.max(...installed.map(({ minutes }) => minutes))
}

/** Stores the counts of a day while the sensor is installed, unless all are missing, and adds them to the model. */
async function storeCounts(
  make: Factory,
  sensor: MadeSensor,
  model: ModelSensor,
  date: string,
  value: (i: number) => number,
): Promise<void> {
  const starts = intervalStarts((sensor.asset as MadeAsset).timeZone, date, sensor.nativeMinutes)
  const isInstalled = (start: number) => start >= model.from && (model.to === null || start < model.to)
  const counts = starts.map((start, i) => (isInstalled(start) ? value(i) : MISSING))
  if (counts.every(count => count === MISSING)) return
  await make.counts(sensor, date, counts)
  starts.forEach((start, i) => {
    if (counts[i] !== MISSING) model.counts.set(start, counts[i] as number)
  })
}
