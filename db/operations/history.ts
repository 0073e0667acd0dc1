/** Reads the recorded operations. */
import type { Pool } from 'pg'

/** A recorded operation. */
export interface RecordedOperation {
  id: number
  /** RFC 3339 in UTC. */
  at: string
  account: string
  command: string
  details: Record<string, unknown>
  figures: Record<string, unknown>
}

/**
 * Returns the latest operations, newest first; those of one command or of all, e.g. `import` includes `import sensors`.
 */
export async function readHistory(db: Pool, limit: number, command?: string): Promise<RecordedOperation[]> {
  const { rows } = await db.query<RecordedOperation>(
    `SELECT id, at, account, command, details, figures FROM operations
     WHERE $2::text IS NULL OR command = $2 OR command LIKE $2 || ' %' ORDER BY id DESC LIMIT $1`,
    [limit, command ?? null],
  )
  return rows
}
