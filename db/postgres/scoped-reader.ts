/**
 * Reads on behalf of one API key. Every batch of statements is a read-only transaction of its own, whose statements see the
 * same snapshot of the database. It begins by authenticating the key: this stores the hash of the key (for row-level security) and the numbers of its companies (for
 * the scope predicates) in the transaction, so that no connection remembers a key and a revoked key reads nothing.
 */
import { ApiError } from '../../schema/errors'
import type { Rate } from '../api-keys/rate'
import type { ZoneRules } from '../calendar/zone-rules'
import type { Batch, Statement } from './batch'
import type { Lease } from './fair-queue'

export type { Statement }

export interface PresentedKey {
  id: string
  label: string | null
  scopes: string[]
  reseller: boolean
  all_companies: boolean
  /** Its rate limit; null where the default applies. */
  rate: Rate | null
  /** From when on it is not valid, in RFC 3339; null where it does not expire. */
  expires_at: string | null
}

/** SQL: bounds each further statement of the transaction, in milliseconds. */
const limitStatements = (parameter: string) => `set_config('statement_timeout', ${parameter}, true) IS NOT NULL`

/** The statement with which a batch begins: stores the hash of a key and the numbers of its companies in the transaction, and sets the statement timeout `$2`. */
export const AUTHENTICATE_KEY: Statement = {
  name: 'authenticate-key',
  text: `SELECT authenticate_key($1) AS key WHERE ${limitStatements('$2')}`,
}

/** SQL: whether the server is the primary, or has replayed a position. */
const IS_CURRENT = `(NOT pg_is_in_recovery() OR pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') >= $2)`

/**
 * The same where reads are spread over hosts, with the timeout `$3`. A replica that has not replayed the position `$2`
 * authenticates no key, so that the batch reads nothing; nor does any replica without a position.
 */
export const AUTHENTICATE_ON_HOST: Statement = {
  name: 'authenticate-on-host',
  text: `SELECT CASE WHEN ${IS_CURRENT} THEN authenticate_key($1) END AS key, ${IS_CURRENT} AS "isCurrent",
  NOT pg_is_in_recovery() AS "isPrimary"
WHERE ${limitStatements('$3')}`,
}

/**
 * SQL: the numbers of the companies that the authenticated key may read; null without a valid key. Each statement names it
 * in its scope predicate, and PostgreSQL evaluates it once per statement: of the two casts the inner one parses the text,
 * the outer one marks the result as an array. A setting that was never set reads '' after its first use, not NULL.
 */
export const COMPANY_SCOPE = `((SELECT nullif(current_setting('partner_metrics.companies', true), '')::integer[])::integer[])`

/** Returns the scope predicate of a statement: SQL, whether the company in a column is one that the key may read. */
export const inScope = (column: string): string => `${column} = ANY (${COMPANY_SCOPE})`

/** Counts of one request, to which all of its readers add. */
export interface ReadCounts {
  batches: number
  /** Rows received from PostgreSQL, with the one of the key in each batch. */
  rows: number
  /** The time in which it waited for PostgreSQL. */
  waitedMs: number
}

/** The way of one reader's batches to PostgreSQL. */
export interface Transport {
  /** The first statement of each batch, with its values. It returns a row with the key, if that is valid. */
  readonly authentication: Statement
  readonly credentials: unknown[]
  /** Runs a batch. Never rejects: errors reach the promises of the batch. @returns the number of rows that were received */
  send(batch: Batch): Promise<number>
  /** Sends further batches to the primary alone. */
  requirePrimary(): void
  /**
   * Resolves when whoever reads next, on any host, sees what was read on the primary.
   *
   * @throws ApiError UNAVAILABLE when the primary does not answer
   */
  replicated(): Promise<void>
}

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
  private sentAt = 0

  constructor(
    private readonly transport: Transport,
    private readonly createBatch: () => Batch,
    /** The rules of time zones that the process has read, by their number in the database. */
    readonly zoneRules: Map<number, ZoneRules>,
    private readonly counts?: ReadCounts,
    private readonly nextTurn?: () => Promise<void>,
    private readonly lease?: Lease,
  ) {}

  /** @throws ApiError UNAVAILABLE or TIMEOUT when the database is away or too slow */
  read<Row>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    const isFirst = !this.sent
    const { batch, key } = this.next()
    const added = batch.add<Row>(statement, values)
    const rows = isFirst ? added : verified(added, key)
    return this.nextTurn ? rows.finally(this.nextTurn) : rows
  }

  /** Lets the requests of others have the connection before the next batch. Little should be in memory meanwhile. */
  yield(): void {
    const { lease } = this
    if (lease) this.sent = this.sent?.then(() => lease.yield())
  }

  /** Reads on the primary, as does everything that is read with it, and later, in this request. */
  readOnPrimary<Row>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    this.transport.requirePrimary()
    return this.read(statement, values)
  }

  /**
   * Waits until whoever reads next, on any host, sees what was read on the primary.
   *
   * @throws ApiError UNAVAILABLE
   */
  replicated(): Promise<void> {
    return this.transport.replicated()
  }

  /**
   * Authenticates the key and runs the statements added so far, in one batch. Their rows may be used only if this returns
   * the key.
   *
   * @throws ApiError INVALID_API_KEY when it is unknown or deactivated; UNAVAILABLE or TIMEOUT
   */
  async authenticate(): Promise<PresentedKey> {
    const { batch, key } = this.next()
    this.sent = this.flush(batch)
    await this.sent
    return accepted(await key)
  }

  /** Returns the key of the next batch. @throws ApiError INVALID_API_KEY */
  async readKey(): Promise<PresentedKey> {
    return accepted(await this.next().key)
  }

  private next(): ScopedBatch {
    if (this.waiting) return this.waiting
    const batch = this.createBatch()
    const key = batch
      .add<{ key: PresentedKey | null }>(this.transport.authentication, this.transport.credentials)
      // It is delivered first, before whatever uses the rows of the batch.
      .finally(() => {
        if (this.counts) this.counts.waitedMs += performance.now() - this.sentAt
      })
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

  private async flush(batch: Batch): Promise<void> {
    this.waiting = undefined
    this.sentAt = performance.now()
    const rows = await this.transport.send(batch)
    if (!this.counts) return
    this.counts.batches++
    this.counts.rows += rows
  }
}

/** Returns the rows of a later batch: a key that was revoked in the meantime reads nothing more. */
async function verified<Rows>(rows: Promise<Rows>, key: Promise<PresentedKey | undefined>): Promise<Rows> {
  const [read, valid] = await Promise.all([rows, key])
  accepted(valid)
  return read
}

function accepted(key: PresentedKey | undefined): PresentedKey {
  if (!key) throw new ApiError('INVALID_API_KEY')
  return key
}
