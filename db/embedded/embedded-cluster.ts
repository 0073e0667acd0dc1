/**
 * The embedded PostgreSQL. Every process that uses it holds a lease: a shared advisory lock on a connection of its own,
 * which ends with the process even if that is killed. The first process starts PostgreSQL, the last one to leave stops it.
 * A lock file serialises joining and leaving.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, escapeLiteral } from 'pg'
import { lock } from 'proper-lockfile'
import { CLUSTER_LEASE } from '../advisory-locks'
import { OperatorError } from '../operator-error'
import { type Account, accountFor } from './account'
import { findBinaries } from './binaries'
import { type Credentials, openCredentials, openHome } from './data-directory'
import { initdb } from './initdb'
import { findPostmaster, stopPostmaster } from './postmaster'
import { SERVER_TIMEOUT_MS } from './server-process'
import { type ServerSettings, startErrorOf, startServer } from './start-server'

const DATABASE = 'partner_metrics'

/** The names of the logins. The reader and the writer own nothing. */
const LOGINS = { owner: 'postgres', reader: 'partner_metrics_reader', writer: 'partner_metrics_writer' } as const

const LEAVE_TIMEOUT_MS = 5_000

const LOCK_POLL_MS = 100

const REJOIN_DELAY_MS = 1_000

export interface Embedded {
  ownerUrl: string
  readerUrl: string
  writerUrl: string
  /** Releases the lease; the last process stops PostgreSQL. May be called repeatedly. */
  leave(): Promise<void>
}

export interface EmbeddedOptions {
  /** The directory of the data; created when it is missing. */
  dataDir: string
  /** Additional settings of PostgreSQL, used if this call starts it. */
  settings?: ServerSettings
  /** Receives lines for the operator. */
  print?: (line: string) => void
}

/**
 * Joins the embedded PostgreSQL. Creates and starts it when necessary.
 *
 * @throws OperatorError when that fails
 */
export async function openEmbedded({ dataDir, settings = {}, print = () => {} }: EmbeddedOptions): Promise<Embedded> {
  const cluster = new EmbeddedCluster(openHome(resolve(dataDir), print), settings, print)
  await cluster.join().catch(async error => {
    await cluster.leave()
    throw error
  })
  return {
    ownerUrl: cluster.url('owner', DATABASE),
    readerUrl: cluster.url('reader', DATABASE),
    writerUrl: cluster.url('writer', DATABASE),
    leave: () => cluster.leave(),
  }
}

class EmbeddedCluster {
  private port = 0
  private credentials: Credentials = { owner: '', reader: '', writer: '' }
  private lease: Client | undefined
  private leaving: Promise<void> | undefined

  constructor(
    private readonly home: string,
    private readonly settings: ServerSettings,
    private readonly print: (line: string) => void,
  ) {}

  url(login: keyof typeof LOGINS, database: string): string {
    return `postgres://${LOGINS[login]}:${this.credentials[login]}@127.0.0.1:${this.port}/${database}?sslmode=disable`
  }

  join(): Promise<void> {
    return this.withLock(async () => {
      if (this.leaving) return
      const cluster = join(this.home, 'cluster')
      const account = accountFor(cluster, this.print)
      this.credentials = openCredentials(this.home, existsSync(cluster))
      if (!existsSync(cluster)) {
        await initdb(this.home, findBinaries(account), account, this.credentials.owner, this.settings.fsync !== 'off')
      }
      this.lease = await this.connect(account)
      await prepareDatabase(this.lease, this.credentials)
      await this.lease.query('SELECT pg_advisory_lock_shared($1)', [CLUSTER_LEASE])
      this.lease.once('end', () => this.rejoin())
    })
  }

  leave(): Promise<void> {
    this.leaving ??= this.withLock(async () => {
      if (!this.lease) return
      // A server that has crashed or hangs takes no part in this, and need not be stopped.
      const isLast = releaseLease(this.lease).catch(() => false)
      const timeout = sleep(LEAVE_TIMEOUT_MS, false, { ref: false })
      if (await Promise.race([isLast, timeout])) await stopPostmaster(this.home)
    })
    return this.leaving
  }

