/** Starts the service, waits for a signal, and shuts it down in reverse order. */
import type { Logger } from 'pino'
import { withPool } from '../../db/postgres/pool'
import { readServiceState } from '../../db/queries/service'
import { type Database, openDatabase } from '../database'
import { createLogger } from '../logger'
import type { Settings } from '../settings'
import { isRegularShutdown, reportRejections, shutdownRequested, shutdownSignal, unlessShutdown } from '../shutdown'
import { createAdminServer } from './admin-server'
import { announce } from './announce'
import { checkLogins } from './check-logins'
import type { Cleanup, Service, SharedConfig } from './gateway-process'
import { closeServer, listen } from './listening'

export async function serve(settings: Settings): Promise<void> {
  const log = createLogger(settings.logLevel)
  reportRejections(error => log.error({ err: error }, 'unhandled promise rejection'))
  const database = await openDatabase(settings, { prepare: !settings.databaseUrl }).catch(error => {
    if (!isRegularShutdown()) throw error
  })
  if (!database) return
  const cleanup: Cleanup = [database.close]
  try {
    await unlessShutdown(() => start(settings, database, log, cleanup))
    await shutdownRequested()
  } catch (error) {
    if (!shutdownSignal.aborted) throw error
  } finally {
    log.info('stopping')
    for (const step of cleanup.reverse()) await step()
    log.info('stopped')
  }
  if (!isRegularShutdown()) throw shutdownSignal.reason
}

async function start(settings: Settings, database: Database, log: Logger, cleanup: Cleanup): Promise<void> {
  await checkLogins(settings, database)
  const { ownerUrl, readerUrl, writerUrl, embedded } = database
  const config = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  const { cursorSecret, hasDemo } = await withPool(ownerUrl, config, readServiceState)
  const mayLoadDemo = embedded && settings.environment === 'dev'
  // Loading the demo's modules takes time; most services need none.
  const printExample =
    hasDemo || mayLoadDemo ? await (await import('../demo/run.js')).prepareDemo(settings, database) : undefined
  shutdownSignal.throwIfAborted()

  const service = await createService(settings, { readerUrl, writerUrl, cursorSecret }, log, cleanup)
  const admin = createAdminServer(() => service.collectMetrics())
  cleanup.push(() => closeServer(admin, 0))
  const adminUrl = await listen(admin, settings.host, settings.adminPort, 'ADMIN_PORT')
  cleanup.push(() => service.stop())
  const url = await service.start()
  cleanup.push(await announce(settings, database, url, log))

  const { environment, workers } = settings
  log.info({ url, metrics: `${adminUrl}/metrics`, environment, workers }, 'started')
  process.stdout.write(`listening on ${url}\n`)
  printExample?.(url)
}

/** A primary process does not load the gateway, which its workers load. */
async function createService(
  settings: Settings,
  shared: SharedConfig,
  log: Logger,
  cleanup: Cleanup,
): Promise<Service> {
  if (settings.workers > 1) return new (await import('./workers.js')).Workers(settings, shared, log)
  const { createGatewayProcess } = await import('./gateway-process.js')
  const { server, registry } = createGatewayProcess(settings, shared, log, cleanup)
  return {
    start: () => listen(server, settings.host, settings.port, 'PORT'),
    collectMetrics: async () => registry,
    stop: () => closeServer(server, settings.shutdownTimeoutMs),
  }
}
