/** Formats RFC 3339 time stamps in local time, by intervals of one UTC offset rather than one by one. */
import { type Day, dateOf, listStarts } from '../../db/calendar/local-days'
import type { ZoneRules } from '../../db/calendar/zone-rules'

const two = (number: number): string => (number < 10 ? `0${number}` : String(number))

/** `HH:MM` of each minute of a day. */
export const CLOCK = Array.from({ length: 1440 }, (_, minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`)

/** `+02:00` for 7200. Historic offsets with seconds are cut to minutes: RFC 3339 has nothing finer. */
export function offsetText(offset: number): string {
  const minutes = Math.trunc(Math.abs(offset) / 60)
  return `${offset < 0 ? '-' : '+'}${CLOCK[minutes]}`
}

/** The last time that RFC 3339 can write, in local seconds since 1970. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

/** Returns the time stamp of one instant, with milliseconds if it has any. The end of the last day of the calendar is its last second. */
export function timestamp(rules: ZoneRules, instant: number): string {
  const offset = rules.offsetAt(instant)
  const local = new Date(Math.round(Math.min(instant + offset, LAST_TIME) * 1000)).toISOString()
  return `${local.replace(/(\.000)?Z$/, '')}${offsetText(offset)}`
}

/** The times of the intervals of regular days, without their dates, by length and offset. */
const regularTimes = new Map<string, readonly string[]>()

/** Returns the time stamps of the starts of a day's intervals of `minutes`. */
export function listTimestamps(day: Day, minutes: number): string[] {
  if (!day.regular) return timestamps(day, listStarts(day, minutes))
  const key = `${minutes} ${day.zoneIntervals[0].offset}`
  const times =
    regularTimes.get(key) ?? timestamps(day, listStarts(day, minutes)).map(text => text.slice(day.date.length))
  regularTimes.set(key, times)
  return times.map(time => day.date + time)
}

/** Returns time stamps of instants within a day. @param seconds from its start, ascending */
export function timestamps(day: Day, seconds: readonly number[]): string[] {
  const texts: string[] = []
  let i = 0
  day.zoneIntervals.forEach(({ offset }, interval) => {
    const end = (day.zoneIntervals[interval + 1]?.at ?? Number.POSITIVE_INFINITY) - day.start
    // If clocks went back across midnight, part of a day has another date.
    let midnight = Number.NaN
    let date = ''
    const suffix = offsetText(offset)
    for (; i < seconds.length && seconds[i]! < end; i++) {
      const local = day.start + seconds[i]! + offset
      if (!(local >= midnight && local < midnight + 86_400)) {
        midnight = Math.floor(local / 86_400) * 86_400
        date = `${dateOf(midnight / 86_400)}T`
      }
      const ofDay = local - midnight
      texts.push(`${date}${CLOCK[Math.floor(ofDay / 60)]}:${two(ofDay % 60)}${suffix}`)
    }
  })
  return texts
}
