/** Connections to the databases that a copy can be kept in. The packages of SQLite and DuckDB are those of the user. */
import { Client } from 'pg'
import { PullError, usageError } from './pull-error'
import type { SqlConnection } from './sql-store'
import type { Value } from './tables'

const LOCK = 7_205_461

const CONNECT_TIMEOUT_MS = 10_000

/** @param url of the pg driver; with sslmode, in the meaning of libpq */
export async function connectPostgres(url: string): Promise<SqlConnection> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw usageError('--to must be sqlite:FILE, duckdb:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  }
  const connectionString = url.includes('sslmode=') ? `${url}&uselibpqcompat=true` : url
  const client = new Client({
    ...{ connectionString, application_name: 'partner-metrics-pull' },
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Its errors reach the statements that run.
  client.on('error', () => {})
  await client.connect().catch(({ message, code }: NodeJS.ErrnoException) => {
    throw new PullError('NO_DATABASE', `cannot connect to the database of --to: ${message || code}`)
  })
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK])
  if (!rows[0]?.locked) {
    await client.end()
    throw new PullError('IN_USE', 'another pull is writing to this database')
  }
  return {
    async run(sql, values = []) {
      let number = 0
      const numbered = sql.replace(/\?/g, () => `$${++number}`)
      const { rows } = await client.query(numbered, [...values]).catch(error => {
        if (/^(?!08|57P)[0-9A-Z]{5}$/.test(error.code)) throw error
        throw new PullError(
          'NO_DATABASE',
          'the connection to the database of --to broke: pull again, which goes on from there',
        )
      })
      return rows
    },
    close: () => client.end(),
  }
}

/** The parts of better-sqlite3 and node:sqlite that are the same. */
interface SqliteDatabase {
  prepare(sql: string): { run(...values: unknown[]): unknown; all(...values: unknown[]): Record<string, unknown>[] }
  close(): void
}

export async function connectSqlite(file: string): Promise<SqlConnection> {
  const builtIn = loadOptional<{ DatabaseSync: new (file: string) => SqliteDatabase }>('node:sqlite')
  const Database = builtIn?.DatabaseSync ?? loadOptional<new (file: string) => SqliteDatabase>('better-sqlite3')
  if (!Database) throw missing('SQLite', 'Node.js 22.13 or later, or the package better-sqlite3', 'better-sqlite3')
  const database = new Database(file)
  return {
    async run(sql, values = []) {
      const given = values.map(value => (typeof value === 'boolean' ? Number(value) : value))
      const statement = database.prepare(sql)
      if (sql.startsWith('SELECT')) return statement.all(...given)
      statement.run(...given)
      return []
    },
    close: async () => database.close(),
  }
}

interface DuckDb {
  DuckDBInstance: {
    create(file: string): Promise<{ connect(): Promise<DuckDbConnection>; closeSync(): void }>
  }
}

interface DuckDbConnection {
  runAndReadAll(sql: string, values: Value[]): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>
  closeSync(): void
}

export async function connectDuckDb(file: string): Promise<SqlConnection> {
  const duckDb = loadOptional<DuckDb>('@duckdb/node-api')
  if (!duckDb) throw missing('DuckDB', 'the package @duckdb/node-api', '@duckdb/node-api')
  const instance = await duckDb.DuckDBInstance.create(file)
  const connection = await instance.connect()
  return {
    run: async (sql, values = []) => (await connection.runAndReadAll(sql, [...values])).getRowObjectsJson(),
    async close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Loads a module of Node, or a package that is installed beside this one or in the working directory. */
function loadOptional<Module>(name: string): Module | undefined {
  try {
    return require(require.resolve(name, { paths: [__dirname, process.cwd()] }))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'].includes(code)) return undefined
    throw error
  }
}

const missing = (database: string, needed: string, name: string): PullError =>
  new PullError('NOT_INSTALLED', `a copy in ${database} needs ${needed}: npm install ${name}`)
