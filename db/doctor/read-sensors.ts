/** Reads the counts of the sensors of a company, in batches. */
import type { ClientBase } from 'pg'
import type { LocalDayCache } from '../calendar/local-day-cache'
import { listStarts } from '../calendar/local-days'
import { unpack } from '../calendar/packed-counts'
import { SensorCounts } from './sensor-counts'

/** A company with counts. */
export interface JudgedCompany {
  number: number
  name: string
  /** Number of the last day with counts that is over everywhere. */
  counted_to: number
}

/** Day numbers are those of dates since 1970-01-01. */
const dayOf = (date: string) => `${date} - date '1970-01-01'`

export async function readCompanies(client: ClientBase, sensor: number | undefined): Promise<JudgedCompany[]> {
  const { rows } = await client.query<JudgedCompany>(
    `SELECT c.number, c.name, ${dayOf('least(max(v.measured_to), min(t.today) - 1)')} AS counted_to
     FROM companies c JOIN assets a ON a.company = c.number JOIN asset_versions v ON v.asset = a.number
       JOIN (SELECT number AS rules, local_time(number, now())::date AS today FROM zone_rules WHERE in_force) t USING (rules)
     WHERE v.measured_to IS NOT NULL
       AND EXISTS (SELECT FROM installations i WHERE i.company = c.number AND ($1::integer IS NULL OR i.sensor = $1))
     GROUP BY c.number, c.name ORDER BY c.name`,
    [sensor ?? null],
  )
  return rows
}

/** A sensor at an asset. */
export interface JudgedSensor {
  asset: number
  sensor: number
  serial: string
  asset_id: string
  zone: string
  /** The length of its finest intervals at the asset. */
  native_minutes: number
  /** Days from which on counts cannot be compared with those before, as notes say. */
  breaks: number[] | null
}

const SENSORS = `
SELECT i.asset, i.sensor, s.serial, a.id AS asset_id, a.time_zone AS zone, min(i.native_minutes) AS native_minutes,
  (SELECT json_agg(${dayOf('from_date')}) FROM notes n
    WHERE kind = 'break' AND from_date <= date '1970-01-01' + $3::integer AND (n.asset = i.asset OR n.sensor = i.sensor AND EXISTS (
      SELECT FROM installations o JOIN assets at ON at.number = o.asset
      WHERE o.sensor = n.sensor AND o.asset = i.asset
        AND has_dates(at.rules, tstzrange(o.installed_at, o.removed_at), n.from_date, n.to_date)))) AS breaks
FROM installations i JOIN sensors s ON s.number = i.sensor JOIN assets a ON a.number = i.asset
WHERE i.company = $1 AND i.installed_at < to_timestamp(86400.0 * $3) AND (i.removed_at IS NULL OR i.removed_at > to_timestamp(86400.0 * $2))
GROUP BY i.asset, i.sensor, s.serial, a.id, a.time_zone ORDER BY i.asset, i.sensor`

/** Returns the sensors that were installed on days from `from` up to `end`. */
export const readJudgedSensors = async (
  client: ClientBase,
  company: number,
  from: number,
  end: number,
): Promise<JudgedSensor[]> => (await client.query<JudgedSensor>(SENSORS, [company, from, end])).rows

/** Sensors whose counts are in memory at once: 60 days of minutes are 9 MB. */
const BATCH = 50

const DAYS = `
SELECT p.place::integer AS place, ${dayOf('d.date')} AS day, d.native_minutes, d.counts
FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS p (asset, sensor, place)
  JOIN sensor_days d ON d.asset = p.asset AND d.sensor = p.sensor
    AND d.date >= date '1970-01-01' + $3::integer AND d.date < date '1970-01-01' + $4::integer`

interface CountedRow {
  /** The place of the sensor in the batch, from 1 on. */
  place: number
  day: number
  native_minutes: number
  counts: Buffer
}

/** Yields each sensor with its counts from a day on, up to `end`. */
export async function* readCounts(
  client: ClientBase,
  days: LocalDayCache,
  sensors: readonly JudgedSensor[],
  first: number,
  end: number,
): AsyncGenerator<[JudgedSensor, SensorCounts]> {
  for (let i = 0; i < sensors.length; i += BATCH) {
    const batch = sensors.slice(i, i + BATCH)
    const keys = [batch.map(({ asset }) => asset), batch.map(({ sensor }) => sensor)]
    const { rows } = await client.query<CountedRow>(DAYS, [...keys, first, end])
    const stored = batch.map((): CountedRow[] => [])
    for (const row of rows) stored[row.place - 1]!.push(row)
    for (const [i, sensor] of batch.entries()) yield [sensor, unpackCounts(sensor, stored[i]!, days, first, end)]
  }
}

function unpackCounts(
  { zone, native_minutes }: JudgedSensor,
  stored: readonly CountedRow[],
  days: LocalDayCache,
  first: number,
  end: number,
): SensorCounts {
  const counts = new SensorCounts(first, end - first, native_minutes === 1440 ? 1 : 24)
  for (const { day: number, native_minutes: minutes, counts: bytes } of stored) {
    const day = days.day(zone, number)
    counts.add(day, minutes, unpack(bytes, listStarts(day, minutes).length))
  }
  return counts
}
