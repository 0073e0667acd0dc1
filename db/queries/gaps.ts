/**
 * Reads what shows where sensors have no counts, and why: their installations, the days that are not complete, when each sensor
 * counted last, and what else is known of that time. All of it of many assets at once, in one batch.
 */
import { ApiError } from '../../schema/errors'
import { type Dates, dayNumber } from '../calendar/local-days'
import type { ZoneRules } from '../calendar/zone-rules'
import { inScope, type ScopedReader, type Statement } from '../postgres/scoped-reader'
import { readZoneRules } from '../zones/scoped-rules'
import type { Installation } from './impressions'

/** The last local day with counts of a sensor on an asset. */
export interface LastDay {
  rules: ZoneRules
  date: string
  nativeMinutes: number
  /** Packed; null where the day is after the range. */
  counts: Buffer | null
}

/** A time for which something is known of a sensor. Instants are in seconds since 1970, `to` is exclusive. */
export interface KnownTime {
  sensor: number
  reason: 'set_aside' | 'sensor_offline'
  from: number
  to: number
}

export interface ObservedSensor {
  id: string
  /** One for each asset on which it was, from the day before the range on. */
  lastDays: LastDay[]
  /** By their begin. */
  knownTimes: KnownTime[]
}

/** The days of one sensor on one asset, by the index of the day in the range. */
export interface ObservedDays {
  complete: Set<number>
  /** Packed counts of the others. */
  counts: Map<number, Buffer>
}

export interface AssetGaps {
  id: string
  rules: ZoneRules
  /** By their begin. */
  installations: Installation[]
  sensors: ReadonlyMap<number, ObservedSensor>
  /** By the number of the sensor. */
  days: Map<number, ObservedDays>
  /** Indexes of days of which the ledger shows that counts were erased. */
  erased: ReadonlySet<number>
}

/** Sensor-days whose counts are read at once: at most 58 MB. */
const MAX_INCOMPLETE_DAYS = 20_000

/** A health check is overdue after it, and then says nothing any more. */
const MAX_CHECK_AGE = '60 minutes'

const ASSETS = `SELECT * FROM assets WHERE id = ANY ($1::text[]) AND ${inScope('company')}`

const OF_ASSETS: Statement = {
  name: 'gaps-assets',
  text: `SELECT number, id, rules, installations FROM (${ASSETS}) AS a`,
}

/** Each sensor of the assets, with its last day on each asset where it was; one row of nulls where there is none. */
const OF_SENSORS: Statement = {
  name: 'gaps-sensors',
  text: `
SELECT s.sensor, s.id, d.rules, d.date, d.native_minutes AS "nativeMinutes", d.counts
FROM sensor_ids_in_scope(ARRAY(SELECT i.sensor FROM (${ASSETS}) AS a JOIN installations i ON i.asset = a.number)) AS s
LEFT JOIN LATERAL (
  SELECT a.rules, l.*
  FROM (SELECT DISTINCT asset FROM installations i WHERE i.sensor = s.sensor AND ${inScope('i.company')}) AS i
    JOIN assets a ON a.number = i.asset
    CROSS JOIN LATERAL (
      SELECT d.date, d.native_minutes, CASE WHEN d.date <= $3::date + 1 THEN d.counts END AS counts
      FROM sensor_days d WHERE d.asset = i.asset AND d.sensor = s.sensor AND d.date >= $2::date - 1
      ORDER BY d.date DESC LIMIT 1
    ) AS l
) AS d ON true`,
}

/** Near a clock change a day may have as many observed intervals as a complete one, and others besides. */
const OF_DAYS: Statement = {
  name: 'gaps-days',
  text: `
WITH asset AS MATERIALIZED (SELECT number, rules FROM (${ASSETS}) AS a), clock_changes AS MATERIALIZED (
  SELECT z.number AS rules, ARRAY(
    SELECT (to_timestamp(start) AT TIME ZONE 'UTC')::date + shift
    FROM unnest(z.starts) AS start CROSS JOIN generate_series(-1, 1) AS shift
    WHERE start BETWEEN extract(epoch FROM $2::date - 2) AND extract(epoch FROM $3::date + 2)) AS dates
  FROM zone_rules z WHERE z.number IN (SELECT rules FROM asset)
), sensor_day AS (
  SELECT d.asset, d.sensor, d.date - $2::date AS day, d.counts,
    d.observed * d.native_minutes = 1440 AND d.date <> ALL (c.dates) AS is_complete
  FROM asset a JOIN clock_changes c USING (rules) JOIN sensor_days d ON d.asset = a.number
  WHERE d.date BETWEEN $2 AND $3
)
SELECT asset, sensor, array_agg(day) AS complete, NULL::integer AS day, NULL::bytea AS counts
FROM sensor_day WHERE is_complete GROUP BY asset, sensor
UNION ALL
(SELECT asset, sensor, NULL, day, counts FROM sensor_day WHERE NOT is_complete LIMIT $4)`,
}

