/**
 * Reads the totals of assets by day, or their counts by sensor and day, with the installations and time zone that are needed
 * to interpret them.
 */
import { type Dates, dayNumber, monthNumber } from '../calendar/local-days'
import { intersectMonth } from '../calendar/month-ranges'
import type { ZoneRules } from '../calendar/zone-rules'
import type { ScopedReader } from '../postgres/scoped-reader'
import { readZoneRules } from '../zones/scoped-rules'
import { firstOpenDay, type Instant } from './as-of'
import { findAssets, type LookUp, readRows } from './statements'

/** The detail in which counts are read: totals of days, hours or native intervals. */
export type Detail = 'totals' | 'hours' | 'counts'

/** A period in which a sensor was on the asset. Instants are in seconds since 1970, `to` is exclusive. */
export interface Installation {
  sensor: number
  nativeMinutes: number
  from: number
  to: number | null
}

/** The counts of a sensor on a local day. */
export interface SensorDay {
  /** Index of the day in the range. */
  day: number
  nativeMinutes: number
  /** The hours or native intervals, as in calendar/packed-counts.ts. */
  packed: Buffer
}

/** The sums over all sensors by day, at the index of the day in the range. No stored count is outside an installation. */
export interface DayTotals {
  impressions: Float64Array
  /** Native intervals with a count; 0 for a day without counts. */
  observed: Int32Array
}

export interface Measurement {
  /** The rules by which its days were cut. */
  rules: ZoneRules
  detail: Detail
  /** The installations of all sensors that are or were on the asset, in no order. */
  installations: Installation[]
  /** In the detail of totals, and empty in others. */
  totals: DayTotals
  /** In other details, whose content is in `packed`. */
  days: SensorDay[]
}

/** Values by day of a month, 31 of them in every month; null for a day without counts. */
interface Month {
  month: number
  impressions: (number | null)[]
  observed: (number | null)[]
}

/** The totals of a day; `day` is its index in the range. */
interface DayThen {
  day: number
  impressions: number
  observed: number
}

/** First a row for each asset, then one for each month, day or sensor-day. `asset` is the asset's number. */
type MeasurementRow =
  | { asset: number; id: string; rules: number; installations: Installation[]; sensorDays?: Buffer | null }
  | ({ asset: number; id: null } & (Month | DayThen | SensorDay))

const ASSET = 'number AS asset, id, rules, installations'

const COUNTS = `
SELECT ${ASSET}, NULL::integer AS day, NULL::smallint AS "nativeMinutes", NULL::bytea AS packed
FROM asset
UNION ALL
SELECT d.asset, NULL, NULL, NULL, d.date - :from::date, d.native_minutes, d.counts
FROM asset a JOIN sensor_days d ON d.asset = a.number
WHERE d.date BETWEEN :from AND :to`

/** Reads all sensor-days of an asset as one value, which takes less time than a row each. */
const HOURS = `
SELECT ${ASSET}, (
  SELECT string_agg(int2send((d.date - :from::date)::smallint) || int2send(d.native_minutes) ||
    int2send(octet_length(d.hours)::smallint) || d.hours, '')
  FROM sensor_days d WHERE d.asset = a.number AND d.date BETWEEN :from AND :to) AS "sensorDays"
FROM asset a`

const TOTALS = `
SELECT ${ASSET}, NULL::integer AS month, NULL::integer[] AS impressions, NULL::integer[] AS observed
FROM asset
UNION ALL
SELECT m.asset, NULL, NULL, NULL, m.month, m.totals, m.observed
FROM asset a JOIN asset_month_arrays m ON m.asset = a.number AND m.kind = 'impressions'
WHERE m.month BETWEEN :firstMonth AND :lastMonth`

/** Reads the totals of days at an instant: what is served since then, and what was served until later. */
const TOTALS_THEN = `, moment AS MATERIALIZED (SELECT number_at(:asOf) AS number)
SELECT ${ASSET}, NULL::integer AS day, NULL::bigint AS impressions, NULL::integer AS observed
FROM asset
UNION ALL
SELECT m.asset, NULL, NULL, NULL, month_start(m.month) - :from::date + d.day::integer - 1, d.total, d.observed
FROM moment n CROSS JOIN asset a JOIN asset_month_arrays m ON m.asset = a.number AND m.kind = 'impressions'
  CROSS JOIN unnest(m.totals, m.observed, m.since) WITH ORDINALITY AS d (total, observed, since, day)
WHERE m.month BETWEEN :firstMonth AND :lastMonth AND d.since <= n.number AND d.total IS NOT NULL
  AND month_start(m.month) + d.day::integer - 1 BETWEEN :from AND :to
UNION ALL
SELECT f.asset, NULL, NULL, NULL, f.date - :from::date, f.total, f.observed
FROM moment n CROSS JOIN asset a JOIN former_totals f ON f.asset = a.number AND f.kind = 'impressions'
WHERE f.date BETWEEN :from AND :to AND f.since <= n.number AND f.until > n.number AND f.total IS NOT NULL`

