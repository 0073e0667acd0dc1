/** Checks the columns that are copied or derived from other rows. */
import type { ClientBase } from 'pg'
import {
  CLASS_OF_ASSET,
  MONTH_COLUMNS,
  REPAIR_CLASSES,
  REPAIR_MONTHS,
  REPAIR_VERSIONS,
  VERSION_COLUMNS,
} from './derived-months'
import type { OnDifference } from './differences'

interface Check {
  table: string
  /** SQL of the rows with `row`, `stored` and `expected`, of which those that differ are reported. */
  columns: Record<string, string>
  /** Sets the expected values of all rows. */
  repair(client: ClientBase): Promise<unknown>
}

/** SQL: the last installation of a sensor. */
const LAST = `LATERAL (
  SELECT * FROM installations WHERE sensor = s.number ORDER BY installed_at DESC LIMIT 1
) i`

const SENSORS = `FROM sensors s LEFT JOIN vendors v ON v.number = s.vendor LEFT JOIN assets a ON a.number = s.asset`

/** In the order in which they are repaired: assets derive from sensors. */
const CHECKS: Check[] = [
  {
    table: 'sensors',
    columns: {
      vendor_name: `SELECT s.id AS row, s.vendor_name AS stored, v.name AS expected ${SENSORS}`,
      native_minutes: `SELECT s.id AS row, s.native_minutes AS stored, v.native_minutes AS expected ${SENSORS}`,
      asset_id: `SELECT s.id AS row, s.asset_id AS stored, a.id AS expected ${SENSORS}`,
      asset: `SELECT s.id AS row, s.asset AS stored, i.asset AS expected FROM sensors s JOIN ${LAST} ON s.asset IS NOT NULL`,
      installed_at: `SELECT s.id AS row, s.installed_at AS stored, i.installed_at AS expected FROM sensors s JOIN ${LAST} ON true`,
      removed_at: `SELECT s.id AS row, s.removed_at AS stored, i.removed_at AS expected FROM sensors s JOIN ${LAST} ON true`,
    },
    repair: client =>
      client.query(`
        UPDATE sensors s SET asset = CASE WHEN s.asset IS NOT NULL THEN i.asset END,
            company = CASE WHEN s.asset IS NOT NULL THEN i.company END,
            installed_at = i.installed_at, removed_at = i.removed_at
          FROM (SELECT DISTINCT ON (sensor) * FROM installations ORDER BY sensor, installed_at DESC) i
          WHERE i.sensor = s.number AND (s.asset <> i.asset OR (s.installed_at, s.removed_at) IS DISTINCT FROM (i.installed_at, i.removed_at));
        UPDATE sensors s SET asset = s.asset, vendor = s.vendor, native_minutes = v.native_minutes FROM vendors v
          WHERE v.number = s.vendor AND ((s.vendor_name, s.native_minutes) IS DISTINCT FROM (v.name, v.native_minutes)
            OR s.asset_id IS DISTINCT FROM (SELECT id FROM assets WHERE number = s.asset))`),
  },
  {
    table: 'assets',
    columns: {
      company_id: `SELECT a.id AS row, a.company_id AS stored, c.id AS expected FROM assets a JOIN companies c ON c.number = a.company`,
      sensor_ids: `SELECT a.id AS row, a.sensor_ids AS stored,
        ARRAY(SELECT id FROM sensors WHERE asset = a.number ORDER BY id) AS expected FROM assets a`,
      sensor_minutes: `SELECT a.id AS row, a.sensor_minutes AS stored,
        (SELECT max(native_minutes) FROM sensors WHERE asset = a.number) AS expected FROM assets a`,
      installations: `SELECT a.id AS row, a.installations::text AS stored, coalesce((
          SELECT json_agg(json_build_object('sensor', i.sensor, 'nativeMinutes', i.native_minutes,
            'from', extract(epoch FROM i.installed_at)::float8, 'to', extract(epoch FROM i.removed_at)::float8,
            'present', coalesce((s.asset, s.installed_at) = (i.asset, i.installed_at), false))
            ORDER BY i.installed_at, i.sensor)::text
          FROM installations i JOIN sensors s ON s.number = i.sensor WHERE i.asset = a.number
        ), '[]') AS expected FROM assets a`,
      class: CLASS_OF_ASSET,
    },
    repair: client =>
      client.query(`
        UPDATE assets a SET company = a.company FROM companies c WHERE c.number = a.company AND c.id <> a.company_id;
        ${REPAIR_CLASSES};
        SELECT refresh_installations(ARRAY(SELECT number FROM assets))`),
  },
  { table: 'asset_months', columns: MONTH_COLUMNS, repair: client => client.query(REPAIR_MONTHS) },
  { table: 'asset_versions', columns: VERSION_COLUMNS, repair: client => client.query(REPAIR_VERSIONS) },
  {
    table: 'api_keys',
    columns: {
      claims: `SELECT id AS row, claims::text AS stored, json_build_object('id', id, 'label', label, 'scopes', scopes,
          'reseller', reseller, 'all_companies', all_companies, 'rate', CASE WHEN rate_requests IS NOT NULL
            THEN json_build_object('requests', rate_requests, 'seconds', rate_seconds) END)::text AS expected FROM api_keys`,
    },
    // A trigger sets the column.
    repair: client => client.query('UPDATE api_keys SET id = id'),
  },
]

/** Differences in memory at once. */
const BATCH = 200

/** Reports all differences, and returns the numbers of rows by table. */
export async function checkCopiedColumns(
  client: ClientBase,
  onDifference: OnDifference,
): Promise<Record<string, number>> {
  const checked: Record<string, number> = {}
  for (const { table, columns } of CHECKS) {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
    checked[table] = rows[0]?.count ?? 0
    for (const [column, sql] of Object.entries(columns)) {
      await client.query(`DECLARE differences CURSOR FOR
        SELECT row, stored::text, expected::text FROM (${sql}) c WHERE stored IS DISTINCT FROM expected ORDER BY row`)
      for (;;) {
        const found = await client.query<{ row: string; stored: string | null; expected: string | null }>(
          `FETCH ${BATCH} FROM differences`,
        )
        for (const difference of found.rows) await onDifference({ table, column, ...difference, repairable: true })
        if (found.rows.length < BATCH) break
      }
      await client.query('CLOSE differences')
    }
  }
  return checked
}

export async function repairCopiedColumns(client: ClientBase): Promise<void> {
  for (const { repair } of CHECKS) await repair(client)
}
