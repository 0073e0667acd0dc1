/** Records what operators change, in the transaction that makes the change. */
import { userInfo } from 'node:os'
import type { ClientBase, Pool } from 'pg'

export interface Operation {
  /** The command without its arguments, e.g. `import impressions`. */
  command: string
  /** Its arguments and options. */
  details?: object
  /** The figures of the change. */
  figures?: object
}

export async function recordOperation(client: ClientBase | Pool, operation: Operation): Promise<void> {
  await client.query(`INSERT INTO operations ${COLUMNS} VALUES ($1, $2, $3, $4)`, operationValues(operation))
}

const COLUMNS = '(account, command, details, figures)'

/**
 * Returns SQL: a statement that changes rows and records the operation if there were any.
 *
 * @param change a statement that returns the changed rows
 * @param first number of the first of the four parameters that `operationValues` fills
 */
export const recordingSql = (change: string, first: number): string => `
WITH changed AS (${change})
INSERT INTO operations ${COLUMNS}
SELECT $${first}, $${first + 1}, $${first + 2}, $${first + 3} WHERE EXISTS (SELECT 1 FROM changed)`

export const operationValues = ({ command, details = {}, figures = {} }: Operation): string[] => [
  accountName(),
  command,
  JSON.stringify(details),
  JSON.stringify(figures),
]

/** Returns the options that were given to a command, without those that only affect its output. */
export function recordedOptions(options: object): object {
  const { json: _json, yes: _yes, ...given } = options as Record<string, unknown>
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !Array.isArray(value) || value.length > 0))
}

/** Returns the account of this process in the operating system. */
function accountName(): string {
  try {
    return userInfo().username.slice(0, 200)
  } catch {
    // In a container, the user id may have no name.
    return `uid ${process.getuid?.()}`
  }
}
