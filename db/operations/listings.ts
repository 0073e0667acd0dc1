/** Reads what is stored for the operator: all rows of a kind, or one with its details. */
import type { ClientBase, Pool } from 'pg'
import { type AssetRow, ATTRIBUTES, snakeCase, sqlOf } from '../assets/attributes'
import { grainName } from '../calendar/grains'
import { OperatorError } from '../operator-error'
import { HEALTH } from '../queries/sensors'
import { type EntityKind, findNumbers } from '../references'

/** The kinds that are read from tables; keys have a module of their own. */
type ListedKind = EntityKind | 'imports' | 'notes' | 'set-aside'

/** The kinds of which one row can be read. */
export type DetailedKind = Exclude<ListedKind, 'notes'>

export type ListedRow = Record<string, unknown> & { id: string | number }

interface Listing {
  /** SQL of the rows, whose table is `t`. */
  sql: string
  order: string
  /** SQL of further columns of a single row. */
  details?: string
}

/** Returns the SQL of an instant in JSON, as everywhere: RFC 3339 in UTC. */
const instant = (column: string) => `(to_json(${column} AT TIME ZONE 'UTC') #>> '{}') || 'Z'`

/** Returns the SQL of the installations that satisfy a condition, as a JSON list. */
const selectInstallations = (condition: string, other: string) => `(
  SELECT coalesce(json_agg(json_build_object(${other}, 'finest_grain', ${grainName('i.native_minutes')},
    'installed_at', ${instant('i.installed_at')}, 'removed_at', ${instant('i.removed_at')}) ORDER BY i.installed_at, i.sensor), '[]')
  FROM installations i JOIN assets a ON a.number = i.asset JOIN sensors s ON s.number = i.sensor WHERE ${condition}
) AS installations`

/** SQL: the last day with counts of the sensor `s`: that of its asset, if neither was installed elsewhere or with another, so that counts are not read. */
const LAST_DAY = `CASE WHEN (SELECT count(*) FROM installations WHERE asset = s.asset) = 1
    AND (SELECT count(*) FROM installations WHERE sensor = s.number) = 1
  THEN (SELECT measured_to FROM asset_versions WHERE asset = s.asset)
  ELSE (SELECT max(date) FROM sensor_days WHERE sensor = s.number) END`

const assetColumn = (field: keyof AssetRow) => `${sqlOf(field)} AS ${snakeCase(field)}`

const ASSET_COLUMNS = ATTRIBUTES.flatMap(({ field }) =>
  field === 'companyId' ? [assetColumn(field), 'c.name AS company'] : assetColumn(field),
)

