/** The counts of the demo and who was counted, made with operations that give the same result on every machine. */
import { type Day, listDays, listStarts, weekdayOf } from '../../db/calendar/local-days'
import { MISSING } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { AGE_BANDS, GENDERS } from '../../db/queries/demographics'
import { ASSETS, type Asset, chances, dateBefore, moveDate, SENSORS, type Sensor, split } from './network'

/** Returns the days with counts of all sensors, of the last `days` before `now` (seconds since 1970). */
export function* sensorDays(now: number, days: number) {
  for (const sensor of SENSORS.filter(({ asset }) => asset.status === 'active')) {
    const [first, last] = [days, sensor.condition === '?' ? 6 : 1].map(ago => dateBefore(now, sensor.asset, ago))
    const moved = moveDate(now, sensor.asset)
    for (const day of listDays(readNodeRules(sensor.asset.time_zone), first!, last!)) {
      const asset = sensor.next && day.date >= moved ? sensor.next : sensor.asset
      const counts = generateCounts(sensor, asset, day)
      if (counts) yield { sensor, asset, date: day.date, start: day.start, counts }
    }
  }
}

/** The counts of a day; undefined if the whole day is missing. */
function generateCounts({ serial, minutes, condition, daily }: Sensor, asset: Asset, day: Day): Int32Array | undefined {
  const chance = chances('day', serial, day.date)
  if (chance() < (condition === '!' ? 0.05 : 0.005)) return undefined
  const weather = 0.85 + 0.3 * chances('weather', asset.city, day.date)()
  const expectedToday = daily * weather * (weekdayOf(day.number) > 5 ? asset.weekend : 1)
  const counts = Int32Array.from(listStarts(day, minutes), start => {
    const expected = expectedToday * asset.hours[Math.floor(start / 3600) % 24]! * (minutes / 60)
    // About the deviation of a Poisson distribution.
    return Math.max(0, Math.round(expected + Math.sqrt(3 * expected) * (2 * chance() - 1)))
  })
  if (chance() < (condition === '!' ? 0.7 : 0.08)) {
    const gap = Math.floor(chance() * counts.length)
    counts.fill(MISSING, gap, gap + 1 + Math.floor((chance() * counts.length) / 6))
  }
  return counts
}

/** In percent, in the order of AGE_BANDS and GENDERS. */
const AGES = [8, 17, 24, 19, 15, 10, 5, 2]
const SEXES = [48, 49, 3]

/** The impressions of an asset on a day. */
export interface DayTotal {
  asset_id: string
  date: string
  impressions: number
}

export function generateOrigins({ asset_id, date, impressions }: DayTotal) {
  const chance = chances('origins', asset_id, date)
  const { homes } = ASSETS.find(({ id }) => id === asset_id)!
  const weights = homes.map(({ weight }) => weight * (0.85 + 0.3 * chance()))
  const parts = split(0.95 * impressions, weights)
  return homes.map((home, i) => ({ ...home, asset_id, date, impressions: Math.floor(parts[i]!) }))
}

export function generateDemographics({ asset_id, date, impressions }: DayTotal) {
  const [ofAsset, ofDay] = [chances('demographics', asset_id), chances('demographics', asset_id, date)]
  const ages = AGES.map(percent => percent * (0.6 + 0.8 * ofAsset()))
  const weights = ages.flatMap(age => SEXES.map(percent => age * percent * (0.9 + 0.2 * ofDay())))
  return split(0.97 * impressions, weights).map((part, i) => {
    const [gender, age_band] = [GENDERS[i % 3], AGE_BANDS[Math.floor(i / 3)]]
    return { asset_id, date, gender, age_band, impressions: Math.floor(part) }
  })
}
