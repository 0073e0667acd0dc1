/**
 * Sends several prepared statements to PostgreSQL in one write. They end with a single Sync, so PostgreSQL runs them as one
 * implicit transaction: a setting that one statement makes for its transaction holds for those behind it, and nothing
 * behind an error is run.
 *
 * Built on two private interfaces of pg, `Submittable` and the bytes of data rows: see `raw-row-client.ts`.
 */
import type { ClientBase, Submittable } from 'pg'
import { prepareValue } from 'pg/lib/utils'
import { serialize } from 'pg-protocol'
import type { Batch, RawRow, Statement } from './batch'
import { asApiError, isUnavailable } from './errors'
import type { DataRow } from './raw-row-client'
import { type DecodeRow, type Field, rowDecoder } from './row-decoder'

/** The part of pg's connection that a batch writes to. */
interface Connection {
  stream: { write(bytes: Buffer): void }
}

/** One statement of a batch, with the promise of its rows. */
export interface BatchedStatement {
  statement: Statement
  values: unknown[]
  /** Whether its rows are returned undecoded. */
  raw: boolean
  rows: unknown[]
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

/** PostgreSQL copies the text of a statement at each execution (10 µs per 1,000 characters): blanks and comments are removed. */
const compact = (text: string): string => text.replace(/--.*/g, '').replace(/\s+/g, ' ').trim()

const DESCRIBE = serialize.describe({ type: 'P' })
const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

/** The statements prepared on a connection, with the decoders of their rows. */
const preparedStatements = new WeakMap<Connection, Map<string, DecodeRow>>()

const NO_COLUMNS: DecodeRow = () => undefined

export class PipelinedBatch implements Batch, Submittable {
  readonly settled: Promise<void>
  connectionUnusable = false
  /** In the order in which they run. */
  readonly statements: BatchedStatement[] = []
  private prepared = new Map<string, DecodeRow>()
  private next = 0
  private decode: DecodeRow | undefined
  private isSettled = false
  private settle: () => void = () => {}

  constructor() {
    this.settled = new Promise(resolve => {
      this.settle = resolve
    })
  }

  add<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
    return this.push(statement, values, false) as Promise<Row[]>
  }

  addRaw(statement: Statement, values: unknown[]): Promise<RawRow[]> {
    return this.push(statement, values, true) as Promise<RawRow[]>
  }

  private push(statement: Statement, values: unknown[], raw: boolean): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      this.statements.push({ statement, values, raw, rows: [], resolve, reject })
    })
  }

  sendOn(client: ClientBase): void {
    client.query(this)
  }

  abort(error: unknown): void {
    if (this.isSettled) return
    this.fail(error, true)
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
    const { rows, statement, raw, reject } = this.current
    this.decode ??= this.prepared.get(statement.name) as DecodeRow
    try {
      rows.push(raw ? rawRow(this.decode, bytes.toString('latin1', start, end)) : this.decode(bytes, start, end))
    } catch (error) {
      reject(error)
    }
  }

  handleCommandComplete(): void {
    const { statement, rows, resolve } = this.current
    // A statement without rows is described without columns.
    if (!this.prepared.has(statement.name)) this.prepared.set(statement.name, NO_COLUMNS)
    resolve(rows)
    this.next++
    this.decode = undefined
  }

  handleReadyForQuery(): void {
    this.finish()
  }

  handleError(cause: unknown): void {
    const error = asApiError(cause)
    if (isUnavailable(error)) {
      this.abort(error)
      return
    }
    // After an error it is unknown which of the new statements were prepared.
    this.fail(
      error,
      this.statements.some(({ statement }) => !this.prepared.has(statement.name)),
    )
  }

  private fail(error: unknown, connectionUnusable: boolean): void {
    this.connectionUnusable ||= connectionUnusable
    for (const statement of this.statements.slice(this.next)) statement.reject(error)
    this.finish()
  }

  private finish(): void {
    this.isSettled = true
    this.settle()
  }

  private get current(): BatchedStatement {
    return this.statements[this.next] as BatchedStatement
  }
}

const rawRow = (decode: DecodeRow, text: string): RawRow => ({
  text,
  decode: () => decode(Buffer.from(text, 'latin1'), 0, text.length),
})
