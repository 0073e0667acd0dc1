/** Counts of sensors: a limited number of packed days, from which every sensor draws its own sequence. */

import { LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber, listStarts } from '../../db/calendar/local-days'
import { MISSING } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { packDay } from '../../db/counts/sensor-day'
import { chances } from '../../db/seeds/demo/random'
import { LAST_DAY, LEVELS } from './population'

/** A packed day. */
interface PackedDay {
  impressions: number
  /** The last columns of its row in COPY's text format. */
  columns: string
}

/** The number of different days of each kind. */
const VARIANTS = 61

/** The traffic of each hour as a factor of the day's average. */
const BY_HOUR = [
  0.2, 0.1, 0.1, 0.1, 0.2, 0.5, 1, 1.6, 1.9, 1.4, 1.2, 1.3, 1.5, 1.4, 1.3, 1.4, 1.6, 1.9, 1.8, 1.3, 0.9, 0.6, 0.4, 0.3,
]

/** The average count of an average asset. */
const PER_MINUTE = 25

export class PackedDays {
  private readonly clocks = new LocalDayCache({ get: readNodeRules })
  private readonly byKind = new Map<string, PackedDay[]>()

  /** @param back days before LAST_DAY @param draw selects one of the variants */
  day(back: number, zone: string, minutes: number, level: number, draw: number): { date: string; packed: PackedDay } {
    const day = this.clocks.day(zone, dayNumber(LAST_DAY) - back)
    const length = day.regular ? '' : `${zone} ${day.date}`
    const kind = `${minutes} ${level} ${length}`
    let variants = this.byKind.get(kind)
    if (!variants) {
      const chance = chances('bench', kind)
      const starts = listStarts(day, minutes)
      variants = Array.from({ length: day.regular ? VARIANTS : 1 }, () => {
        const { impressions, observed, hours, counts } = packDay(
          day,
          starts,
          generateCounts(starts, minutes, level, chance),
        )
        const columns = `${impressions}\t${observed}\t\\\\x${hours.toString('hex')}\t\\\\x${counts.toString('hex')}\n`
        return { impressions, columns }
      })
      this.byKind.set(kind, variants)
    }
    return { date: day.date, packed: variants[draw % variants.length]! }
  }
}

/** One day in ten has a gap of an eighth of its length. */
function generateCounts(starts: readonly number[], minutes: number, level: number, chance: () => number): number[] {
  const factor = PER_MINUTE * minutes * LEVELS[level]! * (0.8 + 0.4 * chance())
  const gap = chance() < 0.1 ? Math.floor(chance() * starts.length) : starts.length
  return starts.map((second, i) =>
    i >= gap && i < gap + starts.length / 8
      ? MISSING
      : Math.round(factor * BY_HOUR[Math.floor(second / 3600) % 24]! * (0.6 + 0.8 * chance())),
  )
}
