/** Checks the columns that are copied or derived from other rows. */
import type { ClientBase } from 'pg'
import type { Part } from './parts'

interface Check {
  table: string
  /** SQL of the rows with `row`, `stored` and `expected`, of which those that differ are reported. */
  columns: Record<string, string>
  /** Sets the expected values of all rows. */
  repair(client: ClientBase): Promise<unknown>
}

/** SQL: the class that has the attributes of the asset `a`. */
const CLASS = `(SELECT number FROM asset_classes c
  WHERE (c.company, c.country, c.region, c.city, c.media_type, c.format, c.status)
    IS NOT DISTINCT FROM (a.company, a.country, a.region, a.city, a.media_type, a.format, a.status))`

/** SQL: the last installation of a sensor. */
const LAST = `LATERAL (
  SELECT * FROM installations WHERE sensor = s.number ORDER BY installed_at DESC LIMIT 1
) i`

/** SQL: the asset of a sensor, which it leaves when its last installation gets an end. */
const PRESENT = 'CASE WHEN i.removed_at IS NULL THEN i.asset END'

const SENSORS = `FROM sensors s LEFT JOIN vendors v ON v.number = s.vendor LEFT JOIN assets a ON a.number = s.asset`

/** In the order in which they are repaired: assets derive from sensors. */
const CHECKS: Check[] = [
  {
    table: 'sensors',
    columns: {
      vendor_name: `SELECT s.id AS row, s.vendor_name AS stored, v.name AS expected ${SENSORS}`,
      native_minutes: `SELECT s.id AS row, s.native_minutes AS stored, v.native_minutes AS expected ${SENSORS}`,
      asset_id: `SELECT s.id AS row, s.asset_id AS stored, a.id AS expected ${SENSORS}`,
      asset: `SELECT s.id AS row, s.asset AS stored, ${PRESENT} AS expected FROM sensors s JOIN ${LAST} ON true`,
      installed_at: `SELECT s.id AS row, s.installed_at AS stored, i.installed_at AS expected FROM sensors s JOIN ${LAST} ON true`,
      removed_at: `SELECT s.id AS row, s.removed_at AS stored, i.removed_at AS expected FROM sensors s JOIN ${LAST} ON true`,
    },
    repair: client =>
      client.query(`
        UPDATE sensors s SET asset = ${PRESENT}, company = CASE WHEN i.removed_at IS NULL THEN i.company END,
            installed_at = i.installed_at, removed_at = i.removed_at
          FROM (SELECT DISTINCT ON (sensor) * FROM installations ORDER BY sensor, installed_at DESC) i
          WHERE i.sensor = s.number
            AND (s.asset, s.installed_at, s.removed_at) IS DISTINCT FROM (${PRESENT}, i.installed_at, i.removed_at);
        UPDATE sensors s SET vendor_name = v.name, native_minutes = v.native_minutes FROM vendors v
          WHERE v.number = s.vendor AND (s.vendor_name, s.native_minutes) <> (v.name, v.native_minutes);
        UPDATE sensors s SET asset_id = a.id FROM assets a WHERE a.number = s.asset AND s.asset_id <> a.id`),
  },
  {
    table: 'assets',
    columns: {
      company_id: `SELECT a.id AS row, a.company_id AS stored, c.id AS expected FROM assets a JOIN companies c ON c.number = a.company`,
      class: `SELECT a.id AS row, a.class AS stored, ${CLASS} AS expected FROM assets a`,
      ...Object.fromEntries(
        ['sensor_ids', 'sensor_minutes', 'installations'].map(column => [
          column,
          `SELECT a.id AS row, a.${column}::text AS stored, i.${column}::text AS expected
           FROM assets a JOIN asset_installations i ON i.asset = a.number`,
        ]),
      ),
    },
    repair: client =>
      client.query(`
        UPDATE assets a SET company_id = c.id FROM companies c WHERE c.number = a.company AND c.id <> a.company_id;
        UPDATE assets a SET class = class_of(a) WHERE a.class IS DISTINCT FROM ${CLASS};
        SELECT copy_installations(ARRAY(SELECT number FROM assets))`),
  },
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

/** A part for each table. */
export const COPIED_PARTS: readonly Part[] = CHECKS.map(({ table, columns }) => ({
  table,
  async check(client, onDifference) {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
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
    return rows[0]?.count ?? 0
  },
}))

export async function repairCopiedColumns(client: ClientBase): Promise<void> {
  for (const { repair } of CHECKS) await repair(client)
}
