/** The counts of the demo and who was counted, made with operations that give the same result on every machine. */
import { type Day, listStarts, weekdayOf } from '../../db/calendar/local-days'
import { MISSING } from '../../db/calendar/packed-counts'
import { AGE_BANDS, GENDERS } from '../../db/queries/demographics'
import { ASSETS, chances, type Sensor, vary } from './network'

/** Percent of a usual day, from Monday on, and of its impressions, by hour. */
const WEEKDAYS = [100, 101, 103, 105, 112, 95, 68]
const HOURS = [1, 1, 0, 0, 1, 2, 4, 6, 7, 6, 5, 5, 6, 6, 5, 5, 6, 8, 7, 6, 5, 4, 3, 1]

/** Returns the counts of a day; undefined if the whole day is missing. */
export function generateCounts({ serial, minutes, daily, health }: Sensor, day: Day): Int32Array | undefined {
  const chance = chances('day', serial, day.date)
  const gaps = health === 'degraded' ? 0.6 : 0.06
  if (chance() < gaps / 10) return undefined
  const today = vary((daily * WEEKDAYS[weekdayOf(day.number) - 1]!) / 100, chance)
  const counts = Int32Array.from(listStarts(day, minutes), start => {
    const ofHour = (today * HOURS[Math.floor(start / 3600) % 24]!) / 100
    return Math.round(vary((ofHour * minutes) / 60, chance))
  })
  const gap = Math.floor(chance() * counts.length)
  if (chance() < gaps) counts.fill(MISSING, gap, gap + 1 + Math.floor((chance() * counts.length) / 6))
  return counts
}

/** The impressions of an asset on a day. */
export interface DayTotal {
  asset_id: string
  date: string
  impressions: number
}

/** Percent of the impressions of a day by home: the city of the asset, and those of the assets after it. */
const HOMES = [70, 14, 8, 3]

export function generateOrigins({ asset_id, date, impressions }: DayTotal) {
  const index = ASSETS.findIndex(({ id }) => id === asset_id)
  return HOMES.map((percent, i) => {
    const { country, region, city } = ASSETS[(index + 6 * i) % ASSETS.length]!
    return { asset_id, date, country, region, city, impressions: Math.floor((impressions * percent) / 100) }
  })
}

/** Percent of the impressions of a day, in the order of AGE_BANDS and GENDERS. */
const AGE_PERCENT = [8, 17, 24, 19, 15, 10, 5, 2]
const GENDER_PERCENT = [47, 48, 2]

export function generateDemographics({ asset_id, date, impressions }: DayTotal) {
  return AGE_BANDS.flatMap((age_band, i) =>
    GENDERS.map((gender, j) => {
      const part = Math.floor((impressions * AGE_PERCENT[i]! * GENDER_PERCENT[j]!) / 10_000)
      return { asset_id, date, gender, age_band, impressions: part }
    }),
  )
}
