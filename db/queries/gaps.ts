/**
 * Reads what shows where sensors have no counts, and why: their installations, the days that are not complete, when each sensor
 * counted last, and what else is known of that time. All of it of many assets at once, in one batch.
 */
import { ApiError } from '../../schema/errors'
import { NATIVE_MINUTES } from '../calendar/grains'
import { type Dates, dayNumber } from '../calendar/local-days'
import type { ZoneRules } from '../calendar/zone-rules'
import type { ScopedReader } from '../postgres/scoped-reader'
import { inScope } from '../postgres/scoped-reader'
import { readZoneRules } from '../zones/scoped-rules'
import type { Installation } from './impressions'
import { readRows } from './statements'

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
  /** Days whose daily counts are set aside. */
  setAside: Set<number>
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
  erased: Set<number>
}

/** Sensor-days whose counts are read at once: at most 58 MB. */
const MAX_INCOMPLETE_DAYS = 20_000

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

type KnownRow = (KnownTime & { day: null }) | { asset: number; sensor: number; day: number }

interface FallsRow {
  asset: number
  day: number
  falls: number[]
}

/** Returns what is known of several assets, by id; without those that are unknown or out of scope. @throws ApiError RANGE_TOO_LARGE */
export async function readGaps(
  reader: ScopedReader,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, AssetGaps>> {
  const [from, to] = dates
  const parameters = { ids: assetIds, from, to, limit: MAX_INCOMPLETE_DAYS + 1 }
  const [assets, sensors, days, knownTimes, falls] = await Promise.all([
    readRows<AssetRow>(reader, 'gaps-assets', () => OF_ASSETS, parameters),
    readRows<SensorRow>(reader, 'gaps-sensors', () => OF_SENSORS, parameters),
    readRows<DayRow>(reader, 'gaps-days', () => OF_DAYS, parameters),
    readRows<KnownRow>(reader, 'gaps-known-times', () => OF_KNOWN_TIMES, parameters),
    readRows<FallsRow>(reader, 'gaps-falls', () => OF_FALLS, parameters),
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
  const byNumber = new Map<number, AssetGaps>()
  for (const { number, id, installations, ...row } of assets) {
    const inOrder = installations.toSorted((a, b) => a.from - b.from)
    byNumber.set(number, {
      ...{ id, rules: rules.get(row.rules)!, installations: inOrder, sensors: observed },
      ...{ days: new Map(), erased: new Set() },
    })
  }
  const findDays = ({ asset, sensor }: { asset: number; sensor: number }): ObservedDays => {
    const { days } = byNumber.get(asset)!
    if (!days.has(sensor)) days.set(sensor, { complete: new Set(), counts: new Map(), setAside: new Set() })
    return days.get(sensor)!
  }
  for (const known of knownTimes) {
    if (known.day === null) observed.get(known.sensor)?.knownTimes.push(known)
    else findDays(known).setAside.add(known.day)
  }
  for (const row of days) {
    const ofSensor = findDays(row)
    if (row.complete) ofSensor.complete = new Set(row.complete)
    else ofSensor.counts.set(row.day, row.counts)
  }
  for (const { asset, day, falls: ofDay } of falls) {
    // Intervals that came later came back.
    if (ofDay.reduce((fallen, fall) => Math.max(0, fallen + fall), 0) > 0) byNumber.get(asset)!.erased.add(day)
  }
  return new Map([...byNumber.values()].map(asset => [asset.id, asset]))
}

function refuseTooMany(days: readonly DayRow[], [from, to]: Dates): void {
  if (days.filter(({ complete }) => !complete).length <= MAX_INCOMPLETE_DAYS) return
  throw new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: Math.floor((dayNumber(to) - dayNumber(from) + 1) / 2) },
    `More than ${MAX_INCOMPLETE_DAYS} days of sensors are not complete. Choose fewer days or assets.`,
  )
}

/** A health check is overdue after it, and then says nothing any more. */
const MAX_CHECK_AGE = '60 minutes'

const ASSETS = `SELECT * FROM assets WHERE id = ANY (:ids::text[]) AND ${inScope('company')}`

const OF_ASSETS = `SELECT number, id, rules, installations FROM (${ASSETS}) AS a`

/** Each sensor of the assets, with its last day on each asset where it was; one row of nulls where there is none. */
const OF_SENSORS = `
SELECT s.sensor, s.id, d.rules, d.date, d.native_minutes AS "nativeMinutes", d.counts
FROM (SELECT DISTINCT sensor, sensor_id AS id FROM installations_in_scope(ARRAY(SELECT number FROM (${ASSETS}) AS a))) AS s
LEFT JOIN LATERAL (
  SELECT a.rules, l.*
  FROM (
    SELECT asset, (max(coalesce(removed_at, 'infinity')) AT TIME ZONE 'UTC')::date + 1 AS last
    FROM installations i WHERE i.sensor = s.sensor AND ${inScope('i.company')} GROUP BY asset
  ) AS i JOIN assets a ON a.number = i.asset
    CROSS JOIN LATERAL (
      SELECT d.date, d.native_minutes, CASE WHEN d.date <= :to::date + 1 THEN d.counts END AS counts
      FROM (
        SELECT * FROM sensor_days WHERE asset = i.asset AND date BETWEEN :from::date - 1 AND i.last
        ORDER BY date DESC OFFSET 0 /* From its last day on, by the index of the asset. */
      ) AS d WHERE d.sensor = s.sensor ORDER BY d.date DESC LIMIT 1
    ) AS l
) AS d ON true`

/** Near a clock change a day may have as many observed intervals as a complete one, and others besides. */
const OF_DAYS = `
WITH asset AS MATERIALIZED (SELECT number, rules FROM (${ASSETS}) AS a), clock_changes AS MATERIALIZED (
  SELECT z.number AS rules, ARRAY(
    SELECT (to_timestamp(start) AT TIME ZONE 'UTC')::date + shift
    FROM unnest(z.starts) AS start CROSS JOIN generate_series(-1, 1) AS shift
    WHERE start BETWEEN extract(epoch FROM :from::date - 2) AND extract(epoch FROM :to::date + 2)) AS dates
  FROM zone_rules z WHERE z.number IN (SELECT rules FROM asset)
), sensor_day AS (
  SELECT d.asset, d.sensor, d.date - :from::date AS day, d.counts,
    d.observed * d.native_minutes = 1440 AND d.date <> ALL (c.dates) AS is_complete
  FROM asset a JOIN clock_changes c USING (rules) JOIN sensor_days d ON d.asset = a.number
  WHERE d.date BETWEEN :from AND :to
)
SELECT asset, sensor, array_agg(day) AS complete, NULL::integer AS day, NULL::bytea AS counts
FROM sensor_day WHERE is_complete GROUP BY asset, sensor
UNION ALL
(SELECT asset, sensor, NULL, day, counts FROM sensor_day WHERE NOT is_complete LIMIT :limit)`

const RANGE_START = `(:from::date - 2)::timestamp AT TIME ZONE 'UTC'`

const IN_RANGE = `from_time < (:to::date + 2)::timestamp AT TIME ZONE 'UTC' AND to_time >= ${RANGE_START}`

/**
 * The status of a check holds until the next one, and to the end of the time that the sensor was on assets in scope. Daily counts
 * are set aside by their date, which they keep when the time zone is corrected: `day` is its index in the range of that asset.
 */
const OF_KNOWN_TIMES = `
WITH asset AS MATERIALIZED (SELECT number FROM (${ASSETS}) AS a), installed AS MATERIALIZED (
  SELECT i.sensor, range_agg(tstzrange(i.installed_at, i.removed_at)) AS periods, coalesce((
      SELECT from_time FROM sensor_health h WHERE h.sensor = i.sensor AND from_time < ${RANGE_START}
      ORDER BY from_time DESC LIMIT 1), '-infinity') AS first_health
  FROM installations i
  WHERE ${inScope('i.company')} AND i.sensor IN (SELECT sensor FROM installations WHERE asset IN (SELECT number FROM asset))
  GROUP BY i.sensor
), known AS (
  SELECT i.*, 'set_aside' AS reason, tstzrange(from_time, to_time) AS known_in, to_time AS until
  FROM installed i JOIN set_asides USING (sensor) WHERE ${IN_RANGE}
  UNION ALL
  SELECT i.*, 'sensor_offline', tstzrange(from_time, to_time, '[]'), least(to_time + interval '${MAX_CHECK_AGE}', next_time)
  FROM installed i CROSS JOIN LATERAL (
    SELECT status, from_time, to_time, lead(from_time) OVER (ORDER BY from_time) AS next_time
    FROM sensor_health h WHERE h.sensor = i.sensor AND ${IN_RANGE} AND from_time >= first_health
  ) AS h WHERE status = 'offline'
)
SELECT sensor, reason, extract(epoch FROM greatest(lower(known_in), lower(period)))::float8 AS from,
  extract(epoch FROM least(until, upper(period)))::float8 AS to, NULL::integer AS asset, NULL::integer AS day
FROM known CROSS JOIN unnest(periods) AS period WHERE period && known_in
UNION ALL
SELECT sensor, 'set_aside', NULL, NULL, asset, date - :from::date FROM set_aside_days
WHERE asset IN (SELECT number FROM asset) AND ${inScope('company')} AND date BETWEEN :from AND :to AND native_minutes = ${NATIVE_MINUTES.day}
ORDER BY "from", reason`

/**
 * Reads how many intervals the days of assets lost, in order; negative where intervals came. Counts that were set aside or moved are
 * not erased.
 */
const OF_FALLS = `
SELECT r.asset, r.date - :from::date AS day,
  array_agg(coalesce(r.observed, 0) - coalesce(r.next_observed, 0) ORDER BY r.until) AS falls
FROM (${ASSETS}) AS a JOIN former_totals r ON r.asset = a.number JOIN transactions v ON v.commit_number = r.until
WHERE r.kind = 'impressions' AND r.date BETWEEN :from AND :to AND v.reason IN ('import', 'deletion', 'repair')
GROUP BY r.asset, r.date`
