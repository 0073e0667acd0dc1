/** The database of a command: the one of DATABASE_URL, else the embedded one. */
import { grantLogin } from '../db/logins'
import { checkSchema } from '../db/migrate/check-schema'
import { migrate } from '../db/migrate/migrate'
import { findCondition, noDatabase, OperatorError } from '../db/operator-error'
import { isCertificateError } from '../db/postgres/errors'
import { type Pool, withPool } from '../db/postgres/pool'
import { readMissingSettings, type SessionLogin, setMissingSettings } from '../db/session-settings'
import type { Invocation } from './invocation'
import type { Settings } from './settings'
import { shutdownSignal, unlessShutdown } from './shutdown'

export interface Database {
  /** For the owner of the tables, on the primary. */
  ownerUrl: string
  /** For the login with which the service reads, on each host. */
  readerUrls: readonly string[]
  embedded: boolean
  /** The data directory, or host and name, for people. */
  location: string
  /** The migrations that were run when it was opened. */
  migrated: string[]
}

export interface OpenOptions {
  /** Whether to create or upgrade the database and its logins; else it must have the schema of this version. */
  prepare: boolean
  /** Fills a new database, before it is prepared. */
  load?: (ownerUrl: string) => Promise<void>
}

/**
 * Opens the database: joins or starts the embedded one, then prepares it or checks its schema.
 *
 * @returns it with `close`, which releases it: the embedded one stops when no other process uses it
 * @throws OperatorError; NO_DATABASE and DATABASE_NOT_MIGRATED only where `prepare` is not set
 */
export async function openDatabase(
  invocation: Invocation,
  settings: Settings,
  { prepare, load }: OpenOptions,
): Promise<Database & { close(): Promise<void> }> {
  const { databaseUrl, readerDatabaseUrls } = settings
  const { close, ...urls } = databaseUrl
    ? {
        ownerUrl: databaseUrl,
        readerUrls: readerDatabaseUrls ?? [databaseUrl],
        close: async () => {},
      }
    : await openEmbeddedDatabase(invocation, settings, prepare)
  const database = { ...urls, embedded: !databaseUrl, location: describeLocation(settings, urls), migrated: [] }
  try {
    if (load) await unlessShutdown(() => load(database.ownerUrl))
    if (prepare) return { ...database, migrated: await prepareDatabase(invocation, settings, database), close }
    await unlessShutdown(() => checkDatabase(settings, database))
    return { ...database, close }
  } catch (error) {
    await close()
    throw openError(error, database)
  }
}

/** Runs missing migrations, and grants the reader its privileges. Returns the names of the migrations. */
async function prepareDatabase(invocation: Invocation, settings: Settings, database: Database): Promise<string[]> {
  const migrated = await migrate(database.ownerUrl, { signal: shutdownSignal, onWait: invocation.printMessage })
  await grantReader(database)
  if (!database.embedded) await prepareSessions(invocation, settings, database)
  return migrated
}

/** Sets what the sessions of the logins need. The reader's login may be away: the start of the service checks it. */
async function prepareSessions(
  { printMessage }: Invocation,
  { connectTimeoutMs }: Settings,
  { ownerUrl, readerUrls }: Database,
): Promise<void> {
  const config = { max: 1, connectionTimeoutMillis: connectTimeoutMs }
  await withPool(ownerUrl, config, pool => setMissingSettings(pool, 'owner'))
  await withPool(ownerUrl, config, pool => checkSettings(pool, 'owner'))
  for (const url of readerUrls.filter(each => each !== ownerUrl)) {
    await withPool(url, config, pool => setMissingSettings(pool, 'reader')).catch(({ message, code }) =>
      printMessage(`warning: READER_DATABASE_URL: the settings of its login were not checked: ${message || code}`),
    )
  }
}

function grantReader({ ownerUrl, readerUrls }: Database): Promise<void> {
  const reader = parseLogin(readerUrls[0]!)
  // Grants start with a REVOKE, which must not affect the owner.
  return grantLogin(ownerUrl, reader === parseLogin(ownerUrl) ? undefined : reader, { signal: shutdownSignal })
}

