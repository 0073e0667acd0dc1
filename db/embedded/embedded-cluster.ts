/**
 * The embedded PostgreSQL. Every process that uses it has a lease: a connection of its own as the owner, which ends with
 * the process even if that is killed. The first process starts PostgreSQL, the last one to leave stops it. A lock file
 * serialises joining and leaving.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { moveTo, noDatabase, OperatorError } from '../operator-error'
import { embeddedUrl } from '../postgres/pool'
import { type Account, accountFor } from './account'
import { findBinaries, majorOf } from './binaries'
import { withClusterLock } from './cluster-lock'
import { type Credentials, hasDatabase, openCredentials, openHome } from './data-directory'
import { findPostmaster } from './postmaster'
import { DATABASE, keepEpoch, LOGINS, prepareCluster } from './prepare-cluster'
import {
  boundLog,
  initdb,
  readStartError,
  SERVER_TIMEOUT_MS,
  type ServerSettings,
  startServer,
  stopServer,
} from './server'

/** The application name of leases. Only the owner's count, as any login can use the name. */
const LEASE = 'partner-metrics lease'

/** Settings that versions before PostgreSQL 17 do not have. */
const SETTINGS: ServerSettings = {
  // The service sends no notifications, and any login could fill the disk with them.
  max_notify_queue_pages: 64,
}

const LEAVE_TIMEOUT_MS = 5_000

const CONNECT_POLL_MS = 100

const REJOIN_DELAY_MS = 1_000

export interface Embedded {
  ownerUrl: string
  readerUrl: string
  /** Releases the lease; the last process stops PostgreSQL. May be called repeatedly. */
  leave(): Promise<void>
}

interface EmbeddedOptions {
  dataDir: string
  /** The directory of the programs; by default, those that npm installed. */
  programs?: string | undefined
  /** Whether to create a database where there is none, and to restore its logins. */
  create: boolean
  /** Additional settings of PostgreSQL, used if this call starts it. */
  settings?: ServerSettings
  print?: (line: string) => void
  /** Ends the wait for other processes, and for PostgreSQL. */
  signal?: AbortSignal
}

