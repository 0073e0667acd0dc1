/** Registers the running service in the database, so that `partner-metrics status` finds it. */
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import {
  REPORT_INTERVAL_MS,
  registerService,
  reportRunning,
  unregisterService,
} from '../../db/operations/service-processes'
import { withPool } from '../../db/postgres/pool'
import { readOutdatedZones, updateDue } from '../../db/zones/compare-rules'
import type { Database } from '../database'
import { packageVersion } from '../package-directory'
import type { Settings } from '../settings'

/** The interval of the attempts to register. */
const RETRY_INTERVAL_MS = 2_000

/**
 * Registers the service, and reports from time to time that it is running. Registers it again where a failover or a
 * restored backup has lost the registration. Logs that time zone rules are outdated.
 *
 * @returns a function that stops the reports and removes the registration
 */
export async function announce(
  settings: Settings,
  database: Database,
  url: string,
  log: Logger,
): Promise<() => Promise<void>> {
  const config = {
    max: 1,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    query_timeout: settings.statementTimeoutMs,
  }
  const { ownerUrl } = database
  const service = { host: hostname(), pid: process.pid, url, version: packageVersion() }
  /** Undefined until the first registration. */
  let id: string | undefined
  let isFailing = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const report = () =>
    withPool(ownerUrl, config, async owner => {
      if (id !== undefined && (await reportRunning(owner, id))) return
      id = await registerService(owner, service)
      const outdated = await readOutdatedZones(owner)
      if (outdated.length > 0) log.warn(updateDue(outdated))
    })

  async function repeat(): Promise<void> {
    try {
      await report()
      isFailing = false
    } catch (error) {
      if (!isFailing)
        log.warn({ err: error }, 'the service could not be registered for the command status; trying again')
      isFailing = true
    }
    if (isStopped) return
    timer = setTimeout(
      () => {
        reporting = repeat()
      },
      isFailing ? RETRY_INTERVAL_MS : REPORT_INTERVAL_MS,
    ).unref()
  }
  let reporting = repeat()
  await reporting
  return async () => {
    isStopped = true
    clearTimeout(timer)
    // It may register.
    await reporting
    const registered = id
    if (registered === undefined) return
    await withPool(ownerUrl, config, owner => unregisterService(owner, registered)).catch(error =>
      log.warn({ err: error }, 'the registration of the service could not be removed'),
    )
  }
}
