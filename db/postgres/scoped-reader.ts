/**
 * The one door through which the service reads. A request opens it with the hash of the key that it presented, and what
 * it reads leaves in one flight, which is one read-only transaction: the key's look-up (which also presents it to both
 * walls, for this transaction alone) and the data statement. No connection remembers a key.
 */
import type { Pool, PoolClient } from 'pg'
import { ApiError } from '../../schema/errors'
import type { Rate } from '../api-keys/rate'
import { asApiError } from './errors'
import { Connections } from './idle-connections'
import { PipelinedBatch, type Statement } from './pipelined-batch'
import { endPool, openPool } from './pool'
import { RowClient } from './raw-row-client'
import type { RowMapper } from './row-cache'

/** What reads behind the door: only there was a key presented, without which no statement finds anything. */
export interface ScopedReader {
  /** @param kept where what the rows come to is kept */
  read<Row>(statement: Statement, values?: unknown[], kept?: RowMapper<Row>): Promise<Row[]>
}

/** What a valid key is. */
export interface PresentedKey {
  id: string
  label: string | null
  scopes: string[]
  reseller: boolean
  all_companies: boolean
  /** How often it may ask; null where the usual rate is in force. */
  rate: Rate | null
}

export interface ReaderLimits {
  /** How many connections at most. */
  connections: number
  /** After so long PostgreSQL cancels a statement. A server that does not even do that is given up a second later. */
  statementTimeoutMs: number
  /** How long to wait for a connection. */
  connectTimeoutMs: number
}

/** What presenting a key comes to. */
interface Presented {
  /** Null when it is unknown or deactivated. */
  key: PresentedKey | null
}

/**
 * The companies that the presented key reads, by number; null without a valid one. The first wall, in each statement's own
 * predicate, read once a statement: of the two casts the inner one reads the text, and the outer one says that it is an
 * array that is meant, not rows. A setting that was never set reads '' after its first use in a session, not NULL.
 */
export const COMPANY_SCOPE = `((SELECT nullif(current_setting('partner_metrics.companies', true), '')::integer[])::integer[])`

/** The hash of no key. */
const NOBODY = Buffer.alloc(32)

/** A session takes no longer than so many statements that just are in time. */
const LONGEST_SESSION = 3

const PRESENT_KEY: Statement = {
  name: 'present-key',
  text: 'SELECT presented_key($1) AS key',
}

const BEGIN: Statement = { name: 'begin', text: 'BEGIN READ ONLY' }

const COMMIT: Statement = { name: 'commit', text: 'COMMIT' }

export type { Statement }

/** Reads as the presented key. Holds the pool of connections. */
export class ReaderPool {
  private readonly pool: Pool
  private readonly kept: Connections

  constructor(
    url: string,
    private readonly limits: ReaderLimits,
  ) {
    this.pool = openPool(url, {
      Client: RowClient,
      application_name: 'partner-metrics reader',
      readOnly: true,
      max: limits.connections,
      connectionTimeoutMillis: limits.connectTimeoutMs,
      statement_timeout: limits.statementTimeoutMs,
    })
    this.kept = new Connections(this.pool)
  }

  /**
   * Presents a key and reads, in one flight. `read` asks for all that it wants before it first waits.
   *
   * @param keyHash SHA-256 of the presented key
   * @returns the key, undefined when it is unknown or deactivated, and what `read` came to: nothing to hand out before
   *   the key was looked at
   * @throws ApiError UNAVAILABLE or TIMEOUT when the database is away or too slow
   */
  async present<Result>(
    keyHash: Buffer,
    read: (door: ScopedReader) => Promise<Result> | Result,
  ): Promise<{ key: PresentedKey | undefined; result: Promise<Result> }> {
    const visit = await this.enter(this.limits.statementTimeoutMs + 1_000)
    try {
      const flight = new PipelinedBatch()
      const presented = flight.add<Presented>(PRESENT_KEY, [keyHash])
      let open = true
      const door: ScopedReader = {
        read: async (statement, values = [], kept) => {
          if (!open) throw closed(statement)
          return flight.add(statement, values, kept)
        },
      }
      const result = (async () => read(door))()
      result.catch(() => {})
      open = false
      await visit.send(flight)
      const [{ key }] = (await presented) as [Presented]
      return { key: key ?? undefined, result }
    } finally {
      visit.leave()
    }
  }