const LISTINGS: Record<ListedKind, Listing> = {
  companies: {
    sql: `SELECT t.id, t.name, count(a.id) AS assets, coalesce(sum(cardinality(a.sensor_ids)), 0) AS sensors,
        (SELECT count(*) FROM api_keys k WHERE t.number = ANY (k.companies) AND k.deactivated_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > now())) AS keys,
        min(v.measured_from) AS measured_from, max(v.measured_to) AS measured_to
      FROM companies t LEFT JOIN assets a ON a.company = t.number LEFT JOIN asset_versions v ON v.asset = a.number
      WHERE $1::integer IS NULL OR t.number = $1 GROUP BY t.number, t.id, t.name`,
    order: 'name',
  },
  vendors: {
    sql: `SELECT t.id, t.name, t.own, ${grainName('t.native_minutes')} AS finest_grain,
        (SELECT count(*) FROM sensors s WHERE s.vendor = t.number) AS sensors
      FROM vendors t WHERE $1::integer IS NULL OR t.number = $1`,
    order: 'name',
  },
  assets: {
    sql: `SELECT ${ASSET_COLUMNS.join(', ')}
      FROM assets a JOIN companies c ON c.number = a.company JOIN asset_versions v ON v.asset = a.number
      WHERE $1::integer IS NULL OR a.number = $1`,
    order: 'legacy_id, name, id',
    details: selectInstallations('i.asset = $1', `'sensor_id', s.id, 'serial', s.serial`),
  },
  sensors: {
    sql: `SELECT s.id, s.serial, s.model, s.vendor_name AS vendor, ${grainName('s.native_minutes')} AS finest_grain, s.asset_id,
        (SELECT name FROM assets WHERE number = s.asset) AS asset, s.billable_state, s.installed_at, s.removed_at,
        coalesce(local_time((SELECT a.rules FROM installations i JOIN assets a ON a.number = i.asset
          WHERE (i.sensor, i.installed_at) = (s.number, s.installed_at)), s.installed_at)::date,
          (s.installed_at AT TIME ZONE 'UTC')::date) AS installed_on,
        ${HEALTH.healthStatus} AS health_status, ${HEALTH.healthCheckedAt} AS health_checked_at,
        ${HEALTH.healthLastSeenAt} AS health_last_seen_at, ${HEALTH.healthReason} AS health_reason, ${LAST_DAY} AS measured_to
      FROM sensors s WHERE $1::integer IS NULL OR s.number = $1`,
    order: 'serial',
    details: selectInstallations('i.sensor = $1', `'asset_id', a.id, 'asset', a.name`),
  },
  notes: {
    sql: `SELECT t.id, a.id AS asset_id, a.name AS asset, s.serial AS sensor, t.from_date AS "from", t.to_date AS "to", t.kind, t.text,
        t.is_internal AS internal, t.updated_at
      FROM notes t LEFT JOIN assets a ON a.number = t.asset LEFT JOIN sensors s ON s.number = t.sensor`,
    order: '"from" DESC, asset_id, sensor, id',
  },
  imports: {
    sql: `SELECT t.id, t.at, t.account, substr(t.command, 8) AS kind, t.details ->> 'file' AS file, t.details AS options, t.figures
      FROM operations t WHERE t.command LIKE 'import %' AND ($1::integer IS NULL OR t.id = $1)`,
    order: 'id DESC',
  },
  'set-aside': {
    sql: `SELECT t.id, s.serial AS sensor, s.asset_id, (SELECT name FROM assets WHERE number = s.asset) AS asset, t.from_time AS from, t.to_time AS to, t.reason, t.is_public AS public,
        c.counts, c.impressions, t.created_at
      FROM set_asides t JOIN sensors s ON s.number = t.sensor CROSS JOIN LATERAL (
        SELECT coalesce(sum(observed), 0) AS counts, coalesce(sum(impressions), 0)::bigint AS impressions
        FROM set_aside_days WHERE set_aside = t.id
      ) c WHERE $1::integer IS NULL OR t.id = $1`,
    order: 'sensor, t.from_time',
  },
}

export async function readListing(pool: Pool, kind: ListedKind): Promise<ListedRow[]> {
  const { sql, order } = LISTINGS[kind]
  return (await pool.query<ListedRow>(`${sql.replaceAll('$1', 'NULL')} ORDER BY ${order}`)).rows
}

/**
 * Returns one row with its details.
 *
 * @param reference an id, natural key or name; the number of an import or of what is set aside
 * @throws OperatorError UNKNOWN_COMPANY, UNKNOWN_VENDOR, UNKNOWN_ASSET, UNKNOWN_SENSOR, UNKNOWN_IMPORT or UNKNOWN_SET_ASIDE;
 *   AMBIGUOUS_ASSET
 */
export async function readDetails(db: Pool | ClientBase, kind: DetailedKind, reference: string): Promise<ListedRow> {
  const find = async (entity: EntityKind) => (await findNumbers(db, entity, [reference], 'keys and name'))[0]
  const isNumbered = kind === 'imports' || kind === 'set-aside'
  const number = isNumbered ? (/^\d{1,9}$/.test(reference) ? Number(reference) : -1) : await find(kind)
  const { sql, details } = LISTINGS[kind]
  const { rows } = await db.query<ListedRow>(details ? `SELECT t.*, ${details} FROM (${sql}) t` : sql, [number])
  if (!rows[0]) throw unknownNumber(kind, reference)
  return rows[0]
}

function unknownNumber(kind: ListedKind, reference: string): OperatorError {
  const [code, noun] = kind === 'imports' ? ['UNKNOWN_IMPORT', 'import'] : ['UNKNOWN_SET_ASIDE', 'stretch set aside']
  const remedy = `(\`partner-metrics list ${kind}\` shows all)`
  return new OperatorError(code, `there is no ${noun} with the id ${JSON.stringify(reference)} ${remedy}`)
}
