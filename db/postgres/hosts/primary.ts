/** The primary of several hosts, for logins that write: each is configured with one host, and follows a failover to another. */
import type { PoolConfig } from 'pg'
import { ConnectionError } from '../errors'
import { endPool, openPool, type Pool, withPool } from '../pool'
import type { ReaderPool } from '../reader-pool'
import { destroySocket, readHostState } from './host'
import { hostOf, moveToHost } from './host-urls'

const CHECK_INTERVAL_MS = 500

/**
 * Runs `work` on the primary, for which all hosts are asked.
 *
 * @param urls of one login on each host
 * @throws ConnectionError when there are several hosts, and none that answers is a primary
 */
export async function withPrimary<Result>(
  urls: readonly string[],
  config: PoolConfig,
  work: (pool: Pool, url: string) => Promise<Result>,
): Promise<Result> {
  const url = await findPrimary(urls, config)
  if (url === undefined) throw new ConnectionError('UNAVAILABLE', {}, 'none of the hosts that answer is a primary')
  return withPool(url, config, pool => work(pool, url))
}

/**
 * Returns the URL of the primary; undefined when there are several hosts, and none that answers is a primary. A failover begins a
 * timeline: primaries of earlier ones were replaced.
 */
export async function findPrimary(urls: readonly string[], config: PoolConfig): Promise<string | undefined> {
  if (urls.length === 1) return urls[0]
  const asking = { ...config, max: 1, query_timeout: config.connectionTimeoutMillis }
  const timelines = await Promise.all(
    urls.map(async url => {
      const answer = await withPool(url, asking, readHostState).catch(() => undefined)
      return answer?.timeline ?? 0
    }),
  )
  const latest = Math.max(...timelines)
  return latest === 0 ? undefined : urls[timelines.indexOf(latest)]
}

/**
 * Connections of a login that writes. They follow the primary that the readers know, if the host of the URL is one of theirs; any
 * other address is used as it is.
 */
export class PrimaryPool {
  private readonly pools = new Map<string, Pool>()

  constructor(
    private readonly url: string,
    private readonly config: PoolConfig,
    private readonly readers: Pick<ReaderPool, 'primary' | 'reports'>,
  ) {}

  async query(text: string, values: unknown[]): Promise<unknown> {
    const url = this.locate()
    const pool = this.pools.get(url) ?? openPool(url, this.config)
    this.pools.set(url, pool)
    const client = await pool.connect()
    // A former primary that has become silent would hold back what its successor can store.
    const watch = setInterval(() => {
      if (this.locate() !== url) destroySocket(client)
    }, CHECK_INTERVAL_MS)
    let failed = true
    try {
      const result = await client.query(text, values)
      failed = false
      return result
    } finally {
      clearInterval(watch)
      client.release(failed)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map(endPool))
  }

  private locate(): string {
    const { primary, reports } = this.readers
    const own = hostOf(this.url)
    const isHost = reports.some(({ name }) => hostOf(`postgres://${name}`) === own)
    return primary !== undefined && isHost ? moveToHost(this.url, `postgres://${primary}`) : this.url
  }
}
