/**
 * Sends several prepared statements to PostgreSQL in one write. They end with a single Sync, so PostgreSQL runs them as one
 * implicit transaction: a setting that one statement makes for its transaction holds for those behind it, and nothing
 * behind an error is run.
 *
 * Built on two private interfaces of pg, `Submittable` and the bytes of data rows: see `raw-rows.ts`.
 */
import type { ClientBase, Submittable } from 'pg'
import { prepareValue } from 'pg/lib/utils'
import { serialize } from 'pg-protocol'
import type { SessionLogin } from '../session-settings'
import { asApiError, isConnectionLost } from './errors'
import { type DataRow, type DecodeRow, type Field, rowDecoder } from './raw-rows'

/** A fixed SQL statement, prepared once per connection under its name. */
export interface Statement {
  name: string
  text: string
}

/** One statement of a batch, with the promise of its rows. */
export interface BatchedStatement {
  statement: Statement
  values: unknown[]
  rows: unknown[]
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

/** The part of pg's connection that a batch writes to. */
interface Connection {
  stream: { write(bytes: Buffer): void }
}

/** PostgreSQL copies the text of a statement at each execution (10 µs per 1,000 characters): its indentation is removed. */
const compact = (text: string): string => text.replace(/\n\s*/g, ' ').trim()

const DESCRIBE = serialize.describe({ type: 'P' })
const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

/** The statements prepared on a connection, with the decoders of their rows. */
const preparedStatements = new WeakMap<Connection, Map<string, DecodeRow>>()

const NO_COLUMNS: DecodeRow = () => undefined

/**
 * Statements that run together, on one connection. The rows are collected until the batch is over, and then delivered, unless
 * another attempt replaces the batch.
 */
export class Batch implements Submittable {
  /** Resolves when the batch is over, whether it succeeded or not. */
  readonly settled: Promise<void>
  /** The error with which it ended; undefined if it succeeded. */
  error: unknown
  /** Whether the connection has to be destroyed: it broke, or its state is unknown. */
  connectionUnusable = false
  private isSettled = false
  private completed = 0
  private settle: () => void = () => {}
  private prepared = new Map<string, DecodeRow>()
  private decode: DecodeRow | undefined

  /** @param statements in the order in which they run */
  constructor(readonly statements: BatchedStatement[] = []) {
    this.settled = new Promise(resolve => {
      this.settle = resolve
    })
  }

  sendOn(client: ClientBase): void {
    client.query(this)
  }

  /** Returns another attempt: a batch of the same statements and promises, none of which may have been delivered. */
  again(): Batch {
    return new Batch(this.statements.map(statement => ({ ...statement, rows: [] })))
  }

  add<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.statements.push({ statement, values, rows: [], resolve: resolve as (rows: unknown[]) => void, reject })
    })
  }

  /** Ends the batch with an error, unless it is over. The connection can no longer be used. */
  abort(error: unknown): void {
    this.fail(error, true)
  }

  /** Settles the promises of the statements, once the batch is over. @returns the number of rows that were received */
  deliver(): number {
    let left = this.completed
    let received = 0
    for (const { rows, resolve, reject } of this.statements) {
      received += rows.length
      if (left-- > 0) resolve(rows)
      else reject(this.error)
    }
    return received
  }

  /** The first row of the first statement, once the batch is over. */
  get firstRow(): unknown {
    return this.statements[0]?.rows[0]
  }

  submit(connection: unknown): void {
    const { stream } = connection as Connection
    this.prepared = preparedStatements.get(connection as Connection) ?? new Map()
    preparedStatements.set(connection as Connection, this.prepared)
    const messages: Buffer[] = []
    const parsed = new Set<string>()
    for (const { statement, values } of this.statements) {
      const { name } = statement
      const isPrepared = this.prepared.has(name) || parsed.has(name)
      if (!isPrepared) messages.push(serialize.parse({ name, text: compact(statement.text) }))
      messages.push(serialize.bind({ statement: name, values, valueMapper: prepareValue }))
      if (!isPrepared) messages.push(DESCRIBE)
      messages.push(EXECUTE)
      parsed.add(name)
    }
    messages.push(SYNC)
    stream.write(Buffer.concat(messages))
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.prepared.set(this.current.statement.name, rowDecoder(fields))
  }

  handleDataRow({ bytes, start, end }: DataRow): void {
    const { rows, statement, reject } = this.current
    this.decode ??= this.prepared.get(statement.name)!
    try {
      rows.push(this.decode(bytes, start, end))
    } catch (error) {
      reject(error)
    }
  }

  handleCommandComplete(): void {
    const { statement } = this.current
    // A statement without rows is described without columns.
    if (!this.prepared.has(statement.name)) this.prepared.set(statement.name, NO_COLUMNS)
    this.completed++
    this.decode = undefined
  }

  handleReadyForQuery(): void {
    this.finish()
  }

  handleError(cause: unknown): void {
    const error = asApiError(cause)
    if (isConnectionLost(error)) {
      this.abort(error)
      return
    }
    // After an error it is unknown which of the new statements were prepared.
    this.fail(
      error,
      this.statements.some(({ statement }) => !this.prepared.has(statement.name)),
    )
  }

  private get current(): BatchedStatement {
    return this.statements[this.completed]!
  }

  private fail(error: unknown, connectionUnusable: boolean): void {
    if (this.isSettled) return
    this.error = error
    this.connectionUnusable ||= connectionUnusable
    this.finish()
  }

  private finish(): void {
    this.isSettled = true
    this.settle()
  }
}

const BEGIN = { name: 'begin', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' }

const COMMIT = { name: 'commit', text: 'COMMIT' }

/**
 * A batch in a transaction of its own, for a login whose transactions do not see one snapshot by default: the owner's, which also
 * writes.
 */
class EnclosedBatch extends Batch {
  override sendOn(client: ClientBase): void {
    this.statements.unshift(withoutRows(BEGIN))
    this.statements.push(withoutRows(COMMIT))
    super.sendOn(client)
  }
}

export const batchesOf = (login: SessionLogin): (() => Batch) =>
  login === 'reader' ? () => new Batch() : () => new EnclosedBatch()

const withoutRows = (statement: Statement): BatchedStatement => ({
  statement,
  values: [],
  rows: [],
  resolve() {},
  reject() {},
})
