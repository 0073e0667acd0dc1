/** The parts that all peers share: their settings, the connection pool, and the line that announces the port. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { openPool } from '../../db/postgres/pool'
import { Cursors } from '../../rest-gateway/read/cursors'
import { ENVIRONMENT } from '../data/fill'

/** The default of the service. */
const CONNECTIONS = 10

/** Opens the pool of a peer that reads as the owner of the tables, as most services do, and cursors with the same text as the service's. */
export function openPeer(): { pool: Pool; cursors: Cursors } {
  const pool = openPool(setting('DATABASE_URL'), { max: CONNECTIONS })
  return { pool, cursors: new Cursors(Buffer.from(setting('CURSOR_SECRET'), 'hex'), ENVIRONMENT) }
}

/** @throws Error if the environment variable is missing */
export function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

/** Listens on a free port and announces it. */
export async function serve(server: Server): Promise<void> {
  server.keepAliveTimeout = 65_000
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  announce((server.address() as AddressInfo).port)
}

export function announce(port: number): void {
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
  process.on('SIGTERM', () => process.exit())
}
