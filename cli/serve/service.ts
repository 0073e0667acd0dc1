/** The service: joins everything, and takes it apart in good order when it is asked to end. */
import type { Logger } from 'pino'
import { withPool } from '../../db/postgres/pool'
import { readServiceState } from '../../db/queries/service'
import { type Database, openDatabase } from '../database'
import { createLogger } from '../logger'
import type { Settings } from '../settings'
import { isRegularShutdown, reportRejections, shutdownRequested, shutdownSignal, unlessShutdown } from '../shutdown'
import { createAdminServer } from './admin-server'
import { checkLogins } from './check-logins'
import type { Cleanup, Service, Shared } from './gateway-process'
import { closeServer, listen } from './listening'
import { Workers } from './workers'

/** Serves until it is asked to end. */
export async function serve(settings: Settings): Promise<void> {
  const log = createLogger(settings.logLevel)
  reportRejections(fault => log.error({ err: fault }, 'a promise failed that nobody waited for'))
  const database = await openDatabase(settings)
  const undo: Cleanup = [database.close]
  try {
    await unlessShutdown(() => start(settings, database, log, undo))
    await shutdownRequested()
  } catch (error) {
    if (!shutdownSignal.aborted) throw error
  } finally {
    log.info('stopping')
    for (const end of undo.reverse()) await end()
    log.info('stopped')
  }
  if (!isRegularShutdown()) throw shutdownSignal.reason
}

/** Starts all that serves; how each ends goes to `undo`. */
async function start(settings: Settings, database: Database, log: Logger, undo: Cleanup): Promise<void> {
  await checkLogins(settings, database)
  const { ownerUrl, readerUrl, writerUrl, embedded } = database
  const config = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  const { cursorSecret, hasDemo } = await withPool(ownerUrl, config, readServiceState)
  const mayLoadDemo = embedded && settings.environment === 'dev'
  // What makes the demo is loaded only where there is one, or may be.
  const tellDemo =
    hasDemo || mayLoadDemo ? await (await import('../demo/run.js')).prepareDemo(settings, database) : undefined
  shutdownSignal.throwIfAborted()

  const shared = { readerUrl, writerUrl, cursorSecret }
  const service = settings.workers === 1 ? await alone(settings, shared, log, undo) : new Workers(settings, shared, log)
  const admin = createAdminServer(() => service.gather())
  undo.push(() => closeServer(admin, 0))
  const adminUrl = await listen(admin, settings.host, settings.adminPort, 'ADMIN_PORT')
  undo.push(() => service.close())
  const url = await service.open()

  const { environment, workers } = settings
  log.info({ url, metrics: `${adminUrl}/metrics`, environment, workers }, 'started')
  process.stdout.write(`listening on ${url}\n`)
  tellDemo?.(url)
}

/** The service in this process alone. One that leaves it to workers need not load what serves. */
async function alone(settings: Settings, shared: Shared, log: Logger, undo: Cleanup): Promise<Service> {
  const { prepareServer } = await import('./gateway-process.js')
  const { server, metrics } = prepareServer(settings, shared, log, undo)
  return {
    open: () => listen(server, settings.host, settings.port, 'PORT'),
    gather: async () => metrics.registry,
    close: () => closeServer(server, settings.shutdownTimeoutMs),
  }
}