const STATEMENTS = { totals: TOTALS, 'totals-then': TOTALS_THEN, hours: HOURS, counts: COUNTS }

/** Returns the SQL that reads a detail, or the totals of an instant, of assets. */
const selectCounts = (detail: keyof typeof STATEMENTS, by: LookUp): string =>
  `WITH asset AS MATERIALIZED ${findAssets('id, number, rules, installations', by)} ${STATEMENTS[detail]}`

/** Returns the sensor-days of a value that `hours` reads. */
function splitSensorDays(bytes: Buffer): SensorDay[] {
  const days: SensorDay[] = []
  for (let i = 0; i < bytes.length; ) {
    const end = i + 6 + bytes.readInt16BE(i + 4)
    days.push({
      day: bytes.readInt16BE(i),
      nativeMinutes: bytes.readInt16BE(i + 2),
      packed: bytes.subarray(i + 6, end),
    })
    i = end
  }
  return days
}

/**
 * Reads the counts of an asset.
 *
 * @param asOf when the counts were these, in the detail of totals; by default now
 * @returns undefined when the asset is unknown or out of scope
 */
export async function readMeasurement(
  reader: ScopedReader,
  assetId: string,
  dates: Dates,
  detail: Detail,
  asOf?: Instant,
  by: LookUp = 'id',
): Promise<Measurement | undefined> {
  const [measurement] = (await readMeasurements(reader, assetId, dates, detail, asOf, by)).values()
  return measurement
}

/** Returns the same of several assets, by id; without those that are unknown or out of scope. */
export async function readMeasurements(
  reader: ScopedReader,
  id: string | readonly string[],
  dates: Dates,
  detail: Detail,
  asOf?: Instant,
  by: LookUp = 'ids',
): Promise<Map<string, Measurement>> {
  const read = asOf === undefined ? detail : 'totals-then'
  const [from, to] = dates
  const [firstMonth, lastMonth] = dates.map(monthNumber)
  const parameters = { id, from, to, firstMonth, lastMonth, asOf: asOf?.committed }
  const sql = () => selectCounts(read, by)
  const rows = await readRows<MeasurementRow>(reader, `impressions-${read}-by-${by}`, sql, parameters)
  const assets = rows.filter(row => row.id !== null)
  const rulesByNumber = await readZoneRules(
    reader,
    assets.map(({ rules }) => rules),
  )
  const [first, last] = dates.map(dayNumber) as [number, number]
  const size = detail === 'totals' ? last - first + 1 : 0
  const byNumber = new Map<number, Measurement>()
  const byId = new Map<string, Measurement>()
  for (const row of assets) {
    const { installations, sensorDays } = row
    const rules = rulesByNumber.get(row.rules)!
    const totals = { impressions: new Float64Array(size), observed: new Int32Array(size) }
    const days: SensorDay[] = []
    const measurement = {
      ...{ rules, detail, installations, totals },
      // Split whenever they are needed, so that those of all assets are never there at once.
      get days() {
        return sensorDays ? splitSensorDays(sensorDays) : days
      },
    }
    byNumber.set(row.asset, measurement)
    byId.set(row.id, measurement)
  }
  for (const row of rows) {
    if (row.id !== null) continue
    const measurement = byNumber.get(row.asset)!
    if ('month' in row) addMonth(measurement.totals, row, first)
    else if ('impressions' in row) addDay(measurement.totals, row)
    else measurement.days.push(row)
  }
  if (asOf !== undefined) for (const measurement of byNumber.values()) removeOpenDays(measurement, asOf, first)
  return byId
}

function addDay(totals: DayTotals, { day, impressions, observed }: DayThen): void {
  totals.impressions[day] = impressions
  totals.observed[day] = observed
}

/** Removes the days that were not over. @param first the number of the first day of the range */
function removeOpenDays({ rules, totals }: Measurement, asOf: Instant, first: number): void {
  const open = Math.max(0, dayNumber(firstOpenDay(rules, asOf)) - first)
  totals.impressions.fill(0, open)
  totals.observed.fill(0, open)
}

/** @param first the number of the first day of the range */
function addMonth(totals: DayTotals, { month, impressions, observed }: Month, first: number): void {
  const { inMonth, inRange, count } = intersectMonth(month, first, totals.observed.length)
  for (let i = 0; i < count; i++) {
    totals.impressions[inRange + i] = impressions[inMonth + i] ?? 0
    totals.observed[inRange + i] = observed[inMonth + i] ?? 0
  }
}
