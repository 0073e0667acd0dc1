/** Reads the assets of the frozen legacy interface, without their counts. */
import { inScope, type ScopedReader } from '../postgres/scoped-reader'
import { HEALTH, type HealthRow } from './sensors'
import { findAssets, readRow, readRows } from './statements'

interface LegacyAssetRow {
  legacyId: number
  id: string
  name: string
  company: string
}

/** Sorted by an expression: in the order of the index of legacy ids, PostgreSQL would read the assets of all companies. */
const ASSETS = `
SELECT a.legacy_id AS "legacyId", a.id, a.name, c.name AS company
FROM assets a JOIN companies c ON c.number = a.company
WHERE ${inScope('a.company')} AND a.legacy_id IS NOT NULL
ORDER BY a.legacy_id::bigint`

/** Returns all assets in scope with a legacy id, ascending by it. */
export const readLegacyAssets = (reader: ScopedReader): Promise<LegacyAssetRow[]> =>
  readRows(reader, 'legacy-assets', () => ASSETS)

interface LegacyState {
  name: string
  latitude: number
  longitude: number
  /** Ascending by serial. */
  sensors: (HealthRow & { serial: string })[]
}

const STATE = `
SELECT a.name, a.latitude, a.longitude, (
    SELECT coalesce(json_agg(json_build_object('serial', serial,
      ${Object.entries(HEALTH).map(([name, sql]) => `'${name}', ${sql}`)}) ORDER BY serial), '[]')
    FROM sensors s WHERE asset = a.number
  ) AS sensors
FROM ${findAssets('name, latitude, longitude, number', 'any-id')} AS a`

/** Returns the asset with this id or legacy id; undefined when it is unknown or out of scope. */
export const readLegacyState = (reader: ScopedReader, id: string): Promise<LegacyState | undefined> =>
  readRow(reader, 'legacy-asset', () => STATE, { id })
