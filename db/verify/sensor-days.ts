/**
 * Checks totals and hours of sensor-days, which are sums of their counts. Of these, those of a stretch that is set aside are in its
 * table, and no others.
 */

import type { ClientBase } from 'pg'
import { NATIVE_MINUTES } from '../calendar/grains'
import type { LocalDayCache } from '../calendar/local-day-cache'
import { type Day, dayNumber, listStarts } from '../calendar/local-days'
import { MISSING, unpack } from '../calendar/packed-counts'
import { type PackedDay, packDay } from '../counts/sensor-day'
import { COUNTED_DAYS, CountedDay, type SetAside, selectSetAsides } from '../counts/set-aside-day'
import { readBatches } from '../cursor'
import { loadLocalDays } from '../zones/rules-in-force'
import type { Difference, OnDifference } from './compare'
import type { Part } from './derived-tables'

/** Days in memory at once. */
const BATCH = 200

interface StoredDay {
  /** Null where the counts are not set aside. */
  set_aside: number | null
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

/** Checks the days of a part, and returns their number. With `repairing` the expected values are stored. */
export async function checkSensorDays(
  client: ClientBase,
  { first, last }: Part,
  onDifference: OnDifference,
  repairing: boolean,
): Promise<number> {
  const days = await loadLocalDays(client)
  let checked = 0
  const stored = `SELECT d.set_aside, d.asset, d.sensor, d.date::text, a.time_zone AS zone, d.native_minutes, d.impressions, d.observed,
      d.hours, d.counts, ${selectSetAsides('d')} AS set_asides, s.serial || ' on ' || a.id || ' at ' || d.date AS row
    FROM assets a CROSS JOIN LATERAL (
      SELECT * FROM ${COUNTED_DAYS} AS c WHERE asset = a.number AND date BETWEEN '${first}' AND '${last}' ORDER BY date, sensor, set_aside
    ) AS d JOIN sensors s ON s.number = d.sensor ORDER BY a.number, d.date, d.sensor, d.set_aside`
  for await (const rows of readBatches<StoredDay>(client, stored, BATCH)) {
    const wrong: object[] = []
    for (const stored of rows) {
      const { differences, expected } = checkDay(stored, days)
      for (const difference of differences) await onDifference(difference)
      if (!expected || !differences.some(({ repairable }) => repairable)) continue
      const [{ set_aside, asset, sensor, date }, { impressions, observed, hours }] = [stored, expected]
      wrong.push({ set_aside, asset, sensor, date, impressions, observed, hours: formatStored(hours) })
    }
    for (const statement of repairing && wrong.length > 0 ? STORE : [])
      await client.query(statement, [JSON.stringify(wrong)])
    checked += rows.length
  }
  return checked
}

/** Returns the SQL that stores the expected values in a table. */
const store = (table: string, condition: string): string => `
UPDATE ${table} d SET (impressions, observed, hours) = (e.impressions, e.observed, decode(e.hours, 'hex'))
FROM json_to_recordset($1) AS e
  (set_aside integer, asset integer, sensor integer, date date, impressions bigint, observed smallint, hours text)
WHERE (d.asset, d.sensor, d.date) = (e.asset, e.sensor, e.date) AND ${condition}`

const STORE = [store('sensor_days', 'e.set_aside IS NULL'), store('set_aside_days', 'd.set_aside = e.set_aside')]

/** Compares totals and hours. Nothing is expected where the counts cannot be read. */
function checkDay(stored: StoredDay, days: LocalDayCache): { differences: Difference[]; expected?: PackedDay } {
  const { set_aside, zone, date, native_minutes, counts, row } = stored
  const inRow = { table: set_aside === null ? 'sensor_days' : 'set_aside_days', row }
  const day = days.day(zone, dayNumber(date))
  const starts = listStarts(day, native_minutes)
  try {
    const expected = packDay(day, starts, unpack(counts, starts.length))
    const differences: Difference[] = (['impressions', 'observed', 'hours'] as const).flatMap(column => {
      const [before, after] = [stored[column], expected[column]].map(formatStored) as [string, string]
      return before === after ? [] : [{ ...inRow, column, stored: before, expected: after, repairable: true }]
    })
    const misplaced = describeMisplaced(stored, day, starts)
    if (misplaced !== undefined) {
      differences.push({ ...inRow, column: 'counts', stored: misplaced, expected: 'none there', repairable: false })
    }
    return { differences, expected }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const texts = { stored: `${counts.length} bytes`, expected: 'as many counts as the day has intervals' }
    return { differences: [{ ...inRow, column: 'counts', ...texts, repairable: false }] }
  }
}

/** Describes counts that are set aside and in the numbers, or are outside of the stretch with which they are set aside. */
function describeMisplaced(
  { set_aside, set_asides, native_minutes, counts }: StoredDay,
  day: Day,
  starts: readonly number[],
): string | undefined {
  const isDaily = native_minutes === NATIVE_MINUTES.day
  const stretch = set_asides?.find(({ id }) => id === set_aside)
  // A daily count keeps its date when that begins elsewhere: it may begin in a stretch that has not taken it, or outside of its own.
  const counted = new CountedDay(null, set_asides ?? [], day, starts, () => !isDaily)
  const isMisplaced = (instant: number, i: number) =>
    set_aside === null
      ? counted.isSetAside(i)
      : !isDaily && !(stretch && instant >= stretch.from && instant < stretch.to)
  const { length } = unpack(counts, starts.length).filter(
    (count, i) => count !== MISSING && isMisplaced(day.start + starts[i]!, i),
  )
  if (length === 0) return undefined
  return `${length} ${set_aside === null ? 'in a stretch' : 'outside of the stretch'} that is set aside`
}

const formatStored = (value: number | Buffer): string =>
  typeof value === 'number' ? String(value) : value.toString('hex')
