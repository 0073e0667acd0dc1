/** Reads assets, each with what its sensors say of it, one row an asset. */
import type { Asset } from '../schema/generated'
import { type Door, SCOPE, type Statement } from './connection'
import { grainName } from './grains'

const SELECT = `
SELECT a.id, a.legacy_id AS "legacyId", c.id AS "companyId", a.name, a.description, a.media_type AS "mediaType", a.format,
  a.venue_type_id AS "venueTypeId", a.status, a.indoors, a.facing_degrees AS "facingDegrees", a.width_m AS "widthM",
  a.height_m AS "heightM", a.latitude, a.longitude, a.address, a.city, a.region, a.postal_code AS "postalCode", a.country,
  a.time_zone AS "timeZone", ${grainName('s.native_minutes')} AS "finestGrain", s.ids AS "sensorIds",
  a.measured_from AS "measuredFrom", a.measured_to AS "measuredTo", a.created_at AS "createdAt", a.updated_at AS "updatedAt"
FROM assets a
JOIN companies c ON c.number = a.company
CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids, max(native_minutes) AS native_minutes
  FROM sensors WHERE asset = a.number
) s
WHERE a.company = ANY (${SCOPE})`

const ASSET: Statement = { name: 'asset', text: `${SELECT} AND a.id = $2` }

const ASSETS: Statement = { name: 'assets', text: `${SELECT} AND a.id > $2 ORDER BY a.id LIMIT $3` }

/** The asset of this id, undefined when it is unknown or out of scope. */
export async function readAsset(door: Door, id: string): Promise<Asset | undefined> {
  const [asset] = await door.read<Asset>(ASSET, [id])
  return asset
}

/** Up to `limit` assets by ascending id, from the one behind `after` on ('' for the first). */
export function readAssets(door: Door, after: string, limit: number): Promise<Asset[]> {
  return door.read(ASSETS, [after, limit])
}
