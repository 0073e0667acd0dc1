/** `partner-metrics serve`: joins everything, and takes it apart in good order when it is asked to end. */
import type { Command } from 'commander'
import type { Logger } from 'pino'
import { Reader } from '../db/connection'
import { LegacyCalls } from '../db/legacy-calls'
import { endPool, openPool, withPool } from '../db/pools'
import { readCursorSecret } from '../db/service'
import { Cursors } from '../rest-gateway/cursors'
import type { Gateway } from '../rest-gateway/gateway'
import { Rates } from '../rest-gateway/rates'
import { release } from '../rest-gateway/release'
import { createGatewayServer } from '../rest-gateway/server'
import { createAdminServer } from './admin'
import { type Database, openDatabase } from './database'
import { prepareDemo } from './demo'
import { tellExample } from './demo/telling'
import { interruption, isAskedFor, outliveRejections, unlessInterrupted, untilInterrupted } from './interruption'
import { closeServer, listen } from './listening'
import { openLog } from './log'
import { checkLogins } from './logins'
import { ServiceMetrics } from './metrics'
import { tell } from './output'
import { readSettings, type Settings } from './settings'

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('serve the interfaces over HTTP, until SIGINT or SIGTERM')
    .action(() => serve(readSettings(process.env)))
}

type Undo = () => Promise<unknown>

async function serve(settings: Settings): Promise<void> {
  const log = openLog(settings.logLevel)
  outliveRejections(fault => log.error({ err: fault }, 'a promise failed that nobody waited for'))
  const database = await openDatabase(settings)
  const undo: Undo[] = [database.leave]
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
async function start(settings: Settings, database: Database, log: Logger, undo: Undo[]): Promise<void> {
  await checkLogins(settings, database)
  const demo = await prepareDemo(settings, database)
  const config = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  const secret = await withPool(database.ownerUrl, config, readCursorSecret)
  const writer = openPool(database.writerUrl, config)
  undo.push(() => endPool(writer))
  const { gateway, metrics } = prepare(settings, database, secret, new LegacyCalls(writer, log), log)
  undo.push(
    () => gateway.reader.close(),
    () => gateway.legacyCalls.close(),
  )
  interruption.throwIfAborted()

  const admin = createAdminServer(async () => metrics.registry)
  undo.push(() => closeServer(admin, 0))
  const adminUrl = await listen(admin, settings.host, settings.adminPort, 'ADMIN_PORT')

  const server = createGatewayServer(gateway)
  undo.push(() => closeServer(server, settings.shutdownTimeoutMs))
  const url = await listen(server, settings.host, settings.port, 'PORT')

  log.info({ url, metrics: `${adminUrl}/metrics`, environment: settings.environment }, 'started')
  process.stdout.write(`listening on ${url}\n`)
  if (demo) tell(false, demo, tellExample(demo, url))
}

/** What the gateway works with. */
function prepare(settings: Settings, { readerUrl }: Database, secret: Buffer, legacyCalls: LegacyCalls, log: Logger) {
  const { environment, connectTimeoutMs, statementTimeoutMs, poolSize, rateLimit } = settings
  const reader = new Reader(readerUrl, { connections: poolSize, statementTimeoutMs, connectTimeoutMs })
  const metrics = new ServiceMetrics(reader)
  const gateway: Gateway = {
    environment,
    release: release(),
    reader,
    cursors: new Cursors(secret, environment),
    rates: new Rates({ requests: rateLimit, seconds: settings.rateWindowSeconds }),
    legacyCalls,
    log,
    metrics,
    limits: settings,
    origins: settings.corsOrigins,
    partnerGa: settings.partnerGaDate?.getTime(),
    now: Date.now,
  }
  return { gateway, metrics }
}
