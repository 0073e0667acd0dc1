/**
 * The one door through which the service reads. A request opens it with the hash of the key that it presented, and what
 * it reads leaves in one flight: BEGIN READ ONLY, the key's look-up (which also presents the key to row-level security,
 * for this transaction alone), the data statement, COMMIT. No connection remembers a key.
 */
import type { Pool, PoolClient } from 'pg'
import { ApiError } from '../schema/errors'
import { asApiError } from './faults'
import type { Rate } from './key-rate'
import { endPool, openPool } from './pools'

/** A frozen SQL statement, run as a prepared one of this name. Its $1 is always the hash of the presented key. */
export interface Statement {
  name: string
  text: string
}

/** What reads behind the door: it adds the presented key to each statement, so that none can be without. */
export interface Door {
  read<Row>(statement: Statement, values?: unknown[]): Promise<Row[]>
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

/** The companies that the presented key reads, by number: the first wall, in each statement's own predicate. */
export const SCOPE = '((SELECT companies_of_key($1))::integer[])'

/** The hash of no key. */
const NOBODY = Buffer.alloc(32)

/** A session takes no longer than so many statements that just are in time. */
const LONGEST_SESSION = 3

const PRESENT_KEY: Statement = {
  name: 'present-key',
  text: `SELECT k.*, set_config('partner_metrics.key_hash', encode($1, 'hex'), true) AS presented
         FROM (VALUES (true)) AS always LEFT JOIN presented_key($1) AS k ON true`,
}

/** Reads as the presented key. Holds the pool of pipelined connections. */
export class Reader {
  private readonly pool: Pool

  constructor(
    url: string,
    private readonly limits: ReaderLimits,
  ) {
    this.pool = openPool(url, {
      application_name: 'partner-metrics reader',
      pipeline: true,
      max: limits.connections,
      connectionTimeoutMillis: limits.connectTimeoutMs,
      statement_timeout: limits.statementTimeoutMs,
    })
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
    read: (door: Door) => Promise<Result> | Result,
  ): Promise<{ key: PresentedKey | undefined; result: Promise<Result> }> {
    const client = await this.connect()
    const flight = new Flight(client, keyHash, this.limits.statementTimeoutMs + 1_000)
    try {
      const presented = flight.begin()
      const result = flight.during(read)
      await flight.commit()
      const [key] = await presented
      return { key: key?.id ? key : undefined, result }
    } catch (error) {
      throw flight.overdue ? new ApiError('TIMEOUT') : asApiError(error)
    } finally {
      flight.end()
    }
  }

  /**
   * Presents a key and, where it proves good, works with it in one read-only transaction that may take several flights:
   * for queries that nobody has fixed, whose reading follows from what was read.
   *
   * @param keyHash SHA-256 of the presented key
   * @returns what `work` came to; undefined when the key is unknown or deactivated
   * @throws ApiError UNAVAILABLE or TIMEOUT when the database is away, or all of it took too long
   */
  async session<Result>(
    keyHash: Buffer,
    work: (key: PresentedKey, door: Door) => Promise<Result>,
  ): Promise<Result | undefined> {
    const client = await this.connect()
    const flight = new Flight(client, keyHash, this.limits.statementTimeoutMs * LONGEST_SESSION)
    try {
      const [key] = await flight.begin()
      if (!key?.id) return undefined
      const result = await flight.bounded(work(key, flight))
      // Whatever was made of what came before: of a connection that broke there is no answer.
      if (flight.isBroken) throw flight.fault
      return result
    } catch (error) {
      throw flight.overdue ? new ApiError('TIMEOUT') : asApiError(error)
    } finally {
      // Whatever became of it: a connection is given back only when its transaction has ended.
      await flight.bounded(flight.commit()).catch(() => {})
      flight.end()
    }
  }

  /** Asks whether the database answers, within the time that a connection may take. @throws ApiError UNAVAILABLE */
  async ping(): Promise<void> {
    const client = await this.connect()
    const flight = new Flight(client, NOBODY, this.limits.connectTimeoutMs)
    try {
      await Promise.all([flight.begin(), flight.commit()])
    } catch {
      throw new ApiError('UNAVAILABLE')
    } finally {
      flight.end()
    }
  }

  /** How the pool stands: its connections, those of them without work, and how many requests wait for one. */
  get connections(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool
    return { total: totalCount, idle: idleCount, waiting: waitingCount }
  }

  close(): Promise<void> {
    return endPool(this.pool)
  }

  private async connect(): Promise<PoolClient> {
    try {
      return await this.pool.connect()
    } catch (error) {
      throw asApiError(error)
    }
  }
}

/** One transaction on one connection. What is asked for in one go leaves in one go. */
class Flight implements Door {
  overdue = false
  private open = false
  fault: unknown
  private readonly sent: Promise<unknown>[] = []
  private readonly patience: NodeJS.Timeout
  private readonly expiry: Promise<never>

  constructor(
    private readonly client: PoolClient,
    private readonly keyHash: Buffer,
    patienceMs: number,
  ) {
    const { promise, reject } = withRejection()
    this.expiry = promise
    this.patience = setTimeout(() => {
      this.overdue = true
      this.open = false
      reject(new ApiError('TIMEOUT'))
      abandon(client)
    }, patienceMs)
  }

  begin(): Promise<PresentedKey[]> {
    this.sent.push(this.client.query('BEGIN READ ONLY'))
    this.open = true
    const presented = this.read<PresentedKey>(PRESENT_KEY)
    this.sent.push(presented)
    return presented
  }

  /** What `read` comes to; its fault stays with it until somebody asks for it. */
  during<Result>(read: (door: Door) => Promise<Result> | Result): Promise<Result> {
    const result = (async () => read(this))()
    result.catch(() => {})
    return result
  }

  async read<Row>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    // Behind the COMMIT the key is presented no longer: row-level security would find nothing.
    if (!this.open) throw new Error(`${statement.name} was asked for after the door had closed`)
    try {
      const { rows } = await this.client.query({ ...statement, values: [this.keyHash, ...values] })
      return rows
    } catch (error) {
      // PostgreSQL refuses whatever comes behind a fault; what is told is the fault itself.
      this.fault ??= asApiError(error)
      throw this.fault
    }
  }

  get isBroken(): boolean {
    return this.fault instanceof ApiError && this.fault.code === 'UNAVAILABLE'
  }

  /** What a promise comes to, if it does so while there is patience left. */
  bounded<Result>(promise: Promise<Result>): Promise<Result> {
    return Promise.race([promise, this.expiry])
  }

  /** Closes the door behind what was asked for, and waits until all of it has come. */
  async commit(): Promise<void> {
    this.sent.push(this.client.query('COMMIT'))
    this.open = false
    await Promise.all(this.sent)
  }

  /** Gives the connection back; one that may still be in a transaction is destroyed. */
  end(): void {
    clearTimeout(this.patience)
    const clean = !this.overdue && (this.client as unknown as TransactionStatus).getTransactionStatus() === 'I'
    this.client.release(!clean)
  }
}

/** A promise that never comes to anything else than its rejection, and troubles nobody who does not look at it. */
function withRejection(): { promise: Promise<never>; reject: (fault: unknown) => void } {
  let reject: (fault: unknown) => void = () => {}
  const promise = new Promise<never>((_, rejectIt) => {
    reject = rejectIt
  })
  promise.catch(() => {})
  return { promise, reject }
}

/** In pg since 8.17, not in its types yet. */
interface TransactionStatus {
  getTransactionStatus(): string | null
}

/** Cuts a connection whose server does not answer: only that ends a pipelined wait. */
function abandon(client: PoolClient): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
