/** Records the statements that a service sends to PostgreSQL. */
import { Client } from 'pg'
import { Batch, type BatchedStatement } from '../../db/postgres/batch'

export interface Traffic {
  /** The names (or texts) of the statements, in order. */
  statements: string[]
  /** The statements of batches, with their values. */
  batched: BatchedStatement[]
  /** The number of times that something was sent on a connection without outstanding statements. */
  roundTrips: number
}

/** Returns a statement to insert into a batch; its rows are ignored. */
export const unusedStatement = (name: string, text: string): BatchedStatement => ({
  statement: { name, text },
  values: [],
  rows: [],
  resolve() {},
  reject() {},
})

/** Statements of timers, which belong to no request. */
const PERIODIC = /INSERT INTO legacy_calls|UPDATE api_keys k SET last_used_on/

/** Records the statements sent to PostgreSQL while `action` runs. */
export async function watchTraffic(action: () => Promise<unknown>): Promise<Traffic> {
  const traffic: Traffic = { statements: [], batched: [], roundTrips: 0 }
  const outstanding = new WeakMap<Client, number>()
  const query = Client.prototype.query as unknown as Query
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const [statement] = args as [string | Batch | { name?: string; text: string }]
    if (typeof statement === 'string' && PERIODIC.test(statement)) return query.apply(this, args)
    if (statement instanceof Batch) {
      traffic.statements.push(...statement.statements.map(batched => batched.statement.name))
      traffic.batched.push(...statement.statements)
      traffic.roundTrips++
      return query.apply(this, args)
    }
    traffic.statements.push(typeof statement === 'string' ? statement : (statement.name ?? statement.text))
    // Statements with a callback are sent by the pool itself and belong to no request.
    if (typeof args.at(-1) === 'function') return query.apply(this, args)
    const count = outstanding.get(this) ?? 0
    if (count === 0) traffic.roundTrips++
    outstanding.set(this, count + 1)
    const result = query.apply(this, args)
    const settle = () => outstanding.set(this, (outstanding.get(this) ?? 1) - 1)
    result.then(settle, settle)
    return result
  } as unknown as typeof Client.prototype.query)
  try {
    await action()
  } finally {
    spy.mockRestore()
  }
  return traffic
}

type Query = (this: Client, ...args: unknown[]) => Promise<unknown>
