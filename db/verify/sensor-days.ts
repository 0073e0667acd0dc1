/**
 * Checks sensor-days: totals and hours are sums of the counts, the company is that of the asset, and the sensor is installed there. Of
 * these days, those of a period that is set aside are in its table, and no others.
 */

import type { ClientBase } from 'pg'
import { NATIVE_MINUTES } from '../calendar/grains'
import type { LocalDayCache } from '../calendar/local-day-cache'
import { type Day, dayNumber, listStarts } from '../calendar/local-days'
import { addHours, MISSING, type PackedDay, packDay, unpack } from '../calendar/packed-counts'
import { COUNTED_DAYS, CountedDay, type SetAside, selectSetAsides } from '../counts/set-aside-day'
import { readBatches } from '../cursor'
import { loadLocalDays } from '../zones/rules-in-force'
import type { Difference, OnDifference, Part } from './compare'

/** Days in memory at once. */
const BATCH = 200

interface CheckedDay {
  /** Null where the counts are not set aside. */
  set_aside: number | null
  asset: number
  sensor: number
  date: string
  zone: string
  row: string
  company: number
  /** The company of the asset. */
  owner: number
  native_minutes: number
  /** The native minutes of the installation; null without one. */
  installed_minutes: number | null
  impressions: number
  observed: number
  hours: Buffer
  counts: Buffer
  set_asides: SetAside[] | null
}

/** Checks the days of a part, and returns their number. With `mending`, days whose counts can be trusted are mended. */
export async function checkSensorDays(
  client: ClientBase,
  { first, last }: Part,
  onDifference: OnDifference,
  mending = false,
): Promise<number> {
  const days = await loadLocalDays(client)
  let checked = 0
  const stored = `SELECT d.set_aside, d.asset, d.sensor, d.date::text, z.zone, d.company, a.company AS owner, d.native_minutes,
      ${INSTALLED_MINUTES} AS installed_minutes, d.impressions, d.observed, d.hours, d.counts, ${selectSetAsides('d')} AS set_asides,
      s.serial || ' on ' || a.id || ' at ' || d.date AS row
    FROM assets a JOIN zone_rules z ON z.number = a.rules AND z.in_force CROSS JOIN LATERAL (
      SELECT * FROM ${COUNTED_DAYS} AS c WHERE asset = a.number AND date BETWEEN '${first}' AND '${last}' ORDER BY date, sensor, set_aside
    ) AS d JOIN sensors s ON s.number = d.sensor ORDER BY a.number, d.date, d.sensor, d.set_aside`
  for await (const rows of readBatches<CheckedDay>(client, stored, BATCH)) {
    const wrong: object[] = []
    for (const stored of rows) {
      const { differences, expected } = checkDay(stored, days)
      for (const difference of differences) await onDifference(difference)
      if (!expected || differences.length === 0) continue
      const [{ set_aside, asset, sensor, date, owner }, { impressions, observed, hours }] = [stored, expected]
      wrong.push({ set_aside, asset, sensor, date, company: owner, impressions, observed, hours: formatStored(hours) })
    }
    for (const statement of mending && wrong.length > 0 ? STORE : [])
      await client.query(statement, [JSON.stringify(wrong)])
    checked += rows.length
  }
  return checked
}

/** SQL: the interval of an installation about the day `d`, if possible that of its counts. A local day begins within a day of its date in UTC. */
const INSTALLED_MINUTES = `(SELECT i.native_minutes FROM installations i WHERE (i.sensor, i.asset) = (d.sensor, d.asset)
  AND i.installed_at < d.date + 2 AND coalesce(i.removed_at, 'infinity') > d.date - 1
  ORDER BY i.native_minutes = d.native_minutes DESC LIMIT 1)`

