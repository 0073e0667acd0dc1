/** Reads the counts of assets by sensor and day, and the installations and time zone that are needed to interpret them. */
import type { Dates } from '../calendar/local-days'
import type { ScopedReader, Statement } from '../postgres/scoped-reader'
import { AMONG_IDS, type AssetLookup, BY_ANY_ID, findUnversioned, findVersioned, versionedValues } from './asset-lookup'
import { type DataVersion, type Precondition, type VersionColumns, versionOf } from './data-versions'

/** A period in which a sensor was on the asset. Instants are in seconds since 1970, `to` is exclusive. */
export interface Installation {
  sensor: number
  nativeMinutes: number
  from: number
  to: number | null
  /** Whether this is where the sensor is now. */
  present: boolean
}

/** The counts of a sensor on a local day. */
export interface SensorDay {
  sensor: number
  /** Index of the day in the range. */
  day: number
  nativeMinutes: number
  impressions: number
  observed: number
  /** The hours or native intervals, as in calendar/packed-counts.ts; null where only totals were requested. */
  packed: Buffer | null
}

export interface Measurement {
  timeZone: string
  /** The content of `packed`. */
  detail: Detail
  /** Of all sensors that are or were on the asset, in no order. */
  installations: Installation[]
  days: SensorDay[]
}

type VersionedMeasurement = Measurement & { dataVersion: DataVersion }

/** The detail in which days are read: totals, hours or native intervals. */
export type Detail = 'totals' | 'hours' | 'counts'

/** First a row for each asset, then one for each sensor-day. `asset` is the asset's number. */
type Row =
  | ({ asset: number; id: string; timeZone: string; installations: Installation[] } & VersionColumns)
  | ({ asset: number; id: null } & SensorDay)

const statement = (detail: Detail, { name, sql }: AssetLookup): Statement => ({
  name: `impressions-${detail}-${name}`,
  text: `
WITH asset AS MATERIALIZED ${sql}
SELECT number AS asset, id, time_zone AS "timeZone", installations, NULL::integer AS sensor, NULL::integer AS day,
  NULL::smallint AS "nativeMinutes", NULL::bigint AS impressions, NULL::smallint AS observed, NULL::bytea AS packed,
  changed, versions, matches
FROM asset
UNION ALL
SELECT d.asset, NULL, NULL, NULL, d.sensor, d.date - $2::date, d.native_minutes, d.impressions, d.observed,
  ${detail === 'totals' ? 'NULL' : `d.${detail}`}, NULL, NULL, NULL
FROM asset a JOIN sensor_days d ON d.asset = a.number AND NOT a.matches
WHERE d.date BETWEEN $2 AND $3`,
})

const statements = (lookup: AssetLookup): Record<Detail, Statement> => ({
  totals: statement('totals', lookup),
  hours: statement('hours', lookup),
  counts: statement('counts', lookup),
})

const COLUMNS = 'id, number, time_zone, installations'

const OF_ID = statements(findVersioned(COLUMNS))

const OF_ANY_ID = statements(findUnversioned(COLUMNS, BY_ANY_ID))

const OF_MANY = statements(findUnversioned(COLUMNS, AMONG_IDS))

/**
 * The counts of an asset and their version. There are no days where the version matches the precondition.
 *
 * @returns undefined when the asset is unknown or out of scope
 */
export async function readMeasurement(
  reader: ScopedReader,
  assetId: string,
  dates: Dates,
  detail: Detail,
  precondition: Precondition,
): Promise<VersionedMeasurement | undefined> {
  const values = versionedValues(assetId, dates, precondition)
  const [measurement] = (await read(reader, OF_ID[detail], values, detail)).values()
  return measurement
}

/** The same, without a version, of the asset with this id or legacy id. */
export async function readMeasurementOfAny(
  reader: ScopedReader,
  assetId: string,
  dates: Dates,
  detail: Detail,
): Promise<Measurement | undefined> {
  const [measurement] = (await read(reader, OF_ANY_ID[detail], [assetId, ...dates], detail)).values()
  return measurement
}

/** The same of several assets, by id; without those that are unknown or out of scope. */
export function readMeasurements(
  reader: ScopedReader,
  assetIds: readonly string[],
  dates: Dates,
  detail: Detail,
): Promise<Map<string, Measurement>> {
  return read(reader, OF_MANY[detail], [assetIds, ...dates], detail)
}

async function read(
  reader: ScopedReader,
  statement: Statement,
  values: unknown[],
  detail: Detail,
): Promise<Map<string, VersionedMeasurement>> {
  const rows = await reader.read<Row>(statement, values)
  const byNumber = new Map<number, Measurement>()
  const byId = new Map<string, VersionedMeasurement>()
  for (const row of rows) {
    if (row.id === null) continue
    const { timeZone, installations } = row
    const measurement = { timeZone, detail, installations, days: [], dataVersion: versionOf(row) }
    byNumber.set(row.asset, measurement)
    byId.set(row.id, measurement)
  }
  for (const row of rows) if (row.id === null) byNumber.get(row.asset)?.days.push(row)
  return byId
}
