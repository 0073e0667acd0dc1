/** Waits until a change of a key is effective on every host from which the service reads. */
import { setTimeout as sleep } from 'node:timers/promises'
import { hasReplayed, readWrittenPosition } from '../../db/operations/replicas'
import { type Pool, withPool } from '../../db/postgres/pool'
import type { Database } from '../database'
import type { Settings } from '../settings'

const INTERVAL_MS = 50

/**
 * Waits until the hosts have replayed what was committed so far, for as long as a service may read on a host that has not, and
 * the time of a connection. Never fails: the change is committed.
 *
 * @returns the hosts that have not, as host and port
 */
export async function awaitReplicas(
  owner: Pool,
  { readerUrls }: Pick<Database, 'readerUrls'>,
  { connectTimeoutMs, maxReplicaLagMs }: Settings,
): Promise<string[]> {
  if (readerUrls.length === 1) return []
  const deadline = performance.now() + maxReplicaLagMs + connectTimeoutMs
  const timeLeft = () => Math.max(1, deadline - performance.now())
  const names = readerUrls.map(url => new URL(url).host)
  const position = await readWrittenPosition(owner).catch(() => undefined)
  if (position === undefined) return names
  const replayed = await Promise.all(
    readerUrls.map(async url => {
      while (performance.now() < deadline) {
        const config = { max: 1, connectionTimeoutMillis: timeLeft(), query_timeout: timeLeft() }
        const isDone = await withPool(url, config, async reader => {
          while (!(await hasReplayed(reader, position))) {
            if (timeLeft() <= INTERVAL_MS) return false
            await sleep(INTERVAL_MS)
          }
          return true
        }).catch(() => false)
        if (isDone) return true
        await sleep(Math.min(INTERVAL_MS, timeLeft()))
      }
      return false
    }),
  )
  return names.filter((_, i) => !replayed[i])
}

/** Describes hosts that have not replayed a change; undefined if there are none. */
export function describeLag(hosts: readonly string[], { maxReplicaLagMs }: Settings): string | undefined {
  if (hosts.length === 0) return undefined
  return `warning: the change has not reached ${hosts.join(' and ')}. Services do not read there once they have known of the change for MAX_REPLICA_LAG (${maxReplicaLagMs} ms)`
}
