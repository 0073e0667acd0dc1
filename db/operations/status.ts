/** Reads the state of the database, silent sensors and ending keys. */
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
interface Listed<Row> {
  count: number
  rows: Row[]
}

interface SilentSensor {
  serial: string
  asset_id: string
  asset: string
  /** The last local date with counts, on any asset; null without one. */
  last_date: string | null
}

const MAX_ROWS = 100

/** Returns the silent sensors, those without counts for the longest time first. */
export const readSilentSensors = (db: Pool): Promise<Listed<SilentSensor>> =>
  readListed(
    db,
    `SELECT s.serial, a.id AS asset_id, a.name AS asset, counted_to AS last_date
     FROM silent_sensors i JOIN sensors s ON s.number = i.sensor JOIN assets a ON a.number = i.asset`,
    'last_date NULLS FIRST, serial',
  )

/** Returns the numbers of installed sensors, and of silent ones among them, by company and vendor. */
export async function countSensors(
  db: Pool,
): Promise<{ company: string; vendor: string; installed: number; silent: number }[]> {
  const { rows } = await db.query(
    `SELECT c.name AS company, s.vendor_name AS vendor, count(*)::integer AS installed, count(silent.sensor)::integer AS silent
     FROM installations i JOIN sensors s ON s.number = i.sensor JOIN companies c ON c.number = i.company
       LEFT JOIN silent_sensors silent ON silent.sensor = i.sensor
     WHERE i.installed_at <= now() AND (i.removed_at IS NULL OR i.removed_at > now())
     GROUP BY c.name, s.vendor_name ORDER BY c.name, s.vendor_name`,
  )
  return rows
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
const ENDING_DAYS = 14

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
