/**
 * Reads on behalf of one API key. Every batch of statements is a read-only transaction of its own, whose statements see the
 * same snapshot of the database. It begins by authenticating the key: this stores the hash of the key (for row-level security) and the numbers of its companies (for
 * the scope predicates) in the transaction, so that no connection remembers a key and a revoked key reads nothing.
 */
import type { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'
import { ApiError } from '../../schema/errors'
import type { Rate } from '../api-keys/rate'
import { AUTHENTICATE_KEY, CHOOSE_COMPANIES } from './authentication'
import type { Batch, RawRow, Statement } from './batch'
import { fastestForm } from './batch-forms'
import { embeddedHome } from './embedded-socket'
import { asApiError, ConnectionError } from './errors'
import { Outage } from './outage'
import { endPool, openPool } from './pool'

export type { RawRow, Statement }

/** A valid key. */
export interface PresentedKey {
  id: string
  label: string | null
  scopes: string[]
  reseller: boolean
  all_companies: boolean
  /** Its rate limit; null where the default applies. */
  rate: Rate | null
}

export interface ReaderLimits {
  /** The maximum number of connections. */
  connections: number
  /** PostgreSQL cancels a statement after this time. A server that does not even do that is given up a second later. */
  statementTimeoutMs: number
  /** The longest wait for a connection. */
  connectTimeoutMs: number
}

/**
 * SQL: the numbers of the companies that the authenticated key may read; null without a valid key. Each statement names it
 * in its scope predicate, and PostgreSQL evaluates it once per statement: of the two casts the inner one parses the text,
 * the outer one marks the result as an array. A setting that was never set reads '' after its first use, not NULL.
 */
export const COMPANY_SCOPE = `((SELECT nullif(current_setting('partner_metrics.companies', true), '')::integer[])::integer[])`

/** The hash of no key. */
const NO_KEY = Buffer.alloc(32)

/** A reader has the time of this many statements that barely meet their timeout. */
const MAX_SLOW_STATEMENTS = 3

const GRACE_MS = 1_000

/** The pool of connections that requests read through. */
export class ReaderPool {
  private readonly pool: Pool
  private readonly outage: Outage
  private readonly createBatch: () => Batch

  constructor(
    url: string,
    private readonly limits: ReaderLimits,
    { createBatch, Client } = fastestForm(),
  ) {
    this.createBatch = createBatch
    this.outage = new Outage(embeddedHome(url))
    this.pool = openPool(url, {
      ...(Client && { Client }),
      application_name: 'partner-metrics reader',
      readOnly: true,
      max: limits.connections,
      connectionTimeoutMillis: limits.connectTimeoutMs,
      statement_timeout: limits.statementTimeoutMs,
    })
  }

  /**
   * Returns a reader for one request.
   *
   * @param keyHash SHA-256 of the presented key
   * @param nextTurn awaited after each read, so that what uses its rows does not run at the same time as all others
   */
  readerFor(keyHash: Buffer, nextTurn?: () => Promise<void>): ScopedReader {
    return this.reader(AUTHENTICATE_KEY, [keyHash], nextTurn)
  }

  /**
   * Returns a reader for the operator, in a pool of the owner's login.
   *
   * @param companies their numbers; null for all companies
   */
  readerOfCompanies(companies: readonly number[] | null): ScopedReader {
    return this.reader(CHOOSE_COMPANIES, [companies])
  }

  private reader(authenticate: Statement, values: unknown[], nextTurn?: () => Promise<void>): ScopedReader {
    const deadline = performance.now() + this.limits.statementTimeoutMs * MAX_SLOW_STATEMENTS
    const send = (batch: Batch) =>
      this.send(batch, Math.min(this.limits.statementTimeoutMs + GRACE_MS, deadline - performance.now()))
    return new ScopedReader(authenticate, values, this.createBatch, send, nextTurn)
  }

  /** Checks that the database answers. @throws ApiError UNAVAILABLE */
  async ping(): Promise<void> {
    const batch = this.createBatch()
    const answered = batch.add(AUTHENTICATE_KEY, [NO_KEY])
    await this.send(batch, this.limits.connectTimeoutMs)
    await answered.catch(() => {
      throw new ApiError('UNAVAILABLE')
    })
  }

  /**
   * Returns a sentence that describes an outage from which the service does not recover by itself; undefined without
   * one.
   */
  async describeOutage(): Promise<string | undefined> {
    // Requests may no longer arrive that would show that the login works again.
    if (this.outage.isRefused) await this.ping().catch(() => {})
    return this.outage.describe()
  }

  /** The number of connections, how many of them are idle, and how many requests wait for one. */
  get connections(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool
    return { total: totalCount, idle: idleCount, waiting: waitingCount }
  }

  close(): Promise<void> {
    return endPool(this.pool)
  }

  /** Sends a batch on a connection of its own. Never rejects: errors reach the promises of the batch. */
  private async send(batch: Batch, timeoutMs: number): Promise<void> {
    let client: PoolClient
    try {
      client = await this.pool.connect()
      this.outage.connected()
    } catch (error) {
      this.outage.failed(error)
      return batch.abort(asApiError(error))
    }
    const timeout = setTimeout(() => {
      batch.abort(new ConnectionError('TIMEOUT'))
      destroySocket(client)
    }, timeoutMs)
    batch.sendOn(client)
    await batch.settled
    clearTimeout(timeout)
    client.release(batch.connectionUnusable || client.getTransactionStatus() !== 'I')
  }
}

/** Cuts the connection to a server that does not answer: only this ends the wait for it. */
function destroySocket(client: PoolClient): void {
  ;(client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
}

/** A batch that begins by authenticating the key. */
interface ScopedBatch {
  batch: Batch
  /** Undefined when the key is unknown or deactivated. */
  key: Promise<PresentedKey | undefined>
}

/**
 * Reads what one key may read. Statements wait until `authenticate` sends them in one batch; later ones leave together
 * with all others that were added in the same tick, one batch at a time.
 */
export class ScopedReader {
  private waiting: ScopedBatch | undefined
  private sent: Promise<void> | undefined

  constructor(
    private readonly authentication: Statement,
    private readonly credentials: unknown[],
    private readonly createBatch: () => Batch,
    private readonly send: (batch: Batch) => Promise<void>,
    private readonly nextTurn?: () => Promise<void>,
  ) {}

  /** @throws ApiError UNAVAILABLE or TIMEOUT when the database is away or too slow */
  read<Row>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.add(batch => batch.add<Row>(statement, values))
  }

  /** Reads rows undecoded, for caches that are addressed by what a row contains. */
  readRaw(statement: Statement, values: unknown[] = []): Promise<RawRow[]> {
    return this.add(batch => batch.addRaw(statement, values))
  }

  /**
   * Authenticates the key and runs the statements added so far, in one batch. Their rows may be used only if this returns
   * a key.
   *
   * @returns undefined when the key is unknown or deactivated
   * @throws ApiError UNAVAILABLE or TIMEOUT
   */
  async authenticate(): Promise<PresentedKey | undefined> {
    const { batch, key } = this.next()
    this.sent = this.flush(batch)
    await this.sent
    return key
  }

  private add<Rows>(add: (batch: Batch) => Promise<Rows>): Promise<Rows> {
    const isFirst = !this.sent
    const { batch, key } = this.next()
    const rows = isFirst ? add(batch) : verified(add(batch), key)
    return this.nextTurn ? rows.finally(this.nextTurn) : rows
  }

  private next(): ScopedBatch {
    if (this.waiting) return this.waiting
    const batch = this.createBatch()
    const key = batch
      .add<{ key: PresentedKey | null }>(this.authentication, this.credentials)
      .then(([row]) => row?.key ?? undefined)
    key.catch(() => {})
    this.waiting = { batch, key }
    if (this.sent) {
      this.sent = this.sent.then(async () => {
        // DataLoader collects the keys of one tick.
        await new Promise(process.nextTick)
        await this.flush(batch)
      })
    }
    return this.waiting
  }

  private flush(batch: Batch): Promise<void> {
    this.waiting = undefined
    return this.send(batch)
  }
}

/** Returns the rows of a later batch: a key that was revoked in the meantime reads nothing more. */
async function verified<Rows>(rows: Promise<Rows>, key: Promise<PresentedKey | undefined>): Promise<Rows> {
  const [read, valid] = await Promise.all([rows, key])
  if (!valid) throw new ApiError('INVALID_API_KEY')
  return read
}
