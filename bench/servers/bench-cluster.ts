/** The PostgreSQL server of the benchmarks: an embedded cluster in a temporary directory, removed afterwards. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { openEmbedded } from '../../db/embedded/embedded-cluster'
import { grantLogin } from '../../db/logins'
import { migrate } from '../../db/migrate/migrate'

/** The connection strings of one database. */
export interface Database {
  ownerUrl: string
  readerUrl: string
}

export class BenchCluster {
  private constructor(
    private readonly urls: Database,
    /** Process id of the postmaster. */
    readonly pid: number,
    readonly stop: () => Promise<void>,
  ) {}

  /** Starts with the embedded settings, but without flushing writes, which makes loading data faster. */
  static async start(): Promise<BenchCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-bench-'))
    chmodSync(directory, 0o755)
    const settings = { fsync: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: 0 }
    const { leave, ...urls } = await openEmbedded({ dataDir: join(directory, 'data'), create: true, settings })
    const stop = async () => {
      await leave()
      rmSync(directory, { recursive: true, force: true })
    }
    try {
      const [{ pid }] = await select<{ pid: number }>(
        urls.ownerUrl,
        `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
      )
      return new BenchCluster(urls, Number(pid), stop)
    } catch (error) {
      await stop()
      throw error
    }
  }

  /** Creates a database with the service's tables, which are empty. */
  async create(name: string): Promise<Database> {
    await select(this.urls.ownerUrl, `CREATE DATABASE ${name}`)
    const { ownerUrl, readerUrl } = this.urls
    const database = { ownerUrl: withDatabase(ownerUrl, name), readerUrl: withDatabase(readerUrl, name) }
    await migrate(database.ownerUrl)
    await grantLogin(database.ownerUrl, new URL(readerUrl).username)
    return database
  }
}

/** Runs one statement on a new connection and returns its rows. */
async function select<Row extends object>(url: string, text: string): Promise<[Row, ...Row[]]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows as [Row, ...Row[]]
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = database
  return changed.href
}