  /** Connects; starts PostgreSQL when it does not run. Waits while another process starts or stops it. */
  private async connect(account: Account | undefined): Promise<Client> {
    const deadline = Date.now() + SERVER_TIMEOUT_MS
    for (;;) {
      const postmaster = findPostmaster(this.home)
      if (!postmaster) await startServer(this.home, findBinaries(account), account, this.settings, this.port)
      const client = await this.tryToConnect()
      if (client) return client
      const error = findPostmaster(this.home) ? 'it does not answer' : startErrorOf(this.home)
      // The processes of a server that was killed exit a moment later.
      const isTemporary = /does not answer|still in use|already exists|TCP\/IP/.test(error)
      if (!isTemporary || Date.now() > deadline) {
        throw new OperatorError('DATABASE_NOT_STARTED', `PostgreSQL could not be started: ${error}`)
      }
      await sleep(LOCK_POLL_MS)
    }
  }

  private async tryToConnect(): Promise<Client | undefined> {
    const postmaster = findPostmaster(this.home)
    if (!postmaster?.ready) return undefined
    this.port = postmaster.port
    const client = new Client({
      connectionString: this.url('owner', 'postgres'),
      application_name: 'partner-metrics lease',
      connectionTimeoutMillis: 5_000,
      query_timeout: 30_000,
      keepAlive: true,
    })
    // The end of the connection makes us rejoin; without a listener its error would end the process.
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => {})
      if ((error as { code?: string }).code !== WRONG_PASSWORD) return undefined
      throw new OperatorError('CREDENTIALS_WRONG', `PostgreSQL refuses the password in ${this.home}/credentials.json`)
    }
  }

  /** After a crash of PostgreSQL: starts it again, on the port to which our connections return. */
  private async rejoin(): Promise<void> {
    while (!this.leaving) {
      try {
        return await this.join()
      } catch {
        // Requests fail with UNAVAILABLE meanwhile.
        await sleep(REJOIN_DELAY_MS, undefined, { ref: false })
      }
    }
  }

  /** Runs `work` while no other process joins or leaves. */
  private async withLock(work: () => Promise<void>): Promise<void> {
    const retries = { retries: (2 * SERVER_TIMEOUT_MS) / LOCK_POLL_MS, factor: 1 }
    const release = await lock(this.home, {
      lockfilePath: join(this.home, 'lock'),
      stale: 5_000,
      retries: { ...retries, minTimeout: LOCK_POLL_MS, maxTimeout: LOCK_POLL_MS },
      // The machine slept, and another process took the lock over: there is nothing to undo.
      onCompromised: () => {},
    }).catch(error => {
      throw new OperatorError('DATABASE_BUSY', `another process is busy with ${this.home}: ${error.message}`)
    })
    try {
      await work()
    } finally {
      // A lock that was taken over cannot be released.
      await release().catch(() => {})
    }
  }
}

/** SQLSTATE invalid_password. */
const WRONG_PASSWORD = '28P01'

/** Creates the logins and the database when they are missing. */
async function prepareDatabase(client: Client, credentials: Credentials): Promise<void> {
  for (const login of ['reader', 'writer'] as const) {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [LOGINS[login]])
    if (rowCount === 1) continue
    const attributes = 'NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT'
    const password = escapeLiteral(credentials[login])
    await client.query(`CREATE ROLE ${LOGINS[login]} LOGIN ${attributes} PASSWORD ${password}`)
  }
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
}

/** Ends the connection of a lease. Returns whether it was the last lease. */
async function releaseLease(lease: Client): Promise<boolean> {
  await lease.query('SELECT pg_advisory_unlock_shared($1)', [CLUSTER_LEASE])
  const { rows } = await lease.query('SELECT pg_try_advisory_lock($1) AS "isLast"', [CLUSTER_LEASE])
  await lease.end()
  return rows[0].isLast
}