export const VARIABLES = { owner: 'DATABASE_URL', reader: 'READER_DATABASE_URL' } as const

/** @throws OperatorError LOGIN_LACKS_SETTINGS, with the SQL that sets them */
export async function checkSettings(pool: Pool, login: SessionLogin): Promise<void> {
  const missing = await readMissingSettings(pool, login)
  if (missing.length === 0) return
  const values = missing.map(({ name, value }) => `${name} = ${value}`).join(', ')
  const statements = missing.map(({ statement }) => `${statement};`).join(' ')
  throw new OperatorError(
    'LOGIN_LACKS_SETTINGS',
    `${VARIABLES[login]}: sessions of its login begin with ${values}: run ${statements} (\`partner-metrics migrate\` does so; a running PgBouncer has to be restarted after it)`,
  )
}

function checkDatabase({ connectTimeoutMs }: Settings, { location, ownerUrl }: Database): Promise<void> {
  const config = { max: 1, connectionTimeoutMillis: connectTimeoutMs }
  return withPool(ownerUrl, config, async pool => {
    await checkSchema(pool, location)
    await checkSettings(pool, 'owner')
  })
}

/** Returns the login with which the service reads: the owner's, if there is no other. */
export const readerLogin = ({ ownerUrl, readerUrls }: Database): SessionLogin =>
  readerUrls[0] === ownerUrl ? 'owner' : 'reader'

/** Runs `work` with the database, and releases it afterwards, also after an error or a signal. */
export async function withDatabase<Result>(
  invocation: Invocation,
  settings: Settings,
  work: (database: Database) => Promise<Result>,
  options: OpenOptions = { prepare: false },
): Promise<Result> {
  const { close, ...database } = await openDatabase(invocation, settings, options)
  try {
    return await unlessShutdown(() => work(database))
  } finally {
    await close()
  }
}

async function openEmbeddedDatabase(invocation: Invocation, settings: Settings, create: boolean) {
  const { openEmbedded } =
    require('../db/embedded/embedded-cluster') as typeof import('../db/embedded/embedded-cluster')
  const { leave, readerUrl, ...urls } = await openEmbedded({
    dataDir: settings.dataDir,
    programs: settings.postgresBin,
    create,
    signal: shutdownSignal,
    print: invocation.printMessage,
    settings: { max_connections: maxConnections(settings) },
  })
  return { ...urls, readerUrls: [readerUrl], close: leave }
}

/** Returns the connections of a process that serves, and 50 for others and for commands beside it. */
const maxConnections = ({ poolSize }: Settings): number => Math.max(100, poolSize + 1 + 50)

const parseLogin = (url: string): string => decodeURIComponent(new URL(url).username)

function describeLocation({ databaseUrl, dataDir }: Settings, { ownerUrl }: Pick<Database, 'ownerUrl'>): string {
  if (databaseUrl === undefined) return dataDir
  const { host, pathname } = new URL(ownerUrl)
  return `${host}${pathname}`
}

/** SQLSTATE of a database that does not exist. */
const INVALID_CATALOG_NAME = '3D000'

function openError(error: unknown, { embedded, location }: Database): OperatorError {
  if (error instanceof OperatorError) return error
  const { message, code } = error as { message?: string; code?: string }
  // The first process that prepares the embedded PostgreSQL was killed before it created the database.
  if (code === INVALID_CATALOG_NAME && embedded) return noDatabase(location)
  const cause = findCondition(error)?.message ?? (message || code)
  const reason = `the database in ${location} cannot be opened: ${cause}`
  if (!isCertificateError(error)) return new OperatorError('DATABASE_UNAVAILABLE', reason)
  const remedy = 'sslrootcert in DATABASE_URL names the file of the authority to trust'
  return new OperatorError('CERTIFICATE_NOT_TRUSTED', `${reason} (${remedy})`)
}
