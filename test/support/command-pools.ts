/**
 * The connections of commands that run in the process of a test. They are kept for the next command on the same database: a new session
 * plans every statement of a commit again, which takes PostgreSQL longer than to run them. This module is loaded once for each Jest worker.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import pg, { type Pool, type PoolClient, type PoolConfig } from 'pg'

const commands = new AsyncLocalStorage<true>()

/** Runs a command, whose pools share connections with those of earlier ones. */
export const withSharedConnections = <Result>(run: () => Promise<Result>): Promise<Result> => commands.run(true, run)

const RealPool = pg.Pool

/** The pools of databases, by address, as soon as a command needs one. To others, commands connect as they do outside of tests. */
const shared = new Map<string, Pool | undefined>()

/** Returns a URL without its options, to which commands add some. */
const addressIn = (url: string): string => url.replace(/\?.*/, '')

/** Lets commands share connections to a database until they are closed. */
export const openShared = (url: string): void => void shared.set(addressIn(url), undefined)

export async function closeShared(url: string): Promise<void> {
  const pool = shared.get(addressIn(url))
  shared.delete(addressIn(url))
  await pool?.end()
}

function findShared(config: PoolConfig): Pool | undefined {
  const { connectionString: url = '', application_name: _, ...others } = config
  const address = addressIn(url)
  if (!commands.getStore() || !shared.has(address)) return undefined
  const known = shared.get(address)
  if (known) return known
  const pool = new RealPool({ ...others, connectionString: url, max: 20, idleTimeoutMillis: 0, allowExitOnIdle: true })
  pool.on('error', () => {}).on('connect', client => client.on('error', () => {}))
  shared.set(address, pool)
  return pool
}

/** Clears what a session keeps after its transactions, and reports what it has read (`test/db/growth`). */
const RESET = 'RESET ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP; SELECT pg_stat_force_next_flush()'

/** A pool of one command. */
class CommandPool extends EventEmitter {
  private readonly resets: Promise<unknown>[] = []

  constructor(
    private readonly pool: Pool,
    readonly options: PoolConfig,
  ) {
    super()
  }

  async connect(): Promise<PoolClient> {
    const client = await this.pool.connect()
    await client.query(`SELECT set_config('application_name', $1, false)`, [this.options.application_name ?? ''])
    const release = client.release.bind(client)
    client.release = destroy => {
      if (destroy) release(destroy)
      else this.resets.push(client.query(RESET).then(() => release(), release))
    }
    return client
  }

  async query(...statement: Parameters<PoolClient['query']>): Promise<unknown> {
    const client = await this.connect()
    try {
      return await client.query(...statement)
    } finally {
      client.release()
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.resets)
  }
}

pg.Pool = new Proxy(RealPool, {
  construct(_, [config]: [PoolConfig]) {
    const pool = findShared(config)
    return pool ? new CommandPool(pool, config) : new RealPool(config)
  },
})