/** Returns the SQL that stores the expected values in a table. */
const store = (table: string, condition: string): string => `
UPDATE ${table} d SET (company, impressions, observed, hours) = (e.company, e.impressions, e.observed, decode(e.hours, 'hex'))
FROM json_to_recordset($1) AS e
  (set_aside integer, asset integer, sensor integer, date date, company integer, impressions bigint, observed smallint, hours text)
WHERE (d.asset, d.sensor, d.date) = (e.asset, e.sensor, e.date) AND ${condition}`

const STORE = [store('sensor_days', 'e.set_aside IS NULL'), store('set_aside_days', 'd.set_aside = e.set_aside')]

/** Returns the differences, and the expected values unless the counts, or where they are, cannot be trusted. */
function checkDay(stored: CheckedDay, days: LocalDayCache): { differences: Difference[]; expected?: PackedDay } {
  const { set_aside, zone, date, native_minutes, installed_minutes, counts } = stored
  const differences: Difference[] = []
  const add = (column: string, before: string | number, after: string | number) => {
    if (before === after) return
    const table = set_aside === null ? 'sensor_days' : 'set_aside_days'
    differences.push({ table, row: stored.row, column, stored: String(before), expected: String(after) })
  }
  add('company', stored.company, stored.owner)
  if (installed_minutes === null) add('sensor', 'not installed there', 'installed')
  else add('native_minutes', native_minutes, installed_minutes)
  const day = days.day(zone, dayNumber(date))
  const starts = listStarts(day, native_minutes)
  try {
    const expected = packDay(day, starts, unpack(counts, starts.length))
    for (const column of ['impressions', 'observed', 'hours'] as const)
      add(column, formatStored(stored[column]), formatStored(expected[column]))
    add('counts', describeMisplaced(stored, day, starts), 'none there')
    const isMendable = native_minutes === installed_minutes && areTrusted(stored, expected, listStarts(day, 60).length)
    return isMendable ? { differences, expected } : { differences }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    add('counts', `${counts.length} bytes`, 'as many counts as the day has intervals')
    return { differences }
  }
}

/** Returns whether either the hours confirm the counts, or the totals do and are not those of the hours. */
function areTrusted({ impressions, observed, hours }: CheckedDay, expected: PackedDay, length: number): boolean {
  if (hours.equals(expected.hours)) return true
  const haveTotals = (day: { impressions: number; observed: number }) =>
    day.impressions === impressions && day.observed === observed
  return haveTotals(expected) && !haveTotals(sumHours(hours, length))
}

/** Adds up stored hours. Bytes that are no hours add up to nothing. */
function sumHours(hours: Buffer, length: number): { impressions: number; observed: number } {
  const totals = { sums: new Float64Array(length), observed: new Int32Array(length) }
  try {
    addHours(hours, length, totals, 0)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0)
  return { impressions: sum(totals.sums), observed: sum(totals.observed) }
}

/** Describes counts that are set aside and in the numbers, or are outside of the period with which they are set aside. */
function describeMisplaced(
  { set_aside, set_asides, native_minutes, counts }: CheckedDay,
  day: Day,
  starts: readonly number[],
): string {
  const isDaily = native_minutes === NATIVE_MINUTES.day
  const period = set_asides?.find(({ id }) => id === set_aside)
  // A daily count keeps its date when that begins elsewhere: it may begin in a period that has not taken it, or outside of its own.
  const counted = new CountedDay(null, set_asides ?? [], day, starts, () => !isDaily)
  const isMisplaced = (instant: number, i: number) =>
    set_aside === null ? counted.isSetAside(i) : !isDaily && !(period && instant >= period.from && instant < period.to)
  const { length } = unpack(counts, starts.length).filter(
    (count, i) => count !== MISSING && isMisplaced(day.start + starts[i]!, i),
  )
  if (length === 0) return 'none there'
  return `${length} ${set_aside === null ? 'in a stretch' : 'outside of the stretch'} that is set aside`
}

const formatStored = (value: number | Buffer): string =>
  typeof value === 'number' ? String(value) : value.toString('hex')
