/** Reads counts: the sensor-days of one asset, in as much detail as is wanted, and what is needed to judge them. */
import { type AssetReference, BY_ANY_ID, BY_ID } from './asset-references'
import { type Door, SCOPE, type Statement } from './connection'

/** A sensor on the asset, from one instant up to another (seconds since 1970), counting every so many minutes. */
export interface Installation {
  sensor: number
  nativeMinutes: number
  from: number
  to: number | null
}

/** What a sensor counted on a local day. `packed` holds what was asked for: hours or counts as packing.ts packs them. */
export interface SensorDay {
  sensor: number
  date: string
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

/** How much of each sensor-day to read: its totals, its hours or its native intervals. */
export type Detail = 'totals' | 'hours' | 'counts'

type Row = { timeZone: string; installations: Installation[] } | ({ timeZone: null; installations: null } & SensorDay)

const statement = (detail: Detail, { name, asset }: AssetReference): Statement => ({
  name: `impressions-${detail}-${name}`,
  text: `
WITH asset AS MATERIALIZED (
  SELECT number, time_zone FROM assets WHERE ${asset('$2')} AND company = ANY (${SCOPE})
)
SELECT a.time_zone AS "timeZone", (
    SELECT coalesce(json_agg(json_build_object('sensor', sensor, 'nativeMinutes', native_minutes,
      'from', extract(epoch FROM installed), 'to', extract(epoch FROM removed))), '[]')
    FROM (
      SELECT number, native_minutes, counting_from, removed_at FROM sensors WHERE asset = a.number
      UNION ALL
      SELECT sensor, native_minutes, installed_at, removed_at FROM former_installations WHERE asset = a.number
    ) AS i (sensor, native_minutes, installed, removed)
  ) AS installations, NULL::integer AS sensor, NULL::date AS date, NULL::smallint AS "nativeMinutes",
  NULL::bigint AS impressions, NULL::smallint AS observed, NULL::bytea AS packed
FROM asset a
UNION ALL
SELECT NULL, NULL, d.sensor, d.date, d.native_minutes, d.impressions, d.observed, ${detail === 'totals' ? 'NULL' : `d.${detail}`}
FROM asset a JOIN sensor_days d ON d.asset = a.number
WHERE d.date BETWEEN $3 AND $4`,
})

const statements = (reference: AssetReference): Record<Detail, Statement> => ({
  totals: statement('totals', reference),
  hours: statement('hours', reference),
  counts: statement('counts', reference),
})

const OF_ID = statements(BY_ID)

const OF_ANY_ID = statements(BY_ANY_ID)

/**
 * The sensor-days of an asset from one date to another, both inclusive, in no order.
 *
 * @param assetId its id
 * @returns undefined when the asset is unknown or out of scope
 */
export function readMeasurement(
  door: Door,
  assetId: string,
  from: string,
  to: string,
  detail: Detail,
): Promise<Measurement | undefined> {
  return read(door, OF_ID, detail, [assetId, from, to])
}

/** The same of an asset by its id or its legacy id. */
export function readMeasurementOfAny(
  door: Door,
  assetId: string,
  from: string,
  to: string,
  detail: Detail,
): Promise<Measurement | undefined> {
  return read(door, OF_ANY_ID, detail, [assetId, from, to])
}

async function read(
  door: Door,
  statements: Record<Detail, Statement>,
  detail: Detail,
  values: string[],
): Promise<Measurement | undefined> {
  const rows = await door.read<Row>(statements[detail], values)
  let asset: { timeZone: string; installations: Installation[] } | undefined
  const days: SensorDay[] = []
  for (const row of rows) {
    if (row.timeZone === null) days.push(row)
    else asset = row
  }
  return asset && { timeZone: asset.timeZone, detail, installations: asset.installations, days }
}
