/** Batches of prepared statements that run as one transaction, and how they end. `PipelinedBatch` sends them. */
import type { ClientBase } from 'pg'

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

/**
 * Statements that run together, on one connection. The rows are collected until the batch is over, and then delivered, unless
 * another attempt replaces the batch.
 */
export abstract class Batch {
  /** Resolves when the batch is over, whether it succeeded or not. */
  readonly settled: Promise<void>
  /** The error with which it ended; undefined if it succeeded. */
  error: unknown
  /** Whether the connection has to be destroyed: it broke, or its state is unknown. */
  connectionUnusable = false
  protected isSettled = false
  /** The number of statements that have run. */
  protected completed = 0
  private settle: () => void = () => {}

  /** @param statements in the order in which they run */
  constructor(readonly statements: BatchedStatement[] = []) {
    this.settled = new Promise(resolve => {
      this.settle = resolve
    })
  }

  abstract sendOn(client: ClientBase): void

  /** Returns another attempt: a batch of the same statements and promises, none of which may have been delivered. */
  abstract again(): Batch

  /** Adds a statement; resolves to its rows. */
  add<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.statements.push({ statement, values, rows: [], resolve: rows => resolve(rows as Row[]), reject })
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

  protected fail(error: unknown, connectionUnusable: boolean): void {
    if (this.isSettled) return
    this.error = error
    this.connectionUnusable ||= connectionUnusable
    this.finish()
  }

  protected finish(): void {
    this.isSettled = true
    this.settle()
  }

  protected repeated(): BatchedStatement[] {
    return this.statements.map(statement => ({ ...statement, rows: [] }))
  }
}
