/** Records and their copies: of companies, assets, sensors, installations, places and keys; and what the feed says of them. */
import type { ClientBase } from 'pg'
import type { DerivedTable } from './compare'

/** SQL of the id of the asset of a row. */
export const ASSET = `(SELECT id FROM assets WHERE number = asset)`

/** Tables whose rows have the company of their asset, but those that others check. */
const ownedTables = ['installations', 'origin_days', 'demographic_days']

export const DERIVED_RECORDS: readonly DerivedTable[] = [
  {
    ...{ table: 'companies', row: 'id', key: 'id' },
    columns: 'id, final_through',
    definition: () => 'SELECT id, closings[cardinality(closings)] AS final_through FROM companies',
  },
  {
    ...{ table: 'sensors', row: 'id', key: 'id' },
    columns:
      'id, vendor_name, native_minutes, asset_id, asset, company, last_company, installed_at::text, removed_at::text',
    definition: () => `
      SELECT s.id, v.name AS vendor_name, v.native_minutes, a.id AS asset_id, a.number AS asset, a.company,
        p.last_company, p.installed_at::text, p.removed_at::text
      FROM sensors s JOIN vendors v ON v.number = s.vendor JOIN sensor_places p ON p.sensor = s.number
        LEFT JOIN assets a ON a.number = p.asset`,
    // Another sensor has to confirm what the vendor is, and the name must not be that of another vendor.
    mend: (different, definition) => `
      UPDATE sensors s SET (vendor_name, native_minutes, asset_id, asset, company, last_company, installed_at, removed_at) = (d.vendor_name,
        d.native_minutes, d.asset_id, d.asset, d.company, d.last_company, d.installed_at::timestamptz, d.removed_at::timestamptz)
      FROM (${definition}) AS d WHERE d.id = s.id AND s.id IN (${different})
        AND NOT EXISTS (SELECT FROM vendors v WHERE v.name = s.vendor_name AND v.number <> s.vendor)
        AND s.vendor IN (SELECT v.number FROM sensors o JOIN vendors v ON v.number = o.vendor
          WHERE (o.vendor_name, o.native_minutes) = (v.name, v.native_minutes))`,
  },
  {
    ...{ table: 'assets', row: 'id', key: 'id' },
    columns: 'id, company_id, sensor_ids::text, sensor_minutes, installations::text',
    definition: () => `
      SELECT a.id, c.id AS company_id, i.sensor_ids::text, i.sensor_minutes, i.installations::text
      FROM assets a JOIN companies c ON c.number = a.company JOIN asset_installations i ON i.asset = a.number`,
    // Another asset has to confirm the id of the company. Sensors and installations of which the copy knows more are lost or damaged.
    mend: different => `
      UPDATE assets a SET company_id = c.id FROM companies c, asset_versions v
      WHERE c.number = a.company AND (v.asset, v.company) = (a.number, a.company) AND a.id IN (${different})
        AND a.company IN (SELECT o.number FROM assets JOIN companies o ON o.number = company WHERE company_id = o.id);
      SELECT copy_installations(ARRAY(SELECT number FROM assets a JOIN asset_installations i ON i.asset = a.number
        WHERE a.id IN (${different}) AND i.installations::jsonb @> a.installations::jsonb
          AND cardinality(a.sensor_ids) = (SELECT count(*) FROM sensors s WHERE s.id = ANY (a.sensor_ids))))`,
  },
  {
    ...{ table: 'assets', row: 'id', key: 'id' },
    columns: 'id, rules',
    definition: () =>
      'SELECT id, z.number AS rules FROM assets a JOIN zone_rules z ON z.zone = a.time_zone AND z.in_force',
  },
  {
    ...{ table: 'asset_external_ids', row: `${ASSET} || ' ' || key`, key: 'asset, key' },
    definition: () => `SELECT company, (ids.system || ':' || ids.id) COLLATE "C" AS key, number AS asset
      FROM assets, jsonb_each_text(external_ids) AS ids (system, id)`,
    // A copy that is one too many may be an id that the asset has lost.
    mend: (different, definition) => `
      INSERT INTO asset_external_ids (company, key, asset)
        SELECT company, key, asset FROM (${definition}) AS d WHERE (asset, key) IN (${different})
        ON CONFLICT (asset, key) DO UPDATE SET company = excluded.company`,
  },
  {
    // Whether a key or its claims are damaged, nothing says.
    ...{ table: 'api_keys', row: 'id', key: 'id' },
    columns: 'id, claims::text',
    definition: () => 'SELECT id, claims_of(k)::text AS claims FROM api_keys k',
  },
  ...ownedTables.map(table => ({
    ...({ table, row: ASSET, key: 'asset, stored_company', readsAllDays: true } as const),
    stored: () => `(SELECT DISTINCT asset, company AS stored_company, company FROM ${table}) AS t`,
    definition: () =>
      `SELECT DISTINCT t.asset, t.company AS stored_company, a.company FROM ${table} t JOIN assets a ON a.number = t.asset`,
    mend: () =>
      `UPDATE ${table} t SET company = a.company FROM assets a WHERE a.number = t.asset AND a.company <> t.company`,
  })),
  {
    // The company of the assets with data of the place; null where they have several.
    ...{ table: 'origin_places', row: `concat('place ', number)`, key: 'number', readsAllDays: true },
    columns: 'number, company',
    definition: () => `
      SELECT coalesce(p.number, d.place) AS number,
        CASE WHEN min(a.company) = max(a.company) THEN min(a.company) WHEN count(a.company) = 0 THEN min(p.company) END AS company
      FROM origin_places p FULL JOIN (SELECT DISTINCT asset, unnest(places) AS place FROM origin_days) AS d ON d.place = p.number
        LEFT JOIN assets a ON a.number = d.asset
      GROUP BY 1`,
    mend: (different, definition) => `
      UPDATE origin_places p SET company = d.company FROM (${definition}) AS d
      WHERE d.number = p.number AND d.company IS NOT NULL AND p.number IN (${different})`,
  },
  {
    // The feed lists each asset, and nothing of assets that are not there but that they were removed.
    ...{ table: 'changes', row: `concat(kind, ' of ', asset_id)`, key: 'company, asset_id, kind' },
    columns: 'company, asset_id, kind, commit_number, created_commit',
    definition: () => `
      SELECT c.company, c.asset_id, c.kind, c.commit_number, c.created_commit
      FROM changes c JOIN transactions t USING (commit_number) LEFT JOIN transactions b ON b.commit_number = c.created_commit
      WHERE (c.created_commit IS NULL) = (b.commit_number IS NULL) AND (c.created_commit IS NULL) = (c.kind NOT IN ('asset', 'removed'))
        AND (c.kind = 'removed' OR EXISTS (SELECT FROM assets a WHERE (a.company, a.id) = (c.company, c.asset_id)))
      UNION ALL
      SELECT a.company, a.id, 'asset', NULL, NULL FROM assets a
      WHERE NOT EXISTS (SELECT FROM changes c WHERE (c.company, c.asset_id, c.kind) = (a.company, a.id, 'asset'))`,
  },
]

