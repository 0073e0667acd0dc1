/** Reads the state of the database, and sensors whose counts are missing. */
import type { Pool } from 'pg'

interface DatabaseStatus {
  /** The version of PostgreSQL. */
  version: string
  /** The last migration that ran. */
  migration: string
  size_bytes: number
  companies: number
  assets: number
  sensors: number
}

export async function readDatabaseStatus(db: Pool): Promise<DatabaseStatus> {
  const { rows } = await db.query<DatabaseStatus>(
    `SELECT current_setting('server_version') AS version,
       (SELECT name FROM knex_migrations ORDER BY id DESC LIMIT 1) AS migration,
       pg_database_size(current_database()) AS size_bytes, (SELECT count(*) FROM companies) AS companies,
       (SELECT count(*) FROM assets) AS assets, (SELECT count(*) FROM sensors) AS sensors`,
  )
  return rows[0]!
}

/** The number of rows, and the first of them. */
export interface Listed<Row> {
  count: number
  rows: Row[]
}

/** A sensor that is installed and has no counts since some days. */
interface SilentSensor {
  serial: string
  asset_id: string
  asset: string
  /** The last local day with a count; null if there never was one. */
  last_date: string | null
}

/** Whole local days without any count of an installed sensor that counted later. */
interface Gap {
  serial: string
  asset_id: string
  asset: string
  from_date: string
  to_date: string
  days: number
}

/** Whole days that may pass before a sensor without counts is silent: counts usually arrive on the next day. */
export const SILENT_DAYS = 2

/** Days in which gaps are searched. */
export const GAP_DAYS = 30

const MAX_ROWS = 100

/** SQL: the installations of the last days. They are compared in UTC, with a margin of a day for time zones. */
const recentInstallations = (days: number) =>
  `installations i WHERE (i.removed_at IS NULL OR i.removed_at > current_date - ${days + 1})`

/**
 * Installed sensors, and whether they are silent. The last day with counts of an asset is that of its sensor; counts are read
 * only of sensors beside which another one was installed lately.
 */
const INSTALLED_SENSORS = `
SELECT s.number, s.serial, a.id AS asset_id, a.name AS asset, v.measured_to,
  (
    v.measured_to IS NULL OR v.measured_to < t.silent_from
    OR s.asset IN (SELECT i.asset FROM ${recentInstallations(SILENT_DAYS)} GROUP BY i.asset HAVING count(*) > 1)
      AND NOT EXISTS (SELECT 1 FROM sensor_days WHERE asset = s.asset AND sensor = s.number AND date >= t.silent_from)
  ) AND local_date(a.rules, s.installed_at) < t.silent_from AS is_silent
FROM sensors s JOIN assets a ON a.number = s.asset JOIN asset_versions v ON v.asset = s.asset
  JOIN (SELECT number AS rules, local_date(number, now()) - ${SILENT_DAYS} AS silent_from FROM zone_rules WHERE in_force) t USING (rules)`

/** Returns the sensors that counted nothing in the last whole local days, those whose assets are silent longest first. */
export async function readSilentSensors(db: Pool): Promise<Listed<SilentSensor>> {
  return readListed(
    db,
    `SELECT * FROM (${INSTALLED_SENSORS}) s WHERE is_silent`,
    'measured_to NULLS FIRST, serial',
    `SELECT serial, asset_id, asset, (SELECT max(date) FROM sensor_days WHERE sensor = number) AS last_date
     FROM first ORDER BY last_date NULLS FIRST, serial`,
  )
}

/** Returns the numbers of installed sensors, and of silent ones among them. */
export async function countSensors(db: Pool): Promise<{ installed: number; silent: number }> {
  const { rows } = await db.query(
    `SELECT count(*)::integer AS installed, count(*) FILTER (WHERE is_silent)::integer AS silent
     FROM (${INSTALLED_SENSORS}) s`,
  )
  return rows[0]
}

/** Returns the same by company and vendor, by their names. */
export async function countSensorsByVendor(
  db: Pool,
): Promise<{ company: string; vendor: string; installed: number; silent: number }[]> {
  const { rows } = await db.query(
    `SELECT c.name AS company, s.vendor_name AS vendor, count(*)::integer AS installed,
       count(*) FILTER (WHERE is_silent)::integer AS silent
     FROM (${INSTALLED_SENSORS}) i JOIN sensors s USING (number) JOIN companies c ON c.number = s.company
     GROUP BY c.name, s.vendor_name ORDER BY c.name, s.vendor_name`,
  )
  return rows
}

/**
 * The days without counts of a sensor that counted later. The days without counts of an asset are those of its sensor; counts
 * are read only of sensors that shared an asset lately, or moved to another one.
 */
