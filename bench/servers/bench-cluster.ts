/** The PostgreSQL of the measurements: the embedded one, in a directory of its own that is removed afterwards. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { openEmbedded } from '../../db/embedded/embedded-cluster'
import { grantLogins } from '../../db/logins'
import { migrate } from '../../db/migrations/migrate'

export interface Database {
  ownerUrl: string
  readerUrl: string
  writerUrl: string
}

export class Server {
  private constructor(
    private readonly urls: Database,
    /** Process id of the postmaster. */
    readonly pid: number,
    readonly version: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** Starts with the embedded settings, except that it need not survive a power cut unless `durable`. */
  static async start(durable = false): Promise<Server> {
    const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-bench-'))
    chmodSync(directory, 0o755)
    const settings = durable ? {} : { fsync: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: 0 }
    const { leave, ...urls } = await openEmbedded({ dataDir: join(directory, 'data'), settings })
    const stop = async () => {
      await leave()
      rmSync(directory, { recursive: true, force: true })
    }
    try {
      const [{ pid, version }] = await ask<{ pid: number; version: string }>(
        urls.ownerUrl,
        `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid, current_setting('server_version') AS version`,
      )
      return new Server(urls, Number(pid), version, stop)
    } catch (error) {
      await stop()
      throw error
    }
  }

  /** A new database, migrated and empty. */
  async create(name: string): Promise<Database> {
    await ask(this.urls.ownerUrl, `CREATE DATABASE ${name}`)
    const { ownerUrl, readerUrl, writerUrl } = this.urls
    const [owner, reader, writer] = [ownerUrl, readerUrl, writerUrl].map(url => within(url, name)) as [
      string,
      string,
      string,
    ]
    const database = { ownerUrl: owner, readerUrl: reader, writerUrl: writer }
    await migrate(owner)
    await grantLogins(owner, { reader: new URL(reader).username, writer: new URL(writer).username })
    return database
  }

  async drop(name: string): Promise<void> {
    await ask(this.urls.ownerUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}

/** The rows of one statement on a connection of its own. */
export async function ask<Row extends object>(url: string, text: string): Promise<[Row, ...Row[]]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows as [Row, ...Row[]]
  } finally {
    await client.end()
  }
}

function within(url: string, database: string): string {
  const there = new URL(url)
  there.pathname = database
  return there.href
}
