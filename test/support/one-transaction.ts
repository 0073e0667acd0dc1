/** Runs commands, which have a transaction each, one after the other within a single transaction. */
import type { ClientBase, Pool, PoolClient } from 'pg'

/** SQL that does what a commit does, and stays in the transaction. */
const COMMIT = 'SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED; RELEASE command'

/** Returns a pool whose connections are all this one; their transactions are savepoints in that of the caller. */
export function withinTransaction(client: ClientBase): Pool {
  const runStatement = (statement: unknown, ...rest: unknown[]) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
    if (typeof statement !== 'string') return query(statement, ...rest)
    if (statement.startsWith('BEGIN')) return query('SAVEPOINT command')
    if (statement === 'COMMIT') return query(COMMIT)
    if (statement === 'ROLLBACK') return query('ROLLBACK TO command')
    return query(statement, ...rest)
  }
  const release = (isFailed?: boolean | Error): void => {
    if (isFailed) void client.query('ROLLBACK TO command')
  }
  const connection = new Proxy(client, {
    get: (target, name) =>
      name === 'query' ? runStatement : name === 'release' ? release : Reflect.get(target, name, target),
  }) as PoolClient
  return { connect: async () => connection, query: runStatement } as unknown as Pool
}