/**
 * Joins the embedded PostgreSQL, and starts it when it does not run.
 *
 * @throws OperatorError when that fails, NO_DATABASE when there is none and `create` is not set
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { create, print = () => {}, signal } = options
  const dataDir = resolve(options.dataDir)
  if (!create && !hasDatabase(dataDir)) throw noDatabase(dataDir)
  const home = openHome(dataDir, print)
  const cluster = new EmbeddedCluster(dataDir, home, options, print)
  await cluster.join(signal).catch(async error => {
    await cluster.leave()
    throw error
  })
  return {
    ownerUrl: cluster.url('owner', DATABASE),
    readerUrl: cluster.url('reader', DATABASE),
    leave: () => cluster.leave(),
  }
}

class EmbeddedCluster {
  private port = 0
  private account: Account | undefined
  private credentials: Credentials = { owner: '', reader: '' }
  private lease: Client | undefined
  private leaving: Promise<void> | undefined
  private logTimer: NodeJS.Timeout | undefined

  constructor(
    private readonly dataDir: string,
    private readonly home: string,
    private readonly options: EmbeddedOptions,
    private readonly print: (line: string) => void,
  ) {}

  url(login: keyof typeof LOGINS, database: string): string {
    const url = `postgres://${LOGINS[login]}:${this.credentials[login]}@127.0.0.1:${this.port}/${database}?sslmode=disable`
    return embeddedUrl(url, this.home)
  }

  join(signal?: AbortSignal): Promise<void> {
    return withClusterLock(this.home, signal, async () => {
      if (this.leaving) return
      const cluster = join(this.home, 'cluster')
      this.account = accountFor(cluster, this.print)
      this.credentials = openCredentials(this.home, existsSync(cluster))
      if (!existsSync(cluster)) {
        const isLasting = this.options.settings?.fsync !== 'off'
        await initdb(this.home, this.findBinaries(), this.account, this.credentials.owner, isLasting)
      }
      const lease = await this.connect(signal)
      this.lease = lease
      try {
        if (this.options.create) await prepareCluster(lease, this.credentials)
        await keepEpoch(lease, this.dataDir, DATABASE)
      } catch (error) {
        await lease.end().catch(() => {})
        throw error
      }
      lease.once('end', () => this.rejoin())
      this.logTimer ??= boundLog(this.home)
    })
  }

  leave(): Promise<void> {
    clearInterval(this.logTimer)
    // Without a lease there is nothing to release, and the lock may be what could not be had.
    this.leaving ??= this.lease ? this.leaveWithLock() : Promise.resolve()
    return this.leaving
  }

  private leaveWithLock(): Promise<void> {
    return withClusterLock(this.home, undefined, async () => {
      if (!this.lease) return
      // A server that has crashed or hangs takes no part in this, and need not be stopped.
      const isLast = releaseLease(this.lease).catch(() => false)
      const timeout = sleep(LEAVE_TIMEOUT_MS, false, { ref: false })
      if (await Promise.race([isLast, timeout])) await this.stop()
    })
  }

  private stop(): Promise<void> {
    return stopServer(this.home, this.findBinaries(), this.account)
  }

  private findBinaries(): string {
    return findBinaries(this.account, this.options.programs)
  }

  /** Connects; starts PostgreSQL when it does not run. Waits while another process starts or stops it. */
  private async connect(signal: AbortSignal | undefined): Promise<Client> {
    const deadline = Date.now() + SERVER_TIMEOUT_MS
    for (;;) {
      if (signal?.aborted) {
        // Without a lease nobody else would stop what was started.
        await this.stop()
        throw signal.reason
      }
      if (!findPostmaster(this.home)) {
        const bin = this.findBinaries()
        const major = majorOf(bin)
        checkClusterVersion(join(this.home, 'cluster'), major, this.options.programs ? 'POSTGRES_BIN' : 'this version')
        const settings = { ...(major >= 17 && SETTINGS), ...this.options.settings }
        await startServer(this.home, bin, this.account, settings, this.port)
      }
      const client = await this.tryToConnect()
      if (client) return client
      const error = findPostmaster(this.home) ? 'it does not answer' : readStartError(this.home)
      // The processes of a server that was killed exit a moment later.
      const isTemporary = /does not answer|still in use|already exists|TCP\/IP/.test(error)
      if (!isTemporary || Date.now() > deadline) {
        throw new OperatorError('DATABASE_NOT_STARTED', `PostgreSQL could not be started: ${error}`)
      }
      await sleep(CONNECT_POLL_MS)
    }
  }

  private async tryToConnect(): Promise<Client | undefined> {
    const postmaster = findPostmaster(this.home)
    if (!postmaster) return undefined
    this.port = postmaster.port
    const client = new Client({
      connectionString: this.url('owner', 'postgres'),
      application_name: LEASE,
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

  /** After a crash of PostgreSQL: starts it again, on its former port if that is free. */
  private async rejoin(): Promise<void> {
    let printed = ''
    while (!this.leaving) {
      try {
        return await this.join()
      } catch (error) {
        // Requests fail with UNAVAILABLE meanwhile.
        const { message } = error as Error
        if (message !== printed) this.print(`PostgreSQL has stopped, and a restart failed: ${message}`)
        printed = message
        await sleep(REJOIN_DELAY_MS, undefined, { ref: false })
      }
    }
  }
}

/** SQLSTATE invalid_password. */
const WRONG_PASSWORD = '28P01'

/** Ends the connection of a lease. Returns whether it was the last lease. */
async function releaseLease(lease: Client): Promise<boolean> {
  const { rowCount } = await lease.query(
    'SELECT FROM pg_stat_activity WHERE application_name = $1 AND usename = current_user AND pid <> pg_backend_pid()',
    [LEASE],
  )
  await lease.end()
  return rowCount === 0
}

/** @throws OperatorError POSTGRES_VERSION_DIFFERS */
function checkClusterVersion(cluster: string, major: number, owner: string): void {
  const file = join(cluster, 'PG_VERSION')
  // PostgreSQL reports what is missing.
  if (!existsSync(file)) return
  const version = readFileSync(file, 'utf8').trim()
  if (Number(version) === major) return
  const reason = `the data in ${dirname(cluster)} is of PostgreSQL ${version}, but ${owner} has PostgreSQL ${major}`
  throw new OperatorError('POSTGRES_VERSION_DIFFERS', `${reason}: ${moveTo('another DATA_DIR')}`)
}