const IN_RANGE = `from_time < ($3::date + 2)::timestamp AT TIME ZONE 'UTC' AND to_time >= ($2::date - 2)::timestamp AT TIME ZONE 'UTC'`

/** SQL: whether a sensor was on an asset in scope at some time of a period. @param bounds of the period */
const wasInScope = (bounds: string) => `sensor IN (SELECT sensor FROM sensor_on_asset) AND EXISTS (
    SELECT FROM installations i WHERE i.sensor = t.sensor AND ${inScope('i.company')}
      AND tstzrange(i.installed_at, i.removed_at) && tstzrange(t.from_time, t.to_time, '${bounds}'))`

/** The status of a check holds until the next one. */
const OF_KNOWN_TIMES: Statement = {
  name: 'gaps-known-times',
  text: `
WITH sensor_on_asset AS MATERIALIZED (
  SELECT DISTINCT i.sensor FROM (${ASSETS}) AS a JOIN installations i ON i.asset = a.number
)
SELECT sensor, reason, extract(epoch FROM from_time)::float8 AS from, extract(epoch FROM to_time)::float8 AS to
FROM (
  SELECT sensor, 'set_aside' AS reason, from_time, to_time FROM set_asides t WHERE ${IN_RANGE} AND ${wasInScope('[)')}
  UNION ALL
  SELECT sensor, 'sensor_offline', from_time, least(to_time + interval '${MAX_CHECK_AGE}', (
    SELECT min(n.from_time) FROM sensor_health n WHERE n.sensor = t.sensor AND n.from_time > t.from_time))
  FROM sensor_health t WHERE status = 'offline' AND ${IN_RANGE} AND ${wasInScope('[]')}
) AS known
ORDER BY from_time, reason`,
}

interface AssetRow {
  number: number
  id: string
  rules: number
  installations: Installation[]
}

type SensorRow = { sensor: number; id: string } & (
  | { date: null }
  | { rules: number; date: string; nativeMinutes: number; counts: Buffer | null }
)

type DayRow = { asset: number; sensor: number } & (
  | { complete: number[] }
  | { complete: null; day: number; counts: Buffer }
)

/** Returns what is known of several assets, by id; without those that are unknown or out of scope. @throws ApiError RANGE_TOO_LARGE */
export async function readGaps(
  reader: ScopedReader,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, AssetGaps>> {
  const [assets, sensors, days, knownTimes] = await Promise.all([
    reader.read<AssetRow>(OF_ASSETS, [assetIds]),
    reader.read<SensorRow>(OF_SENSORS, [assetIds, ...dates]),
    reader.read<DayRow>(OF_DAYS, [assetIds, ...dates, MAX_INCOMPLETE_DAYS + 1]),
    reader.read<KnownTime>(OF_KNOWN_TIMES, [assetIds, ...dates]),
  ])
  refuseTooMany(days, dates)
  const numbers = [...assets, ...sensors].flatMap(row => ('rules' in row && row.rules !== null ? row.rules : []))
  const rules = await readZoneRules(reader, numbers)
  const observed = new Map<number, ObservedSensor>()
  for (const row of sensors) {
    const sensor = observed.get(row.sensor) ?? { id: row.id, lastDays: [], knownTimes: [] }
    observed.set(row.sensor, sensor)
    if (row.date !== null) sensor.lastDays.push({ ...row, rules: rules.get(row.rules)! })
  }
  for (const time of knownTimes) observed.get(time.sensor)?.knownTimes.push(time)
  const byNumber = new Map<number, AssetGaps>()
  for (const { number, id, installations, ...row } of assets) {
    const inOrder = installations.toSorted((a, b) => a.from - b.from)
    byNumber.set(number, {
      ...{ id, rules: rules.get(row.rules)!, installations: inOrder, sensors: observed },
      ...{ days: new Map(), erased: NONE_ERASED },
    })
  }
  for (const row of days) {
    const ofAsset = byNumber.get(row.asset)!.days
    const ofSensor = ofAsset.get(row.sensor) ?? { complete: new Set(), counts: new Map() }
    ofAsset.set(row.sensor, ofSensor)
    if (row.complete) ofSensor.complete = new Set(row.complete)
    else ofSensor.counts.set(row.day, row.counts)
  }
  return new Map([...byNumber.values()].map(asset => [asset.id, asset]))
}

const NONE_ERASED: ReadonlySet<number> = new Set()

function refuseTooMany(days: readonly DayRow[], [from, to]: Dates): void {
  if (days.filter(({ complete }) => !complete).length <= MAX_INCOMPLETE_DAYS) return
  throw new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: Math.floor((dayNumber(to) - dayNumber(from) + 1) / 2) },
    `More than ${MAX_INCOMPLETE_DAYS} days of sensors are not complete. Choose fewer days or assets.`,
  )
}