  /**
   * Presents a key and, where it proves good, works with it in one read-only transaction that may take several flights:
   * for queries that nobody has fixed, whose reading follows from what was read. What is asked for in one go leaves in one.
   *
   * @param keyHash SHA-256 of the presented key
   * @returns what `work` came to; undefined when the key is unknown or deactivated
   * @throws ApiError UNAVAILABLE or TIMEOUT when the database is away, or all of it took too long
   */
  async session<Result>(
    keyHash: Buffer,
    work: (key: PresentedKey, door: ScopedReader) => Promise<Result>,
  ): Promise<Result | undefined> {
    const visit = await this.enter(this.limits.statementTimeoutMs * LONGEST_SESSION)
    let open = true
    let waiting: PipelinedBatch | undefined
    let under: Promise<void> = Promise.resolve()
    // Behind the answer nobody waits any more: what is asked for then is neither sent nor answered.
    const send = (flight: PipelinedBatch) => {
      waiting = undefined
      if (open) under = visit.send(flight)
    }
    const door: ScopedReader = {
      read: (statement, values = [], kept) => {
        if (!waiting) {
          const next = new PipelinedBatch()
          waiting = next
          // One at a time is under way: what is asked for meanwhile leaves together when it has landed.
          under.then(() => process.nextTick(send, next))
        }
        return waiting.add(statement, values, kept)
      },
    }
    try {
      const first = new PipelinedBatch()
      first.add(BEGIN, []).catch(() => {})
      const presented = first.add<Presented>(PRESENT_KEY, [keyHash])
      await visit.send(first)
      const [{ key }] = (await presented) as [Presented]
      if (!key) return undefined
      const result = await visit.bounded(work(key, door))
      // Whatever was made of what came before: of a connection that broke there is no answer.
      if (visit.breach) throw visit.breach
      return result
    } finally {
      // Whatever became of it: a connection is given back only when its transaction has ended, and nobody reads on it then.
      open = false
      await under
      const last = new PipelinedBatch()
      last.add(COMMIT, []).catch(() => {})
      await visit.send(last)
      visit.leave()
    }
  }

  /** @throws ApiError UNAVAILABLE */
  private async enter(patienceMs: number): Promise<ConnectionLease> {
    try {
      return new ConnectionLease(this.kept, await this.kept.take(), patienceMs)
    } catch (error) {
      throw asApiError(error)
    }
  }

  /** Asks whether the database answers, within the time that a connection may take. @throws ApiError UNAVAILABLE */
  async ping(): Promise<void> {
    const visit = await this.enter(this.limits.connectTimeoutMs)
    const flight = new PipelinedBatch()
    const presented = flight.add(PRESENT_KEY, [NOBODY])
    try {
      await visit.send(flight)
      await presented
    } catch {
      throw new ApiError('UNAVAILABLE')
    } finally {
      visit.leave()
    }
  }

  /** How the pool stands: its connections, those of them without work, and how many requests wait for one. */
  get connections(): Connections['state'] {
    return this.kept.state
  }

  close(): Promise<void> {
    this.kept.close()
    return endPool(this.pool)
  }
}

/** Behind the door the key is presented no longer: row-level security would find nothing. */
const closed = ({ name }: Statement): Error => new Error(`${name} was asked for after the door had closed`)

/** The use of one connection for one request, for as long as there is patience. */
class ConnectionLease {
  private readonly flights: PipelinedBatch[] = []
  private readonly patience: NodeJS.Timeout
  private end = (_: ApiError): void => {}

  constructor(
    private readonly connections: Connections,
    private readonly client: PoolClient,
    patienceMs: number,
  ) {
    this.patience = setTimeout(() => this.giveUp(new ApiError('TIMEOUT')), patienceMs)
  }

  /** Settled when the flight has landed, whatever came of it. */
  send(flight: PipelinedBatch): Promise<void> {
    this.flights.push(flight)
    flight.sendOn(this.client)
    return flight.settled
  }

  /** What broke the connection under one of its flights, if anything did. */
  get breach(): unknown {
    return this.flights.find(({ fault }) => fault instanceof ApiError && fault.code === 'UNAVAILABLE')?.fault
  }

  /** What a promise comes to, if it does so while there is patience left. */
  bounded<Result>(promise: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.end = reject
      promise.then(resolve, reject)
    })
  }

  /** Gives the connection back; one that may still be in a transaction is destroyed. */
  leave(): void {
    clearTimeout(this.patience)
    const ended = (this.client as unknown as TransactionStatus).getTransactionStatus() === 'I'
    this.connections.giveBack(this.client, !ended || this.flights.some(({ connectionUnusable }) => connectionUnusable))
  }

  private giveUp(fault: ApiError): void {
    for (const flight of this.flights) flight.giveUp(fault)
    this.end(fault)
    abandon(this.client)
  }
}

/** In pg since 8.17, not in its types yet. */
interface TransactionStatus {
  getTransactionStatus(): string | null
}

/** Cuts a connection whose server does not answer: only that ends a pipelined wait. */
function abandon(client: PoolClient): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
