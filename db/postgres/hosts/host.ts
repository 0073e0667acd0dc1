/**
 * One PostgreSQL server that the service reads from: a pool of connections for batches, and one more to ask for its state.
 */
import type { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'
import type { Batch, Statement } from '../batch'
import { asApiError, ConnectionError, ReplayConflictError } from '../errors'
import { endPool, openPool } from '../pool'
import { RawRowClient } from '../raw-rows'
import type { Transport } from '../scoped-reader'
import type { HostAnswer } from './host-states'

export interface ReaderLimits {
  /** The maximum number of connections to a host. */
  connections: number
  /** PostgreSQL cancels a statement after this time. A server that does not even do that is given up a second later. */
  statementTimeoutMs: number
  connectTimeoutMs: number
}

/** The flushed log, which reaches the replicas; a commit is reported after that. The name of a file begins with the timeline. */
const STATE = `
SELECT standby AS "isStandby", pg_postmaster_start_time()::text AS "startedAt",
  pg_wal_lsn_diff(CASE WHEN standby THEN coalesce(pg_last_wal_replay_lsn(), '0/0') ELSE pg_current_wal_flush_lsn() END, '0/0') AS lsn,
  CASE WHEN NOT standby THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END AS timeline
FROM pg_is_in_recovery() AS standby`

const LOGIN_PAUSE_MS = 100

export class Host {
  /** Host and port. */
  readonly name: string
  batches = 0
  private readonly pool: Pool
  private readonly inquiries: Pool
  /** The error of the last login; undefined if it succeeded. */
  private loginError: unknown
  private nextLoginAt = 0
  private readonly running = new Map<Batch, PoolClient | undefined>()

  /** @param silenceMs how long it may leave a question about its state unanswered */
  constructor(url: string, limits: ReaderLimits, silenceMs = limits.statementTimeoutMs) {
    const { host } = new URL(url)
    this.name = host
    const config = { application_name: 'partner-metrics reader' }
    this.pool = openPool(url, {
      ...config,
      Client: RawRowClient,
      max: limits.connections,
      connectionTimeoutMillis: limits.connectTimeoutMs,
    })
    this.inquiries = openPool(url, { ...config, max: 1, connectionTimeoutMillis: silenceMs, query_timeout: silenceMs })
  }

  /** The number of connections, how many of them are idle, and how many requests wait for one. */
  get connections(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool
    return { total: totalCount, idle: idleCount, waiting: waitingCount }
  }

  /** Sends a batch on a connection of its own. Resolves when the batch is over; never rejects. */
  async send(batch: Batch, timeoutMs: number): Promise<void> {
    let client: PoolClient | undefined
    this.batches++
    this.running.set(batch, undefined)
    try {
      const isIdle = this.pool.idleCount > this.pool.waitingCount
      client = isIdle ? await this.pool.connect() : await this.connect(batch)
    } catch (error) {
      batch.abort(asApiError(error))
    }
    if (client) {
      this.running.set(batch, client)
      const timeout = setTimeout(abandon, timeoutMs, batch, client)
      batch.sendOn(client)
      await batch.settled
      clearTimeout(timeout)
      client.release(batch.connectionUnusable || client.getTransactionStatus() !== 'I')
    }
    this.running.delete(batch)
  }

  /** Asks for the state; any login may. @throws Error when the host does not answer in time */
  async readState(): Promise<HostAnswer> {
    const { rows } = await this.inquiries.query<HostAnswer>({ name: 'host-state', text: STATE })
    return rows[0]!
  }

  /** Ends all batches on a host that has become silent. */
  cut(): void {
    for (const [batch, client] of this.running) {
      batch.abort(new ConnectionError('UNAVAILABLE'))
      if (client) destroySocket(client)
    }
  }

  async close(): Promise<void> {
    await Promise.all([endPool(this.pool), endPool(this.inquiries)])
  }

  /** Waits for a connection; undefined if the batch was ended meanwhile. @throws Error at once while logins fail */
  private async connect(batch: Batch): Promise<PoolClient | undefined> {
    const logsIn = this.pool.idleCount === 0 && this.pool.totalCount < this.pool.options.max
    if (logsIn) this.spaceLogins()
    const connecting = this.pool.connect()
    if (logsIn) {
      const end = (error?: unknown) => {
        this.loginError = error
        this.nextLoginAt = performance.now() + LOGIN_PAUSE_MS
      }
      connecting.then(() => end(), end)
    }
    const client = await Promise.race([connecting, batch.settled])
    if (client) return client
    connecting.then(
      late => late.release(),
      () => {},
    )
    return undefined
  }

  /**
   * Spaces the attempts to log in at a server that refuses them: a refused login costs PostgreSQL more than many requests do, because it
   * starts a process for each.
   *
   * @throws the error of the last attempt, which has failed, unless it is time for another
   */
  private spaceLogins(): void {
    if (this.loginError === undefined) return
    const now = performance.now()
    if (now < this.nextLoginAt) throw this.loginError
    this.nextLoginAt = now + LOGIN_PAUSE_MS
  }
}

function abandon(batch: Batch, client: PoolClient): void {
  batch.abort(new ConnectionError('TIMEOUT'))
  destroySocket(client)
}

/** Cuts the connection to a server that does not answer: only this ends the wait for it. */
function destroySocket(client: PoolClient): void {
  ;(client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
}

/** The way to a single host, whatever it is. */
export class DirectTransport implements Transport {
  constructor(
    private readonly host: Host,
    readonly authentication: Statement,
    readonly credentials: unknown[],
    private readonly timeLeft: () => number,
  ) {}

  async send(batch: Batch): Promise<number> {
    await this.host.send(batch, this.timeLeft())
    if (!(batch.error instanceof ReplayConflictError)) return batch.deliver()
    const repeated = batch.again()
    await this.host.send(repeated, this.timeLeft())
    return repeated.deliver()
  }

  requirePrimary(): void {}

  async replicated(): Promise<void> {}
}
