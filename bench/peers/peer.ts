/** The parts that all peers share: their settings, the statement of a request, and the line that announces the port. */
import { openPool } from '../../db/postgres/pool'
import { Cursors } from '../../rest-gateway/read/cursors'
import { ENVIRONMENT } from '../data/fill'
import type { Input, Operation } from './operations'
import { STATEMENTS } from './statements'

/** The default of the service. */
const CONNECTIONS = 10

/** A peer reads as the owner of the tables, as most services do. */
export const pool = openPool(setting('DATABASE_URL'), { max: CONNECTIONS })

/** The same text as the service's. */
const cursors = new Cursors(Buffer.from(setting('CURSOR_SECRET'), 'hex'), ENVIRONMENT)

/** Returns the body of a response, read by one prepared statement; undefined if there is no such asset or key. */
export async function read(operation: Operation, input: Input, hash: Buffer): Promise<object | undefined> {
  const name = operation.statement(input)
  const values = [hash, ...operation.values(input, cursors)]
  const { rows } = await pool.query({ name, text: STATEMENTS[name], values })
  return rows.length === 0 ? undefined : operation.body(rows as never[], input, cursors)
}

/** @throws Error if the environment variable is missing */
export function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

export function announce(port: number): void {
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
  process.on('SIGTERM', () => process.exit())
}