const MISSING_DAYS = `
WITH installed AS MATERIALIZED (
  SELECT i.sensor, i.asset, i.company, count(*) OVER (PARTITION BY i.asset) + count(*) OVER (PARTITION BY i.sensor) > 2 AS is_shared,
    -- The days on which it was installed from midnight to midnight.
    greatest(current_date - ${GAP_DAYS}, CASE WHEN i.installed_at > current_date - ${GAP_DAYS + 2}
      THEN local_date(a.rules, i.installed_at - interval '1 microsecond') + 1 END) AS first,
    local_date(a.rules, i.removed_at) - 1 AS last
  FROM (SELECT * FROM ${recentInstallations(GAP_DAYS)}) i JOIN assets a ON a.number = i.asset
), days AS (
  SELECT day::date AS date FROM generate_series(current_date - ${GAP_DAYS}, current_date, interval '1 day') day
), counted AS (
  SELECT m.company, block, date, assets FROM companies c JOIN measured_assets m ON m.company = c.number
    AND kind = 'impressions' AND date >= current_date - ${GAP_DAYS}
), blocks AS (
  SELECT company, block, date, bit_or(assets) AS assets FROM (
    SELECT * FROM counted
    UNION ALL
    SELECT company, block, date, asset_bit(0, 0) FROM (SELECT DISTINCT company, block FROM counted) b, days
  ) b GROUP BY company, block, date
), missing AS (
  SELECT company, block, date, ~assets & bit_or(assets) OVER (PARTITION BY company, block ORDER BY date DESC) AS assets FROM blocks
)
SELECT sensor, asset, date FROM installed i JOIN missing m ON m.company = i.company AND m.block = i.asset / 2048
  AND get_bit(m.assets, i.asset % 2048) = 1 AND date >= first AND (last IS NULL OR date <= last)
  WHERE NOT is_shared AND m.assets <> asset_bit(0, 0)
UNION ALL
SELECT sensor, asset, day.date FROM installed i CROSS JOIN LATERAL (
    SELECT array_agg(date) AS dates FROM sensor_days d WHERE d.asset = i.asset AND d.sensor = i.sensor AND date >= current_date - ${GAP_DAYS}
  ) own CROSS JOIN LATERAL (SELECT max(date) AS date FROM sensor_days d WHERE d.sensor = i.sensor) latest JOIN days day
    ON day.date >= first AND day.date <= least(last, latest.date)
    AND day.date <> ALL (coalesce(own.dates, '{}'))
  WHERE is_shared`

/** Returns the gaps of the last days, the latest first. */
export async function readGaps(db: Pool): Promise<Listed<Gap>> {
  return readListed(
    db,
    `SELECT s.serial, a.id AS asset_id, a.name AS asset, min(m.date) AS from_date, max(m.date) AS to_date, count(*) AS days
     FROM (
       SELECT *, date - row_number() OVER (PARTITION BY sensor, asset ORDER BY date)::integer AS first FROM (${MISSING_DAYS}) m
     ) m JOIN sensors s ON s.number = m.sensor JOIN assets a ON a.number = m.asset
     GROUP BY s.serial, a.id, a.name, m.first`,
    'to_date DESC, serial',
  )
}

/** A valid key that ends soon, or that was replaced. */
interface EndingKey {
  id: string
  label: string | null
  expires_at: string
  /** The last day (UTC) of a request with it. */
  last_used_on: string | null
  /** The key that took over from it. */
  replaced_by: string | null
  /** Whether it was replaced and then used, on a later day and in the last week. */
  still_used: boolean
}

/** Days before its end in which a key is listed. */
export const ENDING_DAYS = 14

/** Keys are valid until their end. Only those that were replaced with an overlap are valid and replaced. */
const ENDING_KEYS = `
SELECT * FROM (
  SELECT k.id, k.label, k.expires_at, k.last_used_on, next.id AS replaced_by, coalesce(
      k.last_used_on > (next.created_at AT TIME ZONE 'UTC')::date AND k.last_used_on >= (now() AT TIME ZONE 'UTC')::date - 7, false
    ) AS still_used
  FROM api_keys k LEFT JOIN api_keys next ON next.replaces = k.id
  WHERE k.deactivated_at IS NULL AND k.expires_at > now()
) k WHERE still_used OR expires_at <= now() + interval '${ENDING_DAYS} days'`

/** Returns the keys that end within some days, or were replaced and are still used, the first to end first. */
export const readEndingKeys = (db: Pool): Promise<Listed<EndingKey>> =>
  readListed(
    db,
    ENDING_KEYS,
    'expires_at, id',
    `SELECT id, label, (to_json(expires_at AT TIME ZONE 'UTC') #>> '{}') || 'Z' AS expires_at, last_used_on,
       replaced_by, still_used FROM first ORDER BY first.expires_at, id`,
  )

/** @param shown SQL of what is shown of the first rows */
async function readListed<Row>(
  db: Pool,
  query: string,
  order: string,
  shown = `SELECT * FROM first ORDER BY ${order}`,
): Promise<Listed<Row>> {
  const { rows } = await db.query<{ count: number; row: Row }>(
    `WITH listed AS MATERIALIZED (${query}), first AS (SELECT * FROM listed ORDER BY ${order} LIMIT ${MAX_ROWS})
     SELECT (SELECT count(*) FROM listed) AS count, to_json(l) AS row FROM (${shown}) l`,
  )
  return { count: rows[0]?.count ?? 0, rows: rows.map(({ row }) => row) }
}
