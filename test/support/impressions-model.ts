/** The native intervals of local days, independent of the service: by Temporal. */
import { Temporal } from 'temporal-polyfill'

const startsCache = new Map<string, number[]>()

/** The starts of the native intervals of a local day, in milliseconds since 1970. */
export function intervalStarts(zone: string, date: string, minutes: number): number[] {
  const name = `${zone} ${date} ${minutes}`
  const starts = startsCache.get(name) ?? computeStarts(zone, date, minutes)
  startsCache.set(name, starts)
  return starts
}

/** Clocks change at whole quarters of an hour, so that steps of a quarter find every change. */
function computeStarts(zone: string, date: string, minutes: number): number[] {
  const day = Temporal.PlainDate.from(date)
  const start = day.toZonedDateTime(zone).epochMilliseconds
  const end = day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds
  if (minutes === 1440) return end > start ? [start] : []
  const step = Math.min(minutes, 15) * 60_000
  const starts = Array.from({ length: Math.ceil((end - start) / step) }, (_, i) => start + i * step)
  if (minutes < 60) return starts
  const hours = starts.map(instant => hourOf(instant, zone))
  return starts.filter((_, i) => hours[i] !== hours[i - 1])
}

const hourCache = new Map<string, string>()

/** Returns the local hour with its UTC offset, which distinguishes the two passes of a repeated hour. */
function hourOf(instant: number, zone: string): string {
  const quarter = instant - (instant % 900_000)
  const name = `${zone} ${quarter}`
  const cached = hourCache.get(name)
  if (cached) return cached
  const local = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(zone)
  const hour = `${local.hour} ${local.offset}`
  hourCache.set(name, hour)
  return hour
}
