/**
 * The PostgreSQL that the service brings along. Every process that works with it holds a lease, which is a shared lock
 * in that PostgreSQL on a connection of its own, so that the lease of a killed process ends by itself. Whoever comes
 * first starts PostgreSQL, whoever is last to leave stops it. A lock on the file system lets them come and go one by one.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, escapeLiteral } from 'pg'
import { lock } from 'proper-lockfile'
import { OperatorError } from '../operator-error'
import { type Account, accountFor, PATIENCE_MS } from './account'
import { findBinaries } from './binaries'
import { type Credentials, credentialsOf, findHome } from './data-directory'
import { initdb } from './initdb'
import { findPostmaster, stop } from './postmaster'
import { faultOf, type ServerSettings, start } from './start'

const DATABASE = 'partner_metrics'

/** The logins, by whose they are. The reader and the writer own nothing. */
const LOGINS = { owner: 'postgres', reader: 'partner_metrics_reader', writer: 'partner_metrics_writer' } as const

type Whose = keyof typeof LOGINS

const LEAVING_MS = 5_000

/** Number of the advisory lock that stands for being there. */
const LEASE = 7_400_012

export interface Embedded {
  ownerUrl: string
  readerUrl: string
  writerUrl: string
  /** Gives the lease back; the last one stops PostgreSQL. May be repeated. */
  leave(): Promise<void>
}

export interface EmbeddedOptions {
  /** Where the data is kept; made when missing. */
  dataDir: string
  /** Settings of PostgreSQL besides our own, for when this call starts it. */
  settings?: ServerSettings
  /** Gets lines that the operator should know. */
  say?: (line: string) => void
}

/**
 * Joins the embedded PostgreSQL, made and started when it is not there.
 *
 * @throws OperatorFault when it cannot be
 */
export async function openEmbedded({ dataDir, settings = {}, say = () => {} }: EmbeddedOptions): Promise<Embedded> {
  const house = new House(findHome(resolve(dataDir), say), settings)
  await house.join().catch(async error => {
    await house.leave()
    throw error
  })
  return {
    ownerUrl: house.url('owner', DATABASE),
    readerUrl: house.url('reader', DATABASE),
    writerUrl: house.url('writer', DATABASE),
    leave: () => house.leave(),
  }
}

class House {
  private port = 0
  private credentials: Credentials = { owner: '', reader: '', writer: '' }
  private lease: Client | undefined
  private leaving: Promise<void> | undefined

  constructor(
    private readonly home: string,
    private readonly settings: ServerSettings,
  ) {}

  url(whose: Whose, database: string): string {
    return `postgres://${LOGINS[whose]}:${this.credentials[whose]}@127.0.0.1:${this.port}/${database}?sslmode=disable`
  }

  join(): Promise<void> {
    return this.alone(async () => {
      if (this.leaving) return
      const cluster = join(this.home, 'cluster')
      const account = accountFor(cluster)
      this.credentials = credentialsOf(this.home, existsSync(cluster))
      if (!existsSync(cluster)) {
        await initdb(this.home, findBinaries(account), account, this.credentials.owner, this.settings.fsync !== 'off')
      }
      this.lease = await this.connect(account)
      await this.furnish(this.lease)
      await this.lease.query('SELECT pg_advisory_lock_shared($1)', [LEASE])
      this.lease.once('end', () => this.rejoin())
    })
  }

  leave(): Promise<void> {
    this.leaving ??= this.alone(async () => {
      const lease = this.lease
      if (!lease) return
      const giveBack = async (): Promise<boolean> => {
        await lease.query('SELECT pg_advisory_unlock_shared($1)', [LEASE])
        const { rows } = await lease.query('SELECT pg_try_advisory_lock($1) AS last', [LEASE])
        await lease.end()
        return rows[0].last
      }
      // One that is gone already, or hangs, does not take our leave, nor would it stop.
      const patience = sleep(LEAVING_MS, false, { ref: false })
      if (await Promise.race([giveBack().catch(() => false), patience])) await stop(this.home)
    })
    return this.leaving
  }

  /** Connects, starting PostgreSQL when it does not run. Waits while another is starting or stopping it. */
  private async connect(account: Account | undefined): Promise<Client> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const postmaster = findPostmaster(this.home)
      if (!postmaster) await start(this.home, findBinaries(account), account, this.settings, this.port)
      const client = await this.tryConnect()
      if (client) return client
      const fault = findPostmaster(this.home) ? 'it does not answer' : faultOf(this.home)
      // The processes of a server that was killed take a moment to notice.
      const passing = /does not answer|still in use|already exists|TCP\/IP/.test(fault)
      if (!passing || Date.now() > deadline) {
        throw new OperatorError('DATABASE_NOT_STARTED', `PostgreSQL could not be started: ${fault}`)
      }
      await sleep(100)
    }
  }

  private async tryConnect(): Promise<Client | undefined> {
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
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => {})
      if ((error as { code?: string }).code !== '28P01') return undefined
      throw new OperatorError('CREDENTIALS_WRONG', `PostgreSQL refuses the password in ${this.home}/credentials.json`)
    }
  }

  /** The database and the logins, when they are missing. */
  private async furnish(client: Client): Promise<void> {
    for (const whose of ['reader', 'writer'] as const) {
      const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [LOGINS[whose]])
      if (rowCount === 1) continue
      const nobody = 'NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT'
      const password = escapeLiteral(this.credentials[whose])
      await client.query(`CREATE ROLE ${LOGINS[whose]} LOGIN ${nobody} PASSWORD ${password}`)
    }
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  }

  /** PostgreSQL crashed or was killed under us: bring it back, on the port that our connections know. */
  private async rejoin(): Promise<void> {
    while (!this.leaving) {
      try {
        return await this.join()
      } catch {
        await sleep(1_000, undefined, { ref: false })
      }
    }
  }

  private async alone(work: () => Promise<void>): Promise<void> {
    const release = await lock(this.home, {
      lockfilePath: join(this.home, 'lock'),
      stale: 5_000,
      retries: { retries: 2 * (PATIENCE_MS / 100), factor: 1, minTimeout: 100, maxTimeout: 100 },
      // Held too long by a machine that slept: there is nothing to undo.
      onCompromised: () => {},
    }).catch(error => {
      throw new OperatorError('DATABASE_BUSY', `another process is busy with ${this.home}: ${error.message}`)
    })
    try {
      await work()
    } finally {
      await release().catch(() => {})
    }
  }
}
