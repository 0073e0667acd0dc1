/** Reads the state of the database and of the service, and silent sensors. */
import type { ClientBase, Pool } from 'pg'

interface DatabaseServer {
  version: string
  /** The folder of its programs; null where it is that of DATABASE_URL. */
  programs: string | null
}

/** @param isEmbedded whether this program has started it; its owner may then read where its programs are */
export async function readServer(db: Pool, isEmbedded: boolean): Promise<DatabaseServer> {
  const programs = isEmbedded ? "(SELECT setting FROM pg_config WHERE name = 'BINDIR')" : 'NULL'
  const { rows } = await db.query<DatabaseServer>(
    `SELECT current_setting('server_version') AS version, ${programs} AS programs`,
  )
  return rows[0]!
}

interface DatabaseStatus extends DatabaseServer {
  migration: string
  size_bytes: number
  companies: number
  assets: number
  sensors: number
}

export async function readDatabaseStatus(db: Pool, isEmbedded: boolean): Promise<DatabaseStatus> {
  const { rows } = await db.query<DatabaseStatus>(
    `SELECT (SELECT name FROM knex_migrations ORDER BY id DESC LIMIT 1) AS migration,
       pg_database_size(current_database()) AS size_bytes, (SELECT count(*) FROM companies) AS companies,
       (SELECT count(*) FROM assets) AS assets, (SELECT count(*) FROM sensors) AS sensors`,
  )
  return { ...(await readServer(db, isEmbedded)), ...rows[0]! }
}

interface LastCommit {
  at: string
  /** Whether it was made while the clock was ahead, or the clock is behind now. */
  in_future: boolean
}

export async function readLastCommit(db: Pool | ClientBase): Promise<LastCommit> {
  const { rows } = await db.query<LastCommit>(
    `SELECT date_trunc('milliseconds', committed_at) AS at, committed_at > clock_timestamp() AS in_future
     FROM transactions WHERE commit_number IS NOT NULL ORDER BY commit_number DESC LIMIT 1`,
  )
  return rows[0]!
}

/** Returns what an operator has to know of a last commit in the future. */
export const describeFutureCommit = ({ at }: LastCommit): string =>
  `the last commit lies in the future, at ${at}: the clock of the database was ahead then, or is behind now`

interface SilentSensor {
  serial: string
  asset_id: string
  asset: string
  /** The last local date with counts, on any asset; null without one. */
  last_date: string | null
}

const MAX_ROWS = 100

/** Returns the number of silent sensors, and the first of them: those without counts for the longest time. */
export async function readSilentSensors(db: Pool): Promise<{ count: number; rows: SilentSensor[] }> {
  const { rows } = await db.query<SilentSensor & { count: number }>(
    `SELECT count(*) OVER () AS count, s.serial, a.id AS asset_id, a.name AS asset, counted_to AS last_date
     FROM silent_sensors i JOIN sensors s ON s.number = i.sensor JOIN assets a ON a.number = i.asset
     ORDER BY last_date NULLS FIRST, serial LIMIT ${MAX_ROWS}`,
  )
  return { count: rows[0]?.count ?? 0, rows: rows.map(({ count: _, ...sensor }) => sensor) }
}

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

/** The state that all processes of the service share. */
interface ServiceState {
  /** Encrypts cursors: 32 random bytes, created with the database. */
  cursorSecret: Buffer
  /** Whether the demo data set was loaded completely. */
  hasDemo: boolean
  /** Whether there are companies, of the demo or others. */
  hasCompanies: boolean
  isStandby: boolean
}

export async function readServiceState(owner: Pool | ClientBase): Promise<ServiceState> {
  const { rows } = await owner.query(
    `SELECT cursor_secret AS "cursorSecret", demo_loaded_at IS NOT NULL AS "hasDemo",
       EXISTS (SELECT FROM companies) AS "hasCompanies", pg_is_in_recovery() AS "isStandby" FROM service`,
  )
  return rows[0]
}
