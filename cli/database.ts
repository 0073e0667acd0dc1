/** The database of a command, migrated: the one of DATABASE_URL, else the embedded one. */
import { grantLogins } from '../db/logins'
import { migrate } from '../db/migrate/migrate'
import { OperatorError } from '../db/operator-error'
import { isCertificateError } from '../db/postgres/errors'
import { printMessage } from './output'
import type { Settings } from './settings'
import { unlessShutdown } from './shutdown'

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

/**
 * Opens the database: joins or starts the embedded one, runs missing migrations, grants the logins their privileges.
 *
 * @throws OperatorError
 */
export async function openDatabase(settings: Settings): Promise<Database & { close: Close }> {
  const { databaseUrl, readerDatabaseUrl, writerDatabaseUrl } = settings
  const { close, ...urls } = databaseUrl
    ? {
        ownerUrl: databaseUrl,
        readerUrl: readerDatabaseUrl ?? databaseUrl,
        writerUrl: writerDatabaseUrl ?? databaseUrl,
        close: async () => {},
      }
    : await openEmbeddedDatabase(settings)
  try {
    const migrated = await migrate(urls.ownerUrl)
    const owner = loginOf(urls.ownerUrl)
    // Grants start with a REVOKE, which must not affect the owner.
    const unlessOwner = (url: string) => (loginOf(url) === owner ? undefined : loginOf(url))
    await grantLogins(urls.ownerUrl, { reader: unlessOwner(urls.readerUrl), writer: unlessOwner(urls.writerUrl) })
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
): Promise<Result> {
  const { close, ...database } = await openDatabase(settings)
  try {
    return await unlessShutdown(() => work(database))
  } finally {
    await close()
  }
}

async function openEmbeddedDatabase(settings: Settings) {
  const { openEmbedded } = await import('../db/embedded/embedded-cluster.js')
  const { leave, ...urls } = await openEmbedded({
    dataDir: settings.dataDir,
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
