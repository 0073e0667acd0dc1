/** Checks the hosts from which the service reads, where there are several, and warns of settings that do not suit a replica. */

import { readReplicaSettings } from '../../db/operations/replicas'
import { withPool } from '../../db/postgres/pool'
import type { Database } from '../database'
import type { Invocation } from '../invocation'
import type { Settings } from '../settings'

/** Prints a warning for each host that does not answer, and for each setting that makes reads fail or lag. */
export async function checkReplicas(
  { printMessage }: Invocation,
  { connectTimeoutMs, maxReplicaLagMs }: Settings,
  { readerUrls }: Database,
): Promise<void> {
  if (readerUrls.length === 1) return
  const config = { max: 1, connectionTimeoutMillis: connectTimeoutMs, query_timeout: connectTimeoutMs }
  const checked = await Promise.all(
    readerUrls.map(async url => {
      const { host } = new URL(url)
      const warn = (text: string) => printMessage(`warning: READER_DATABASE_URL: ${host} ${text}`)
      try {
        const settings = await withPool(url, config, readReplicaSettings)
        if (!settings.isStandby) return 'primary'
        if (!settings.hasFeedback) {
          warn('has hot_standby_feedback=off: set it to on, or the primary may remove rows that are being read there')
        }
        if (settings.maxDelayMs < 0 || settings.maxDelayMs >= maxReplicaLagMs) {
          const value = settings.maxDelayMs < 0 ? 'without a limit' : `of ${settings.maxDelayMs} ms`
          warn(
            `has a max_standby_streaming_delay ${value}: set it below MAX_REPLICA_LAG (${maxReplicaLagMs} ms), or reads hold back the replay of changes, and the host is left until it has caught up`,
          )
        }
        return 'standby'
      } catch (error) {
        const { message, code } = error as { message?: string; code?: string }
        warn(`does not answer: ${message || code}`)
        return 'away'
      }
    }),
  )
  if (!checked.includes('primary') && !checked.includes('away')) {
    printMessage(
      'warning: READER_DATABASE_URL: none of the hosts is the primary, from which the feed of changes is read',
    )
  }
}
