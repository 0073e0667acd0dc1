/** RFC 3339 time stamps in local time, made by stretches of one offset rather than one by one. */
import { type Day, dateOf } from '../../db/calendar/local-days'

const two = (number: number): string => (number < 10 ? `0${number}` : String(number))

/** `HH:MM` of each minute of a day. */
export const CLOCK = Array.from({ length: 1440 }, (_, minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`)

/** `+02:00` for 7200. Offsets of old times that are no whole minutes are told by their minute, as RFC 3339 has no finer. */
export function offsetText(offset: number): string {
  const minutes = Math.trunc(Math.abs(offset) / 60)
  return `${offset < 0 ? '-' : '+'}${CLOCK[minutes]}`
}

/** Time stamps of instants within a day, told as seconds from its start, ascending. */
export function timestamps(day: Day, seconds: readonly number[]): string[] {
  const texts: string[] = []
  let i = 0
  day.zoneIntervals.forEach(({ offset }, stretch) => {
    const end = (day.zoneIntervals[stretch + 1]?.at ?? Number.POSITIVE_INFINITY) - day.start
    // Where a zone went back across midnight, a stretch may lie on another date than its day.
    let midnight = Number.NaN
    let date = ''
    const suffix = offsetText(offset)
    for (; i < seconds.length && (seconds[i] as number) < end; i++) {
      const local = day.start + (seconds[i] as number) + offset
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
