/** The database of a command, migrated: the one of DATABASE_URL, else the embedded one. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { grantLogins } from '../db/logins'
import { migrate } from '../db/migrate/migrate'
import { OperatorError } from '../db/operator-error'
import { isCertificateError } from '../db/postgres/errors'
import { printMessage } from './output'
import { DEFAULT_DATA_DIR, type Settings } from './settings'
import { shutdownSignal, unlessShutdown } from './shutdown'

export interface Database {
  /** For the owner of the tables. */
  ownerUrl: string
  /** For the login with which the service reads. */
  readerUrl: string
  /** For the login with which the service counts legacy calls. */
  writerUrl: string
  /** Whether it is the embedded PostgreSQL. */
  embedded: boolean
  /** The migrations that were run when it was opened. */
  migrated: string[]
}

/** Releases the database; the embedded one stops when no other process uses it. */
type Close = () => Promise<void>

export interface OpenOptions {
  /** Whether to create a database where there is none. */
  create: boolean
}

/**
 * Opens the database: joins or starts the embedded one, runs missing migrations, grants the logins their privileges.
 *
 * @throws OperatorError; NO_DATABASE when there is none and `create` is not set
 */
export async function openDatabase(settings: Settings, { create }: OpenOptions): Promise<Database & { close: Close }> {
  const { databaseUrl, readerDatabaseUrl, writerDatabaseUrl } = settings
  const { close, ...urls } = databaseUrl
    ? {
        ownerUrl: databaseUrl,
        readerUrl: readerDatabaseUrl ?? databaseUrl,
        writerUrl: writerDatabaseUrl ?? databaseUrl,
        close: async () => {},
      }
    : await openEmbeddedDatabase(settings, create)
  try {
    const options = { create: create || !databaseUrl, signal: shutdownSignal }
    const migrated = await migrate(urls.ownerUrl, options)
    const owner = loginOf(urls.ownerUrl)
    // Grants start with a REVOKE, which must not affect the owner.
    const unlessOwner = (url: string) => (loginOf(url) === owner ? undefined : loginOf(url))
    const logins = { reader: unlessOwner(urls.readerUrl), writer: unlessOwner(urls.writerUrl) }
    await grantLogins(urls.ownerUrl, logins, options)
    return { ...urls, embedded: !databaseUrl, migrated, close }
  } catch (error) {
    await close()
    throw openError(error)
  }
}

/** Runs `work` with the database, and releases it afterwards, also after an error or a signal. */
export async function withDatabase<Result>(
  settings: Settings,
  work: (database: Database) => Promise<Result>,
  options: OpenOptions = { create: false },
): Promise<Result> {
  const { close, ...database } = await openDatabase(settings, options)
  try {
    return await unlessShutdown(() => work(database))
  } finally {
    await close()
  }
}

/** A database that a version before this one created in the working directory. */
function warnOfOtherDatabase(dataDir: string): void {
  const other = resolve('.data')
  if (dataDir !== DEFAULT_DATA_DIR || other === dataDir || !existsSync(join(other, 'postgres'))) return
  printMessage(`warning: there is a database in ${other}, but ${dataDir} is used: set DATA_DIR to use the other one`)
}

async function openEmbeddedDatabase(settings: Settings, create: boolean) {
  warnOfOtherDatabase(settings.dataDir)
  const { openEmbedded } = await import('../db/embedded/embedded-cluster.js')
  const { leave, ...urls } = await openEmbedded({
    dataDir: settings.dataDir,
    create,
    signal: shutdownSignal,
    print: printMessage,
    settings: { max_connections: maxConnections(settings) },
  })
  return { ...urls, close: leave }
}

/** The pools of all workers, and 50 for commands beside the service. */
const maxConnections = ({ workers, poolSize }: Settings): number => Math.max(100, workers * (poolSize + 1) + 50)

const loginOf = (url: string): string => decodeURIComponent(new URL(url).username)

function openError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  const { message, code } = error as { message?: string; code?: string }
  const reason = `the database cannot be opened: ${message || code}`
  if (!isCertificateError(error)) return new OperatorError('DATABASE_UNAVAILABLE', reason)
  const remedy = 'sslrootcert in DATABASE_URL names the file of the authority to trust'
  return new OperatorError('CERTIFICATE_NOT_TRUSTED', `${reason} (${remedy})`)
}
