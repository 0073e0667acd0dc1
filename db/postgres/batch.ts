/** Batches of prepared statements that run as one transaction: the interface that the pipelined and the plain form share. */
import type { ClientBase } from 'pg'

/** A fixed SQL statement, prepared once per connection under its name. */
export interface Statement {
  name: string
  text: string
}

/** A row as it arrived. Equal rows of one statement have equal texts. */
export interface RawRow {
  text: string
  decode(): unknown
}

export interface Batch {
  /** Adds a statement; resolves to its rows. */
  add<Row>(statement: Statement, values: unknown[]): Promise<Row[]>
  /** Adds a statement; resolves to its rows undecoded. */
  addRaw(statement: Statement, values: unknown[]): Promise<RawRow[]>
  sendOn(client: ClientBase): void
  /** Rejects what has not arrived yet. The connection can no longer be used. */
  abort(error: unknown): void
  /** Resolves when the batch is over, whether it succeeded or not. */
  readonly settled: Promise<void>
  /** Whether the connection has to be destroyed: it broke, or its state is unknown. */
  readonly connectionUnusable: boolean
}
