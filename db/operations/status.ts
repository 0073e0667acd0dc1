/** Reads the state of the database, and sensors whose counts are missing. */
import type { Pool } from 'pg'

export interface DatabaseStatus {
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
  return rows[0] as DatabaseStatus
}

/** The number of rows, and the first of them. */
export interface Listed<Row> {
  count: number
  rows: Row[]
}

/** A sensor that is installed and has no counts since some days. */
export interface SilentSensor {
  serial: string
  asset_id: string
  asset: string
  /** The last local day with a count; null if there never was one. */
  last_date: string | null
}

/** Whole local days without any count of an installed sensor that counted later. */
export interface Gap {
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

/** Installed sensors with the last local day of their counts, and whether they are silent. */
const INSTALLED_SENSORS = `
SELECT s.serial, a.id AS asset_id, a.name AS asset, d.last_date,
  (s.installed_at AT TIME ZONE a.time_zone)::date < t.silent_from
    AND (d.last_date IS NULL OR d.last_date < t.silent_from) AS is_silent
FROM sensors s JOIN assets a ON a.number = s.asset
  CROSS JOIN LATERAL (SELECT max(date) AS last_date FROM sensor_days WHERE sensor = s.number) d
  CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE a.time_zone)::date - ${SILENT_DAYS} AS silent_from) t`

/** Returns the sensors that counted nothing in the last whole local days, those that are silent longest first. */
export async function readSilentSensors(db: Pool): Promise<Listed<SilentSensor>> {
  return readListed(
    db,
    `SELECT serial, asset_id, asset, last_date FROM (${INSTALLED_SENSORS}) s WHERE is_silent`,
    'last_date NULLS FIRST, serial',
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

/** Returns the gaps of the last days, the latest first. */
export async function readGaps(db: Pool): Promise<Listed<Gap>> {
  return readListed(
    db,
    `SELECT s.serial, a.id AS asset_id, a.name AS asset, min(m.date) AS from_date, max(m.date) AS to_date, count(*) AS days
     FROM (
       SELECT i.sensor, i.asset, day::date AS date,
         day::date - row_number() OVER (PARTITION BY i.sensor, i.asset ORDER BY day)::integer AS first
       FROM installations i JOIN assets a ON a.number = i.asset
         CROSS JOIN LATERAL (SELECT max(date) AS date FROM sensor_days WHERE sensor = i.sensor) last
         -- The days on which it was installed from midnight to midnight.
         CROSS JOIN LATERAL generate_series(
           greatest(current_date - ${GAP_DAYS},
             date_trunc('day', i.installed_at AT TIME ZONE a.time_zone + interval '1 day - 1 microsecond')),
           least(last.date, date_trunc('day', i.removed_at AT TIME ZONE a.time_zone - interval '1 day')), interval '1 day') day
       WHERE NOT EXISTS (SELECT 1 FROM sensor_days d WHERE (d.asset, d.date, d.sensor) = (i.asset, day::date, i.sensor))
         AND (i.removed_at IS NULL OR i.removed_at > current_date - ${GAP_DAYS})
     ) m JOIN sensors s ON s.number = m.sensor JOIN assets a ON a.number = m.asset
     GROUP BY s.serial, a.id, a.name, m.first`,
    'to_date DESC, serial',
  )
}

async function readListed<Row>(db: Pool, query: string, order: string): Promise<Listed<Row>> {
  const { rows } = await db.query<{ count: number; row: Row }>(
    `WITH listed AS (${query})
     SELECT (SELECT count(*) FROM listed) AS count, to_json(l) AS row FROM listed l ORDER BY ${order} LIMIT ${MAX_ROWS}`,
  )
  return { count: rows[0]?.count ?? 0, rows: rows.map(({ row }) => row) }
}
