/** Compares the routes of gaps with a slow reference implementation, on generated histories of sensors. */
import fc from 'fast-check'
import { MISSING } from '../../../db/calendar/packed-counts'
import type { Made, MadeAsset } from '../../support/factories'
import { type GapRow, type ModelledSensor, modelGaps } from '../../support/gaps-model'
import { intervalStarts } from '../../support/impressions-model'
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

const HOUR = 3_600_000
const DAY = 24 * HOUR
const iso = (instant: number) => new Date(instant).toISOString()
const dateOf = (instant: number) => iso(instant).slice(0, 10)

/** Dates near changes of the UTC offset. */
const DATES: Record<string, string> = {
  'Europe/Berlin': '2025-10-25',
  'America/New_York': '2026-03-07',
  'Australia/Lord_Howe': '2026-04-04',
  'Pacific/Apia': '2011-12-29',
  'America/Havana': '2025-11-01',
  UTC: '2026-02-27',
}

const period = fc.record({ after: fc.integer({ min: -20, max: 70 }), hours: fc.constantFrom(0.25, 3, 30) })

const history = fc.record({
  zone: fc.constantFrom(...Object.keys(DATES)),
  otherZone: fc.constantFrom(...Object.keys(DATES)),
  length: fc.integer({ min: 1, max: 4 }),
  sensors: fc.array(
    fc.record({
      grain: fc.constantFrom('minute', 'quarter_hour', 'hour', 'day' as const),
      /** Hours on the asset, on the other one, and on none, in turn. */
      hours: fc.array(fc.constantFrom(0.3, 5, 19.5, 40, 2000), { minLength: 1, maxLength: 4 }),
      missing: fc.constantFrom(0, 0, 2, 50),
      seed: fc.nat({ max: 1000 }),
      deliveredHours: fc.constantFrom(0, 30.1, 55, 500),
      setAside: fc.option(period, { nil: undefined }),
      offline: fc.array(period, { maxLength: 2 }),
    }),
    { maxLength: 3 },
  ),
})

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never

async function makeHistory({ zone, otherZone, sensors }: History): Promise<[MadeAsset[], ModelledSensor[][]]> {
  const begin = Date.parse(DATES[zone] as string)
  return world.make.together(async make => {
    const assets = [await make.asset({ company, time_zone: zone }), await make.asset({ company, time_zone: otherZone })]
    const models: ModelledSensor[][] = [[], []]
    for (const { grain, hours, missing, seed, deliveredHours, setAside, offline } of sensors) {
      const sensor = await make.sensor({ asset: null, grain })
      const counts = new Set<number>()
      const installed: { from: number; to: number }[][] = [[], []]
      let at = begin - 10 * HOUR
      for (const [i, length] of hours.entries()) {
        const to = Math.round(at + length * HOUR)
        const asset = assets[i % 3]
        if (asset) {
          await make.installation(sensor, asset, iso(at), iso(to))
          installed[i % 3]?.push({ from: at, to })
        }
        at = to
      }
      for (const [i, asset] of assets.entries()) {
        for (let day = begin - 2 * DAY; day < begin + 6 * DAY; day += DAY) {
          const starts = intervalStarts(asset.timeZone, dateOf(day), sensor.nativeMinutes)
          const stored = starts.map((start, interval) => {
            const isInstalled = installed[i]?.some(({ from, to }) => start >= from && start < to)
            const isMissing = missing > 0 && (interval * 7 + seed) % missing === 0
            if (!isInstalled || isMissing || start > begin + deliveredHours * HOUR) return MISSING
            counts.add(start)
            return interval % 7
          })
          if (stored.some(count => count !== MISSING)) await make.counts({ ...sensor, asset }, dateOf(day), stored)
        }
      }
      const periodOf = ({ after, hours }: { after: number; hours: number }) => ({
        from: begin + after * HOUR,
        to: begin + (after + hours) * HOUR,
      })
      const apart = offline.map(periodOf).filter((each, i, all) => i === 0 || each.from > (all[0]?.to ?? 0) + 2 * HOUR)
      for (const { from, to } of apart) await make.health(sensor, iso(from), iso(to), 'offline')
      if (setAside) await make.setAside(sensor, iso(periodOf(setAside).from), iso(periodOf(setAside).to))
      for (const [i] of assets.entries()) {
        models[i]?.push({
          ...{ id: sensor.id, minutes: sensor.nativeMinutes, installed: installed[i] ?? [], counts },
          setAside: setAside ? [periodOf(setAside)] : [],
          // The last check applies for an hour. A company reads the checks of a sensor for the time at which it was on one of its assets.
          offline: apart
            .filter(check => installed.flat().some(({ from, to }) => check.from < to && check.to >= from))
            .map(({ from, to }) => ({ from, to: to + HOUR })),
        })
      }
    }
    return [assets, models] as [MadeAsset[], ModelledSensor[][]]
  })
}

test('the gaps of any history equal those of the model, and are what coverage misses', async () => {
  await fc.assert(
    fc.asyncProperty(history, async generated => {
      const [assets, models] = await makeHistory(generated)
      const from = DATES[generated.zone] as string
      const to = dateOf(Date.parse(from) + (generated.length - 1) * DAY)
      const range = `from_date=${from}&to_date=${to}`
      const expected = assets.map((asset, i) => modelGaps(asset.id, asset.timeZone, from, to, models[i] ?? []))
      for (const [i, asset] of assets.entries()) {
        const path = `/v1/partner/assets/${asset.id}/impressions`
        const { data } = await world.read(`${path}/gaps?${range}`, key)
        expect(data).toEqual(expected[i])
        const missing = (data as GapRow[]).reduce((sum, row) => sum + row.missing, 0)
        const { rows } = await world.owner.query(
          'SELECT coalesce(sum(observed), 0)::integer AS observed FROM sensor_days WHERE asset = $1 AND date BETWEEN $2 AND $3',
          [asset.number, from, to],
        )
        const { coverage } = (await world.read(`${path}/summary?${range}`, key)).data[0]
        const observed = rows[0].observed
        expect(coverage).toBeCloseTo(observed === 0 ? 0 : observed / (observed + missing), 3)
        // Every null has a reason.
        const daily = (await world.read(`${path}/daily?${range}`, key)).data
        for (const { date, impressions } of daily) {
          if (impressions !== null || intervalStarts(asset.timeZone, date, 1).length === 0) continue
          expect(data.some((gap: GapRow) => gap.from.slice(0, 10) <= date && gap.to > date)).toBe(true)
        }
      }
      const ids = assets.map(({ id }) => id).join()
      const page = await world.read(`/v1/partner/gaps?${range}&asset_ids=${ids}`, key)
      const both = assets.map(({ id }, i) => ({ id, rows: expected[i] ?? [] })).sort((a, b) => (a.id < b.id ? -1 : 1))
      expect(page.data).toEqual(both.flatMap(({ rows }) => rows))
    }),
    { numRuns: 40 },
  )
}, 180_000)
