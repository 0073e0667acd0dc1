/** The service: joins everything, and takes it apart in good order when it is asked to end. */
import type { Logger } from 'pino'
import { withPool } from '../../db/pools'
import { readCursorSecret } from '../../db/service'
import { type Database, openDatabase } from '../database'
import { prepareDemo } from '../demo/run'
import { tellExample } from '../demo/telling'
import { interruption, isAskedFor, outliveRejections, unlessInterrupted, untilInterrupted } from '../interruption'
import { openLog } from '../log'
import { checkLogins } from '../logins'
import { tell } from '../output'
import type { Settings } from '../settings'
import { createAdminServer } from './admin'
import { closeServer, listen } from './listening'
import { prepareServer, type Service, type Shared, type Undo } from './serving'
import { Workers } from './workers'

/** Serves until it is asked to end. */
export async function serve(settings: Settings): Promise<void> {
  const log = openLog(settings.logLevel)
  outliveRejections(fault => log.error({ err: fault }, 'a promise failed that nobody waited for'))
  const database = await openDatabase(settings)
  const undo: Undo = [database.leave]
  try {
    await unlessInterrupted(() => start(settings, database, log, undo))
    await untilInterrupted()
  } catch (error) {
    if (!interruption.aborted) throw error
  } finally {
    log.info('stopping')
    for (const end of undo.reverse()) await end()
    log.info('stopped')
  }
  if (!isAskedFor()) throw interruption.reason
}

/** Starts all that serves; how each ends goes to `undo`. */
async function start(settings: Settings, database: Database, log: Logger, undo: Undo): Promise<void> {
  await checkLogins(settings, database)
  const demo = await prepareDemo(settings, database)
  const { ownerUrl, readerUrl, writerUrl } = database
  const config = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  const shared = { readerUrl, writerUrl, cursorSecret: await withPool(ownerUrl, config, readCursorSecret) }
  interruption.throwIfAborted()

  const service = settings.workers === 1 ? alone(settings, shared, log, undo) : new Workers(settings, shared, log)
  const admin = createAdminServer(() => service.gather())
  undo.push(() => closeServer(admin, 0))
  const adminUrl = await listen(admin, settings.host, settings.adminPort, 'ADMIN_PORT')
  undo.push(() => service.close())
  const url = await service.open()

  const { environment, workers } = settings
  log.info({ url, metrics: `${adminUrl}/metrics`, environment, workers }, 'started')
  process.stdout.write(`listening on ${url}\n`)
  if (demo) tell(false, demo, tellExample(demo, url))
}

/** The service in this process alone. */
function alone(settings: Settings, shared: Shared, log: Logger, undo: Undo): Service {
  const { server, metrics } = prepareServer(settings, shared, log, undo)
  return {
    open: () => listen(server, settings.host, settings.port, 'PORT'),
    gather: async () => metrics.registry,
    close: () => closeServer(server, settings.shutdownTimeoutMs),
  }
}
