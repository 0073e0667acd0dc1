/**
 * Several prepared statements that leave in one write and come back together. They end with one Sync, so that PostgreSQL
 * runs them as one transaction without being told BEGIN or COMMIT: what a statement sets for its transaction holds for
 * those behind it and is gone with the last, and whatever comes behind a fault is not run.
 */
import type { ClientBase, Submittable } from 'pg'
import { prepareValue } from 'pg/lib/utils'
import { serialize } from 'pg-protocol'
import { ApiError } from '../../schema/errors'
import { asApiError } from './errors'
import type { DataRow } from './raw-row-client'
import type { RowMapper } from './row-cache'
import { type DecodeRow, type Field, rowDecoder } from './row-decoder'

/** A frozen SQL statement, run as a prepared one of this name. */
export interface Statement {
  name: string
  text: string
}

/** The part of pg's connection that carries what is said in the extended query protocol. */
interface Connection {
  stream: { write(bytes: Buffer): void; destroy(): void }
}

/** One statement, and who waits for its rows. */
export interface BatchedStatement {
  statement: Statement
  values: unknown[]
  /** Where what its rows come to is kept; without it they are what they are. */
  kept?: RowMapper<unknown> | undefined
  rows: unknown[]
  resolve(rows: unknown[]): void
  reject(fault: unknown): void
}

/** PostgreSQL copies a statement's text each time that it runs it, for 10 µs a thousand characters: blanks and comments are left out. */
const terse = (text: string): string => text.replace(/--.*/g, '').replace(/\s+/g, ' ').trim()

const DESCRIBE = serialize.describe({ type: 'P' })
const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

const NO_ROWS: DecodeRow = () => undefined

/** What is prepared on a connection, and how its rows are read. */
const prepared = new WeakMap<Connection, Map<string, DecodeRow>>()

/** A query of ours, as pg's client takes them. */
export class PipelinedBatch {
  /** Settled when all of it is done. Never refused: a fault goes to those who wait for the rows. */
  readonly settled: Promise<void>
  /** What went wrong, if anything. */
  fault: unknown
  /** Whether nobody should work with the connection any more: it broke, or nobody knows what is prepared on it. */
  connectionUnusable = false
  /** In the order in which they are run. */
  readonly statements: BatchedStatement[] = []
  private known = new Map<string, DecodeRow>()
  private next = 0
  private readRow: DecodeRow | undefined
  private hasLanded = false
  private land: () => void = () => {}

  constructor() {
    this.settled = new Promise(resolve => {
      this.land = resolve
    })
  }

  /** Takes a statement along. */
  add<Row>(statement: Statement, values: unknown[], kept?: RowMapper<Row>): Promise<Row[]> {
    return new Promise<Row[]>((resolve, reject) => {
      this.statements.push({
        statement,
        values,
        kept,
        rows: [],
        resolve: resolve as BatchedStatement['resolve'],
        reject,
      })
    })
  }

  sendOn(client: ClientBase): void {
    client.query(this as unknown as Submittable)
  }

  submit(connection: Connection): null {
    this.known = prepared.get(connection) ?? new Map()
    prepared.set(connection, this.known)
    const messages: Buffer[] = []
    const parsing = new Set<string>()
    for (const { statement, values } of this.statements) {
      const { name } = statement
      const isKnown = this.known.has(name) || parsing.has(name)
      if (!isKnown) messages.push(serialize.parse({ name, text: terse(statement.text) }))
      messages.push(serialize.bind({ statement: name, values, valueMapper: prepareValue }))
      if (!isKnown) messages.push(DESCRIBE)
      messages.push(EXECUTE)
      parsing.add(name)
    }
    messages.push(SYNC)
    connection.stream.write(Buffer.concat(messages))
    return null
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.known.set(this.seat.statement.name, rowDecoder(fields))
  }

  handleDataRow({ bytes, at, end }: DataRow): void {
    const { rows, statement, kept, reject } = this.seat
    this.readRow ??= this.known.get(statement.name) as DecodeRow
    try {
      rows.push(kept ? kept.of(this.readRow, bytes, at, end) : this.readRow(bytes, at, end))
    } catch (fault) {
      reject(fault)
    }
  }

  handleCommandComplete(): void {
    const { statement, rows, resolve } = this.seat
    // Of a statement without rows nothing was described.
    if (!this.known.has(statement.name)) this.known.set(statement.name, NO_ROWS)
    resolve(rows)
    this.next++
    this.readRow = undefined
  }

  handleReadyForQuery(): void {
    this.settle()
  }

  handleError(error: unknown): void {
    const fault = asApiError(error)
    const isBroken = fault instanceof ApiError && fault.code === 'UNAVAILABLE'
    this.fail(fault, isBroken || this.statements.some(({ statement }) => !this.known.has(statement.name)))
  }

  /** Lands at once: nobody waits any longer for what is still under way. */
  giveUp(fault: ApiError): void {
    if (!this.hasLanded) this.fail(fault, true)
  }

  private fail(fault: unknown, leavesDoubt: boolean): void {
    this.connectionUnusable ||= leavesDoubt
    this.fault ??= fault
    for (const seat of this.statements.slice(this.next)) seat.reject(this.fault)
    this.settle()
  }

  private settle(): void {
    this.hasLanded = true
    this.land()
  }

  private get seat(): BatchedStatement {
    return this.statements[this.next] as BatchedStatement
  }
}
