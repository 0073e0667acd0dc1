/**
 * What the demo's sensors counted: one list a sensor and local day, by the shape of the place, the weather and holidays of its
 * city, and some chance; with intervals, hours and days that are missing. Made with the four operations and the square
 * root only, which give the same numbers on every machine.
 */
import { type Day, dateOf, dayNumber, daysOf, startsOf } from '../../calendar/local-days'
import { MISSING } from '../../calendar/packed-counts'
import type { Face } from './assets'
import { bits, chances } from './random'
import { DAYS, type Sensor, sensorsAt, windowOf } from './sensors'
import { SHAPES, weekdayOf } from './shapes'

export interface SensorDay {
  serial: string
  face: Face
  date: string
  /** One entry a native interval of the local day, MISSING where nothing was observed. */
  counts: Int32Array
}

/** Every day of every sensor that the demo tells of at `now` (seconds since 1970), so many days back. */
export function* sensorDaysAt(now: number, days = DAYS): Generator<SensorDay> {
  const calendar = openCalendar()
  for (const sensor of sensorsAt(now, days)) {
    for (const [i, post] of sensor.posts.entries()) {
      const { zone } = post.face.city
      const [from, to] = post.counts ?? windowOf(zone, now, days)
      const [, first] = [post.from, from].sort() as [string, string]
      const until = post.until ?? sensor.posts[i + 1]?.from
      const last = until && until <= to ? dateOf(dayNumber(until) - 1) : to
      for (const day of first <= last ? calendar(zone, first, last) : []) {
        const counts = countsOf(sensor, post.face, day)
        if (counts) yield { serial: sensor.serial, face: post.face, date: day.date, counts }
      }
    }
  }
}

/** Looks up the days of zones; most sensors of a zone ask for the same ones. */
function openCalendar(): typeof daysOf {
  const known = new Map<string, Day[]>()
  return (zone, from, to) => {
    const key = `${zone} ${from} ${to}`
    const days = known.get(key) ?? daysOf(zone, from, to)
    known.set(key, days)
    return days
  }
}

/** One day of a sensor; nothing where the whole day is missing. */
export function countsOf(sensor: Sensor, face: Face, day: Day): Int32Array | undefined {
  const gaps = chances('gaps', sensor.serial, day.date)
  const patchy = sensor.condition === 'patchy' || (sensor.condition === 'silent' && face.status === 'active')
  if (gaps() < (patchy ? 0.05 : 0.006)) return undefined
  const starts = startsOf(day, sensor.vendor.minutes)
  const minutes = minutesOf(face, day)
  const level = sensor.daily * moodOf(face, day.date) * (0.94 + 0.12 * gaps())
  const next = bits('counts', sensor.serial, day.date)
  const counts = new Int32Array(starts.length)
  for (let i = 0, minute = 0; i < counts.length; i++) {
    const end = i + 1 < starts.length ? (starts[i + 1] as number) / 60 : minutes.length
    let expected = 0
    for (; minute < end; minute++) expected += minutes[minute] as number
    counts[i] = expected === 0 ? 0 : around(expected * level, next())
  }
  leaveOut(counts, sensor.vendor.minutes, patchy, gaps)
  return counts
}

/** A whole number near `expected`, as wide around it as counts of chance are; `bits` holds three numbers of chance. */
function around(expected: number, bits: number): number {
  const chance = (bits & 1023) + ((bits >>> 10) & 1023) + ((bits >>> 20) & 1023)
  const count = Math.floor(expected + Math.sqrt(expected) * (chance / 512 - 3) + (bits >>> 30) / 4 + 0.125)
  return Math.max(count, 0)
}

/** What part of an average day each minute of the day brings, by the clock on the wall: an hour may be skipped or come twice. */
function minutesOf(face: Face, day: Day): Float64Array {
  const shape = SHAPES[face.shape][weekdayOf(dayNumber(day.date), day.date)] as Float64Array
  if (day.zoneIntervals.length === 1 && day.end - day.start === 86_400) return shape
  const minutes = new Float64Array((day.end - day.start) / 60)
  day.zoneIntervals.forEach(({ at, offset }, i) => {
    const end = day.zoneIntervals[i + 1]?.at ?? day.end
    for (let instant = at; instant < end; instant += 60) {
      const minute = Math.floor((instant + offset) / 60) % 1440
      minutes[(instant - day.start) / 60] = shape[minute] as number
    }
  })
  return minutes
}

const SEASON = [0.9, 0.92, 0.97, 1, 1.03, 1.05, 1.01, 0.98, 1.02, 1.03, 1.03, 1.06]

/** How the season and the day's weather move a city's audience: rain empties the streets and fills what has a roof. */
function moodOf(face: Face, date: string): number {
  const weather = chances('weather', face.city.name, date)
  const season = SEASON[Number(date.slice(5, 7)) - 1] as number
  const rain = weather() < 0.27
  const much = weather()
  if (!rain) return season * (0.97 + 0.1 * much)
  return season * (face.indoors ? 1.02 + 0.06 * much : 0.93 - 0.17 * much)
}

/** Leaves out some hours now and then, and some single intervals. */
function leaveOut(counts: Int32Array, minutes: number, patchy: boolean, chance: () => number): void {
  const lose = (length: number): void => {
    const from = Math.floor(chance() * counts.length)
    counts.fill(MISSING, from, from + Math.max(1, Math.round(length / minutes)))
  }
  if (chance() < (patchy ? 0.3 : 0.03)) lose(60 + 300 * chance())
  if (minutes === 60) return
  for (let runs = chance() < (patchy ? 0.7 : 0.15) ? 4 * chance() : 0; runs > 0; runs--) lose(1 + 14 * chance())
}
