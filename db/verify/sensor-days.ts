/** Checks totals and hours of sensor-days, which are sums of their counts, and that none of these is set aside. */

import type { ClientBase } from 'pg'
import { NATIVE_MINUTES } from '../calendar/grains'
import { intervalStarts, type LocalDay, type LocalDayCache } from '../calendar/local-day-cache'
import { dayNumber } from '../calendar/local-days'
import { MISSING, unpack } from '../calendar/packed-counts'
import { type PackedDay, packDay } from '../counts/sensor-day'
import { type SetAside, SetAsideDay, selectSetAsides } from '../counts/set-aside-day'
import { readBatches } from '../cursor'
import { loadLocalDays } from '../zones/rules-in-force'
import type { Difference, OnDifference, Part } from './compare'

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

/** Checks the days of a part, and returns their number. With `repairing` the expected values are stored. */
export async function checkSensorDays(
  client: ClientBase,
  { first, last }: Part,
  onDifference: OnDifference,
  repairing: boolean,
): Promise<number> {
  const days = await loadLocalDays(client)
  let checked = 0
  const stored = `SELECT d.asset, d.sensor, d.date::text, a.time_zone AS zone, d.native_minutes, d.impressions, d.observed,
      d.hours, d.counts, ${selectSetAsides('d')} AS set_asides, s.serial || ' on ' || a.id || ' at ' || d.date AS row
    FROM assets a CROSS JOIN LATERAL (
      SELECT * FROM sensor_days WHERE asset = a.number AND date BETWEEN '${first}' AND '${last}' ORDER BY date, sensor
    ) AS d JOIN sensors s ON s.number = d.sensor ORDER BY a.number, d.date, d.sensor`
  for await (const rows of readBatches<StoredDay>(client, stored, BATCH)) {
    const wrong: object[] = []
    for (const stored of rows) {
      const { differences, expected } = checkDay(stored, days)
      for (const difference of differences) await onDifference(difference)
      if (!expected || !differences.some(({ repairable }) => repairable)) continue
      const [{ asset, sensor, date }, { impressions, observed, hours }] = [stored, expected]
      wrong.push({ asset, sensor, date, impressions, observed, hours: formatStored(hours) })
    }
    if (repairing && wrong.length > 0) await client.query(STORE, [JSON.stringify(wrong)])
    checked += rows.length
  }
  return checked
}

const STORE = `
UPDATE sensor_days d SET (impressions, observed, hours) = (e.impressions, e.observed, decode(e.hours, 'hex'))
FROM json_to_recordset($1) AS e (asset integer, sensor integer, date date, impressions bigint, observed smallint, hours text)
WHERE (d.asset, d.sensor, d.date) = (e.asset, e.sensor, e.date)`

/** Compares totals and hours. Nothing is expected where the counts cannot be read. */
function checkDay(stored: StoredDay, days: LocalDayCache): { differences: Difference[]; expected?: PackedDay } {
  const { zone, date, native_minutes, counts, row } = stored
  const inRow = { table: 'sensor_days', row }
  const day = days.day(zone, dayNumber(date))
  const starts = intervalStarts(day, native_minutes)
  try {
    const expected = packDay(day, starts, unpack(counts, starts.length))
    const differences = (['impressions', 'observed', 'hours'] as const).flatMap(column => {
      const [before, after] = [stored[column], expected[column]].map(formatStored) as [string, string]
      return before === after ? [] : [{ ...inRow, column, stored: before, expected: after, repairable: true }]
    })
    return { differences: [...differences, ...findSetAside(stored, day, starts)], expected }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const texts = { stored: `${counts.length} bytes`, expected: 'as many counts as the day has intervals' }
    return { differences: [{ ...inRow, column: 'counts', ...texts, repairable: false }] }
  }
}

/** Such counts are in two tables, or an import or `set-aside` would have diverted them. */
function findSetAside(
  { set_asides, native_minutes, counts, row }: StoredDay,
  day: LocalDay,
  starts: readonly number[],
): Difference[] {
  if (!set_asides) return []
  // A daily count keeps its date when that begins elsewhere: it may begin in a stretch that has not taken it.
  const setAside = new SetAsideDay(set_asides, day, starts, native_minutes, () => native_minutes < NATIVE_MINUTES.day)
  const within = unpack(counts, starts.length).filter((count, i) => count !== MISSING && setAside.has(i)).length
  if (within === 0) return []
  const texts = { stored: `${within} in a stretch that is set aside`, expected: 'none there' }
  return [{ table: 'sensor_days', row, column: 'counts', ...texts, repairable: false }]
}

const formatStored = (value: number | Buffer): string =>
  typeof value === 'number' ? String(value) : value.toString('hex')
