/** Registers the running service in the database, so that `partner-metrics status` finds it. */
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import {
  REPORT_INTERVAL_MS,
  registerService,
  reportRunning,
  unregisterService,
} from '../../db/operations/service-processes'
import { endPool, openPool, withPool } from '../../db/postgres/pool'
import type { Database } from '../database'
import { packageVersion } from '../package-directory'
import type { Settings } from '../settings'

/**
 * Registers the service, and reports from time to time that it is running. It does not fail without the database.
 *
 * @returns a function that stops the reports and removes the registration
 */
export async function announce(
  settings: Settings,
  { ownerUrl, writerUrl }: Database,
  url: string,
  log: Logger,
): Promise<() => Promise<void>> {
  const config = {
    max: 1,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    query_timeout: settings.statementTimeoutMs,
  }
  const registered = await withPool(ownerUrl, config, owner =>
    registerService(owner, { host: hostname(), pid: process.pid, url, version: packageVersion() }),
  ).catch(error => log.warn({ err: error }, 'the service could not be registered for the command status'))
  if (!registered) return async () => {}
  // Reports are rare: their connection closes after each.
  const writer = openPool(writerUrl, { ...config, idleTimeoutMillis: 1_000 })
  const report = () =>
    reportRunning(writer, registered).catch(error =>
      log.warn({ err: error }, 'that the service runs could not be reported'),
    )
  const timer = setInterval(report, REPORT_INTERVAL_MS).unref()
  return async () => {
    clearInterval(timer)
    await endPool(writer)
    await withPool(ownerUrl, config, owner => unregisterService(owner, registered)).catch(error =>
      log.warn({ err: error }, 'the registration of the service could not be removed'),
    )
  }
}
