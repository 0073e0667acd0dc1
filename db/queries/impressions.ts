/** Reads counts: the sensor-days of one asset, in as much detail as is wanted, and what is needed to judge them. */

import type { Dates } from '../calendar/local-days'
import type { ScopedReader, Statement } from '../postgres/scoped-reader'
import { AMONG_IDS, BY_ANY_ID } from './asset-references'
import type { Changes, DataVersion, Found, Precondition } from './data-versions'
import { unversioned, versioned, versionedValues, versionOf } from './data-versions'

/** A sensor on the asset, from one instant up to another (seconds since 1970), counting every so many minutes. */
export interface Installation {
  sensor: number
  nativeMinutes: number
  from: number
  to: number | null
  /** Whether it stands there now, as far as is known. */
  present: boolean
}

/** What a sensor counted on a local day. `packed` holds what was asked for: hours or counts as packing.ts packs them. */
export interface SensorDay {
  sensor: number
  /** Which day of the range, from 0 on. */
  day: number
  nativeMinutes: number
  impressions: number
  observed: number
  packed: Buffer | null
}

export interface Measurement {
  timeZone: string
  /** What `packed` holds. */
  detail: Detail
  /** All that ever stood on the asset, in no order. */
  installations: Installation[]
  days: SensorDay[]
}

type VersionedMeasurement = Measurement & { dataVersion: DataVersion }

/** How much of each sensor-day to read: its totals, its hours or its native intervals. */
export type Detail = 'totals' | 'hours' | 'counts'

/** First a row for each asset, then one for each sensor-day. `asset` is the asset's number. */
type Row =
  | ({ asset: number; id: string; timeZone: string; installations: Installation[] } & Changes)
  | ({ asset: number; id: null } & SensorDay)

const statement = (detail: Detail, { name, assets }: Found): Statement => ({
  name: `impressions-${detail}-${name}`,
  text: `
WITH asset AS MATERIALIZED ${assets}
SELECT number AS asset, id, time_zone AS "timeZone", installations, NULL::integer AS sensor, NULL::integer AS day,
  NULL::smallint AS "nativeMinutes", NULL::bigint AS impressions, NULL::smallint AS observed, NULL::bytea AS packed,
  changed, changes, matches
FROM asset
UNION ALL
SELECT d.asset, NULL, NULL, NULL, d.sensor, d.date - $2::date, d.native_minutes, d.impressions, d.observed,
  ${detail === 'totals' ? 'NULL' : `d.${detail}`}, NULL, NULL, NULL
FROM asset a JOIN sensor_days d ON d.asset = a.number AND NOT a.matches
WHERE d.date BETWEEN $2 AND $3`,
})

const statements = (found: Found): Record<Detail, Statement> => ({
  totals: statement('totals', found),
  hours: statement('hours', found),
  counts: statement('counts', found),
})

const COLUMNS = 'id, number, time_zone, installations'

const OF_ID = statements(versioned(COLUMNS))

const OF_ANY_ID = statements(unversioned(COLUMNS, BY_ANY_ID))

const OF_MANY = statements(unversioned(COLUMNS, AMONG_IDS))

/**
 * The sensor-days of an asset, in no order, and the version of what they tell; none where the caller holds that version.
 *
 * @param assetId its id
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

/** The same of an asset by its id or its legacy id. */
export async function readMeasurementOfAny(
  reader: ScopedReader,
  assetId: string,
  dates: Dates,
  detail: Detail,
): Promise<Measurement | undefined> {
  const [measurement] = (await read(reader, OF_ANY_ID[detail], [assetId, ...dates], detail)).values()
  return measurement
}

/** The same of several assets, by id; those that are unknown or out of scope are not there. */
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
