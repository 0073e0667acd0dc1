/** Reference implementation of gaps, slow and independent of the service: it looks at each interval, and at each minute, by itself. */
import { Temporal } from 'temporal-polyfill'
import { intervalStarts } from './impressions-model'

/** Instants are in milliseconds since 1970, `to` is exclusive. */
interface Period {
  from: number
  to: number
}

export interface ModelledSensor {
  id: string
  minutes: number
  /** On the asset. */
  installed: Period[]
  /** The begins of the intervals with counts, on any asset. */
  counts: Set<number>
  setAside: Period[]
  offline: Period[]
}

export interface GapRow {
  asset_id: string
  sensor_id: string | null
  from: string
  to: string
  expected: number
  missing: number
  reason: string
}

const datesOf = (from: string, to: string): string[] =>
  Array.from({ length: (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1 }, (_, i) =>
    new Date(Date.parse(from) + i * 86_400_000).toISOString().slice(0, 10),
  )

const endOfDay = (zone: string, date: string): number =>
  Temporal.PlainDate.from(date).add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds

/** Returns the rows of an asset on a range of days, `to` inclusive. */
export function modelGaps(asset: string, zone: string, from: string, to: string, sensors: ModelledSensor[]): GapRow[] {
  const gaps: (Period & { sensor: string | null; intervals: number; reason: string })[] = []
  const measured = new Set<number>()
  const add = (sensor: string | null, period: Period, intervals: number, reason: string) => {
    const last = gaps.findLast(gap => gap.sensor === sensor)
    if (last?.to === period.from && last.reason === reason) {
      last.to = period.to
      last.intervals += intervals
    } else gaps.push({ sensor, ...period, intervals, reason })
  }
  for (const { id, minutes, installed, counts, setAside, offline } of sensors) {
    const newest = Math.max(...counts)
    for (const date of datesOf(from, to)) {
      const starts = intervalStarts(zone, date, minutes)
      for (const [i, start] of starts.entries()) {
        if (!installed.some(period => start >= period.from && start < period.to)) continue
        const end = starts[i + 1] ?? endOfDay(zone, date)
        for (let minute = start; minute < end; minute += 60_000) measured.add(minute)
        if (counts.has(start)) continue
        let reason = start > newest ? 'not_delivered' : 'unknown'
        if (offline.some(period => period.from < end && period.to > start)) reason = 'sensor_offline'
        if (setAside.some(period => period.from <= start && period.to > start)) reason = 'set_aside'
        add(id, { from: start, to: end }, 1, reason)
      }
    }
  }
  for (const date of datesOf(from, to)) {
    for (const minute of intervalStarts(zone, date, 1)) {
      if (!measured.has(minute)) add(null, { from: minute, to: minute + 60_000 }, 0, 'no_sensor')
    }
  }
  const local = (instant: number) =>
    Temporal.Instant.fromEpochMilliseconds(instant)
      .toZonedDateTimeISO(zone)
      .toString({ timeZoneName: 'never', smallestUnit: 'second' })
  return gaps
    .sort((a, b) => a.from - b.from || (String(a.sensor) < String(b.sensor) ? -1 : 1))
    .map(({ sensor, from, to, intervals, reason }) => ({
      ...{ asset_id: asset, sensor_id: sensor, from: local(from), to: local(to) },
      ...{ expected: intervals, missing: intervals, reason },
    }))
}

/** Returns the nulls of an asset by day, and by hour where it has hours, that are in no gap; and the reasons of its gaps. */
export async function findUnexplained(
  // biome-ignore lint/suspicious/noExplicitAny: bodies are JSON
  read: (path: string) => Promise<any>,
  asset: string,
  from: string,
  to: string,
): Promise<{ nulls: number; unexplained: string[]; reasons: string[] }> {
  const path = `/v1/partner/assets/${asset}/impressions`
  const gaps: GapRow[] = (await read(`${path}/gaps?from_date=${from}&to_date=${to}`)).data
  const periods = gaps.map(gap => ({ from: Date.parse(gap.from), to: Date.parse(gap.to) }))
  const nulls: string[] = []
  for (const grain of ['day', 'hour']) {
    for (let day = Date.parse(from); day <= Date.parse(to); day += 420 * 86_400_000) {
      const last = new Date(Math.min(day + 419 * 86_400_000, Date.parse(to))).toISOString().slice(0, 10)
      const range = `from_date=${new Date(day).toISOString().slice(0, 10)}&to_date=${last}`
      const { data = [] } = await read(`${path}/timeseries?grain=${grain}&${range}`)
      for (const { start, impressions } of data) if (impressions === null) nulls.push(start)
    }
  }
  const isExplained = (start: string) =>
    periods.some(gap => gap.from <= Date.parse(start) && gap.to > Date.parse(start))
  const unexplained = nulls.filter(start => !isExplained(start))
  return { nulls: nulls.length, unexplained, reasons: [...new Set(gaps.map(({ reason }) => reason))].sort() }
}
