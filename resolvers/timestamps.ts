/** RFC 3339 time stamps in local time, made by stretches of one offset rather than one by one. */
import type { Day } from '../db/calendar'

const two = (number: number): string => String(number).padStart(2, '0')

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
  let stretch = 0
  let suffix = ''
  let shift = 0
  let until = -1
  for (const second of seconds) {
    if (second >= until) {
      while (day.stretches[stretch + 1] && (day.stretches[stretch + 1] as { at: number }).at <= day.start + second)
        stretch++
      const { offset } = day.stretches[stretch] as { offset: number }
      until = (day.stretches[stretch + 1]?.at ?? Number.POSITIVE_INFINITY) - day.start
      shift = day.start + offset
      suffix = offsetText(offset)
    }
    const local = shift + second
    const ofDay = ((local % 86_400) + 86_400) % 86_400
    texts.push(`${dateAt(day, local)}T${CLOCK[Math.floor(ofDay / 60)]}:${two(ofDay % 60)}${suffix}`)
  }
  return texts
}

/** The local date of an instant of the day: its own, but where a zone left a day out, or went back across midnight. */
function dateAt(day: Day, local: number): string {
  const number = Math.floor(local / 86_400)
  return number * 86_400_000 === Date.parse(day.date)
    ? day.date
    : new Date(number * 86_400_000).toISOString().slice(0, 10)
}
