/** Checks totals and hours of sensor-days, which are sums of their counts, and that none of these is set aside. */

import type { ClientBase } from 'pg'
import { NATIVE_MINUTES } from '../calendar/grains'
import { intervalStarts, type LocalDayCache } from '../calendar/local-day-cache'
import { dayNumber } from '../calendar/local-days'
import { MISSING, unpack } from '../calendar/packed-counts'
import { type PackedDay, packDay } from '../counts/sensor-day'
import { type SetAside, SetAsideDay, selectSetAsides } from '../counts/set-aside-day'
import { readBatches } from '../cursor'
import { loadLocalDays } from '../zones/rules-in-force'
import { type Bounds, type Difference, inAssets, inDays, type OnDifference, type Part } from './parts'

/** Days in memory at once. */
const BATCH = 200

interface StoredDay {
  asset: number
  sensor: number
  date: string
  zone: string
  row: string
  native_minutes: number
  impressions: number
  observed: number
  hours: Buffer
  counts: Buffer
  set_asides: SetAside[] | null
}

export type RepairedDay = readonly [StoredDay, PackedDay]

/**
 * Returns the parts.
 *
 * @param repair stores the expected values of days
 */
export const sensorDayParts = (
  bounds: readonly Bounds[],
  repair?: (days: readonly RepairedDay[]) => Promise<void>,
): Part[] =>
  bounds.map(each => ({
    table: 'sensor_days',
    check: (client, onDifference) => checkSensorDays(client, each, repair, onDifference),
  }))

async function checkSensorDays(
  client: ClientBase,
  bounds: Bounds,
  repair: ((days: readonly RepairedDay[]) => Promise<void>) | undefined,
  onDifference: OnDifference,
): Promise<number> {
  const days = await loadLocalDays(client)
  let checked = 0
  const stored = `SELECT d.asset, d.sensor, d.date, a.time_zone AS zone, d.native_minutes, d.impressions, d.observed,
      d.hours, d.counts, ${selectSetAsides('d')} AS set_asides, s.serial || ' on ' || a.id || ' at ' || d.date AS row
    FROM sensor_days d JOIN assets a ON a.number = d.asset JOIN sensors s ON s.number = d.sensor
    WHERE ${inAssets(bounds, 'd.asset')} AND ${inDays(bounds, 'd.date')} ORDER BY d.asset, d.date, d.sensor`
  for await (const rows of readBatches<StoredDay>(client, stored, BATCH)) {
    const wrong: RepairedDay[] = []
    for (const stored of rows) {
      const expected = expectedDay(stored, days)
      const differences = [...compareDay(stored, expected), ...(expected ? findSetAside(stored, days) : [])]
      for (const difference of differences) await onDifference(difference)
      if (expected && differences.some(({ repairable }) => repairable)) wrong.push([stored, expected])
    }
    if (repair && wrong.length > 0) await repair(wrong)
    checked += rows.length
  }
  return checked
}

/** Undefined where the counts cannot be read. */
function expectedDay({ zone, date, native_minutes, counts }: StoredDay, days: LocalDayCache): PackedDay | undefined {
  const day = days.day(zone, dayNumber(date))
  const starts = intervalStarts(day, native_minutes)
  try {
    return packDay(day, starts, unpack(counts, starts.length))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function compareDay(stored: StoredDay, expected: PackedDay | undefined): Difference[] {
  const inRow = { table: 'sensor_days', row: stored.row }
  if (!expected) {
    const texts = { stored: `${stored.counts.length} bytes`, expected: 'as many counts as the day has intervals' }
    return [{ ...inRow, column: 'counts', ...texts, repairable: false }]
  }
  return (['impressions', 'observed', 'hours'] as const).flatMap(column => {
    const [before, after] = [stored[column], expected[column]].map(formatStored) as [string, string]
    return before === after ? [] : [{ ...inRow, column, stored: before, expected: after, repairable: true }]
  })
}

/** Such counts are in two tables, or an import or `set-aside` would have diverted them. */
function findSetAside(
  { set_asides, zone, date, native_minutes, counts, row }: StoredDay,
  days: LocalDayCache,
): Difference[] {
  if (!set_asides) return []
  const day = days.day(zone, dayNumber(date))
  const starts = intervalStarts(day, native_minutes)
  // A daily count keeps its date when that begins elsewhere: it may begin in a stretch that has not taken it.
  const setAside = new SetAsideDay(set_asides, day, starts, native_minutes, () => native_minutes < NATIVE_MINUTES.day)
  const within = unpack(counts, starts.length).filter((count, i) => count !== MISSING && setAside.has(i)).length
  if (within === 0) return []
  const texts = { stored: `${within} in a stretch that is set aside`, expected: 'none there' }
  return [{ table: 'sensor_days', row, column: 'counts', ...texts, repairable: false }]
}

const formatStored = (value: number | Buffer): string =>
  typeof value === 'number' ? String(value) : value.toString('hex')

/** Stores the expected values of days. */
export async function storeDays(client: ClientBase, days: readonly RepairedDay[]): Promise<void> {
  await client.query(
    `UPDATE sensor_days d SET impressions = e.impressions, observed = e.observed, hours = e.hours
     FROM unnest($1::integer[], $2::integer[], $3::date[], $4::bigint[], $5::smallint[], $6::bytea[])
       AS e (asset, sensor, date, impressions, observed, hours)
     WHERE (d.asset, d.sensor, d.date) = (e.asset, e.sensor, e.date)`,
    [
      days.map(([{ asset }]) => asset),
      days.map(([{ sensor }]) => sensor),
      days.map(([{ date }]) => date),
      days.map(([, { impressions }]) => impressions),
      days.map(([, { observed }]) => observed),
      days.map(([, { hours }]) => hours),
    ],
  )
}
