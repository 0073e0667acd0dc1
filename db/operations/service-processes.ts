/** The running services with their addresses, which each service registers while it runs. */
import { createId } from '@paralleldrive/cuid2'
import type { ClientBase, Pool } from 'pg'

export interface ServiceProcess {
  id: string
  /** Name of the machine. */
  host: string
  pid: number
  /** `http://HOST:PORT` */
  url: string
  version: string
  /** RFC 3339 in UTC. */
  started_at: string
  seen_at: string
  /** Seconds since it was seen, by the clock of the database. */
  age: number
}

/** The interval at which a service reports that it is running. */
export const REPORT_INTERVAL_MS = 30_000

/** A service that was not seen for so long is not running. */
export const MAX_AGE_SECONDS = 90

/** Registers a service, which is the running process, in place of one that had its address, and returns its id. */
export async function registerService(
  owner: Pool,
  { host, pid, url, version }: Pick<ServiceProcess, 'host' | 'pid' | 'url' | 'version'>,
): Promise<string> {
  const id = createId()
  await owner.query(
    `WITH deleted AS (
       DELETE FROM service_processes WHERE (host, url) = ($2, $4) OR seen_at < now() - interval '1 day'
     )
     INSERT INTO service_processes (id, host, pid, url, version, started_at)
     VALUES ($1, $2, $3, $4, $5, now() - $6 * interval '1 second')`,
    [id, host, pid, url, version, process.uptime()],
  )
  return id
}

export async function unregisterService(owner: Pool, id: string): Promise<void> {
  await owner.query('DELETE FROM service_processes WHERE id = $1', [id])
}

/** Returns whether the service is registered. */
export async function reportRunning(owner: Pool, id: string): Promise<boolean> {
  const seen = await owner.query('UPDATE service_processes SET seen_at = clock_timestamp() WHERE id = $1', [id])
  return seen.rowCount === 1
}

/** Returns all registered services, the latest first. */
export async function readServices(db: Pool | ClientBase): Promise<ServiceProcess[]> {
  const { rows } = await db.query<ServiceProcess>(
    `SELECT *, extract(epoch FROM now() - seen_at)::float8 AS age FROM service_processes ORDER BY started_at DESC, id`,
  )
  return rows
}
