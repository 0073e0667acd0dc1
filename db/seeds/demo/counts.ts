/** The counts of the demo, made with operations that give the same result on every machine. */
import { type Day, dayNumber, listDays, listStarts, weekdayOf } from '../../calendar/local-days'
import { MISSING } from '../../calendar/packed-counts'
import { type Asset, SHAPES, type Shape } from './assets'
import { chances } from './random'
import { dateBefore, rulesOf, type Sensor } from './sensors'

/** Returns the counts of sensors on the last `days` local days before `now` (seconds since 1970). */
export function* sensorDays(sensors: readonly Sensor[], now: number, days: number) {
  for (const sensor of sensors) {
    for (const { asset, from, to } of sensor.installations) {
      const first = [from, dateBefore(now, asset, days)].sort()[1]!
      for (const day of first <= to ? listDays(rulesOf(asset), first, to) : []) {
        const counts = generateCounts(sensor, asset, day)
        if (counts) yield { serial: sensor.serial, asset, date: day.date, start: day.start, counts }
      }
    }
  }
}

/** The counts of a day; undefined if the whole day is missing. */
function generateCounts({ serial, minutes, condition, daily }: Sensor, asset: Asset, day: Day): Int32Array | undefined {
  const chance = chances('day', serial, day.date)
  if (chance() < (condition === '!' ? 0.05 : 0.005)) return undefined
  const weather = 0.85 + 0.3 * chances('weather', asset.city, day.date)()
  const hours = distributeHours(asset.shape, day.date).map(part => part * daily * weather * (minutes / 60))
  const starts = listStarts(day, minutes)
  const counts = new Int32Array(starts.length)
  for (let i = 0, zone = 0; i < counts.length; i++) {
    const middle = day.start + starts[i]! + 30 * minutes
    while ((day.zoneIntervals[zone + 1]?.at ?? middle + 1) <= middle) zone++
    // In hours since half past midnight, to interpolate between the middles of the hours.
    const time = ((middle + (day.zoneIntervals[zone]?.offset ?? 0) + 84_600) % 86_400) / 3600
    const hour = Math.floor(time)
    const here = hours[hour]!
    const expected = here + (hours[(hour + 1) % 24]! - here) * (time - hour)
    // About the deviation of a Poisson distribution.
    counts[i] = Math.max(0, Math.round(expected + Math.sqrt(3 * expected) * (2 * chance() - 1)))
  }
  if (chance() < (condition === '!' ? 0.7 : 0.08)) {
    const gap = Math.floor(chance() * counts.length)
    counts.fill(MISSING, gap, gap + 1 + Math.floor((chance() * counts.length) / 6))
  }
  return counts
}

/** Returns the parts of an average day's audience by hour: those of a week add up to 7. */
function distributeHours(shape: Shape, date: string): number[] {
  const [weekday = [], weekend = []] = SHAPES[shape].split('\n').map(row => row.trim().split(' ').map(Number))
  const week = 5 * sum(weekday) + 2 * sum(weekend)
  return (weekdayOf(dayNumber(date)) > 5 ? weekend : weekday).map(hour => (7 * hour) / week)
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
