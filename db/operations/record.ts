/** Records what operators change, in the transaction that makes the change, and reads it. */
import { userInfo } from 'node:os'
import type { ClientBase, Pool } from 'pg'

export interface Operation {
  /** The command without its arguments, e.g. `import impressions`. */
  command: string
  details?: object
  figures?: object
}

export async function recordOperation(
  client: ClientBase | Pool,
  { command, details = {}, figures = {} }: Operation,
): Promise<void> {
  await client.query('INSERT INTO operations (account, command, details, figures) VALUES ($1, $2, $3, $4)', [
    accountName(),
    command,
    JSON.stringify(details),
    JSON.stringify(figures),
  ])
}

/** Returns the options that were given to a command, without those that only affect its output. */
export function recordedOptions(options: object): object {
  const { json: _json, yes: _yes, ...given } = options as Record<string, unknown>
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !Array.isArray(value) || value.length > 0))
}

function accountName(): string {
  try {
    return userInfo().username.slice(0, 200)
  } catch {
    // In a container, the user id may have no name.
    return `uid ${process.getuid?.()}`
  }
}

export interface RecordedOperation {
  id: number
  /** RFC 3339 in UTC. */
  at: string
  account: string
  command: string
  details: Record<string, unknown>
  figures: Record<string, unknown>
}

/** The command under which a failed one is recorded. */
export const failedCommand = (command: string): string => `failed ${command}`

/** Returns when each of some commands was recorded last, in seconds since 1970; without those that never were. */
export async function readLastTimes(db: Pool, commands: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ command: string; seconds: number }>(
    `SELECT command, extract(epoch FROM last.at)::float8 AS seconds
     FROM unnest($1::text[]) AS command CROSS JOIN LATERAL (
       SELECT at FROM operations o WHERE o.command = command.command COLLATE "C" ORDER BY id DESC LIMIT 1
     ) last`,
    [commands],
  )
  return new Map(rows.map(({ command, seconds }) => [command, seconds]))
}

/**
 * Returns the latest operations, newest first; those of one command or of all, e.g. `import` includes `import sensors`.
 */
export async function readOperations(db: Pool, limit: number, command?: string): Promise<RecordedOperation[]> {
  const { rows } = await db.query<RecordedOperation>(
    `SELECT id, at, account, command, details, figures FROM operations
     WHERE $2::text IS NULL OR command = $2 OR command LIKE $2 || ' %' ORDER BY id DESC LIMIT $1`,
    [limit, command ?? null],
  )
  return rows
}
