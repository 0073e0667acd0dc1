/** What all peers share in how they are started: the database to read from, and the line that says where they listen. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { openPool } from '../../db/postgres/pool'
import { Cursors } from '../../rest-gateway/routes/cursors'
import { ENVIRONMENT } from '../data/population'

/** As many connections as the service has. */
const CONNECTIONS = 10

/** The pool of a peer that reads as the owner of the tables, as most services do, and the cursors that it issues. */
export function openPeer(): { pool: Pool; cursors: Cursors } {
  const pool = openPool(setting('DATABASE_URL'), { max: CONNECTIONS })
  return { pool, cursors: openCursors() }
}

/** Cursors of the same text as the service's. */
export const openCursors = (): Cursors => new Cursors(Buffer.from(setting('CURSOR_SECRET'), 'hex'), ENVIRONMENT)

export function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

/** Listens, and says where. */
export async function serve(server: Server): Promise<void> {
  server.keepAliveTimeout = 65_000
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  tell((server.address() as AddressInfo).port)
}

export function tell(port: number): void {
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
  process.on('SIGTERM', () => process.exit())
}
