/** Connections to the databases that a copy can be kept in. The packages of SQLite and DuckDB are those of the user. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readPostgresUrls } from '../../cli/postgres-url'
import { UsageError } from '../../cli/usage-error'
import { OperatorError } from '../../db/operator-error'
import { openPool } from '../../db/postgres/pool'
import type { SqlConnection } from './sql-store'
import type { Value } from './tables'

/** The advisory lock of a copy. */
const LOCK = 7_205_461

const CONNECT_TIMEOUT_MS = 10_000

export async function connectPostgres(text: string): Promise<SqlConnection> {
  const read = readPostgresUrls(text.replace(/^postgres:(?=postgres)/, ''))
  if ('expected' in read) throw new UsageError('USAGE', `--to must be ${read.expected}`)
  const pool = openPool(read.urls[0]!, { max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  const client = await pool.connect()
  const close = async () => {
    client.release(true)
    await pool.end()
  }
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK])
  if (!rows[0]?.locked) {
    await close()
    throw new OperatorError('IN_USE', 'another pull is writing to this database')
  }
  return {
    types: {
      ...{ text: 'text', integer: 'bigint', number: 'double precision', boolean: 'boolean' },
      ...{ date: 'date', time: 'timestamptz' },
    },
    async run(sql, values = []) {
      let number = 0
      const { rows } = await client.query(
        sql.replace(/\?/g, () => `$${++number}`),
        [...values],
      )
      return rows
    },
    close,
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
  const toSqlite = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)
  return {
    types: {
      ...{ text: 'TEXT', integer: 'INTEGER', number: 'REAL', boolean: 'INTEGER' },
      ...{ date: 'TEXT', time: 'TEXT' },
    },
    async run(sql, values = []) {
      const statement = database.prepare(sql)
      if (sql.startsWith('SELECT')) return statement.all(...values.map(toSqlite))
      statement.run(...values.map(toSqlite))
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
    types: {
      ...{ text: 'VARCHAR', integer: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN' },
      ...{ date: 'DATE', time: 'TIMESTAMPTZ' },
    },
    run: async (sql, values = []) => (await connection.runAndReadAll(sql, [...values])).getRowObjectsJson(),
    async close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Loads a module of Node, or a package that is installed beside this one or in the working directory. */
function loadOptional<Module>(name: string): Module | undefined {
  for (const load of [require, createRequire(join(process.cwd(), 'package.json'))]) {
    try {
      return load(name)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
    }
  }
  return undefined
}

const missing = (database: string, needed: string, name: string): OperatorError =>
  new OperatorError('NOT_INSTALLED', `a copy in ${database} needs ${needed}: npm install ${name}`)
