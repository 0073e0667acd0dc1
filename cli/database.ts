/** The database that the commands work with, migrated: the one of DATABASE_URL, else the embedded one. */

import { grantLogins } from '../db/logins'
import { migrate } from '../db/migrations/migrate'
import { OperatorError } from '../db/operator-error'
import { isCertificateError } from '../db/postgres/errors'
import { unlessInterrupted } from './interruption'
import { printMessage } from './output'
import type { Settings } from './settings'

export interface Database {
  /** Logs in as the owner of the tables. */
  ownerUrl: string
  /** Logs in as the service does when it reads. */
  readerUrl: string
  /** Logs in as the service does when it counts legacy calls. */
  writerUrl: string
  /** Whether it is the PostgreSQL that we brought along. */
  embedded: boolean
  /** The migrations that opening it has run. */
  migrated: string[]
}

/** Lets go of the database; the embedded one stops when nobody else is there. */
type Leave = () => Promise<void>

/**
 * Opens the database: joins or starts the embedded one, runs missing migrations, gives the logins what they need.
 *
 * @throws OperatorFault when it cannot be opened
 */
export async function openDatabase(settings: Settings): Promise<Database & { leave: Leave }> {
  const { databaseUrl, readerDatabaseUrl, writerDatabaseUrl, dataDir } = settings
  const { leave, ...urls } = databaseUrl
    ? {
        ownerUrl: databaseUrl,
        readerUrl: readerDatabaseUrl ?? databaseUrl,
        writerUrl: writerDatabaseUrl ?? databaseUrl,
        leave: async () => {},
      }
    : await (await import('../db/embedded/embedded-cluster.js')).openEmbedded({
        dataDir,
        say: printMessage,
        settings: { max_connections: connectionsFor(settings) },
      })
  try {
    const migrated = await migrate(urls.ownerUrl)
    const owner = loginOf(urls.ownerUrl)
    // Granting begins with revoking: what the owner has must stay.
    const other = (url: string) => (loginOf(url) === owner ? undefined : loginOf(url))
    await grantLogins(urls.ownerUrl, { reader: other(urls.readerUrl), writer: other(urls.writerUrl) })
    return { ...urls, embedded: !databaseUrl, migrated, leave }
  } catch (error) {
    await leave()
    throw cannotOpen(error)
  }
}

function cannotOpen(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  const { message, code } = error as { message?: string; code?: string }
  const reason = `the database cannot be opened: ${message || code}`
  if (!isCertificateError(error)) return new OperatorError('DATABASE_UNAVAILABLE', reason)
  const remedy = 'sslrootcert in DATABASE_URL names the file of the authority to trust'
  return new OperatorError('CERTIFICATE_NOT_TRUSTED', `${reason} (${remedy})`)
}

/** What the embedded PostgreSQL must let in: each worker's pools, and commands beside them. */
const connectionsFor = ({ workers, poolSize }: Settings): number => Math.max(100, workers * (poolSize + 1) + 50)

const loginOf = (url: string): string => decodeURIComponent(new URL(url).username)

/** Does a command's work with the database, and lets go of it whatever comes of that, an interruption included. */
export async function withDatabase<Result>(
  settings: Settings,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { leave, ...database } = await openDatabase(settings)
  try {
    return await unlessInterrupted(() => work(database))
  } finally {
    await leave()
  }
}