/** Returns the columns with references to rows that are not there, as tables that hold what they refer to. */
export async function readLostReferences(client: ClientBase): Promise<DerivedTable[]> {
  const { rows: references } = await client.query<Record<'table' | 'column' | 'target' | 'key', string>>(`
    SELECT DISTINCT f.conrelid::regclass::text AS table, c.attname AS column, f.confrelid::regclass::text AS target, k.attname AS key
    FROM pg_constraint f JOIN pg_attribute c ON (c.attrelid, c.attnum) = (f.conrelid, f.conkey[1])
      JOIN pg_attribute k ON (k.attrelid, k.attnum) = (f.confrelid, f.confkey[1])
    WHERE f.contype = 'f' AND f.connamespace = current_schema()::regnamespace ORDER BY 1, 2`)
  const statements = references.map(
    ({ table, column, target, key }, i) => `SELECT ${i} AS i WHERE EXISTS (
      SELECT FROM ${table} t WHERE t.${column} IS NOT NULL AND NOT EXISTS (SELECT FROM ${target} r WHERE r.${key} = t.${column}))`,
  )
  const { rows } = await client.query<{ i: number }>(statements.join(' UNION ALL '))
  return rows.map(({ i }) => {
    const { table, column, target, key } = references[i]!
    return {
      ...{ table, row: `'rows that refer to ${target}'`, key: column },
      stored: () => `(SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL) AS t`,
      definition: () => `SELECT DISTINCT t.${column} FROM ${table} t JOIN ${target} r ON r.${key} = t.${column}`,
    }
  })
}
