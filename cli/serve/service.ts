/** Starts the service, waits for a signal, and shuts it down in reverse order. */
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { withAnyPool } from '../../db/postgres/pool'
import { readServiceState } from '../../db/queries/service'
import { type Database, openDatabase, ownerUrls, readerLogin } from '../database'
import type { Invocation } from '../invocation'
import type { Settings } from '../settings'
import { isRegularShutdown, reportRejections, shutdownRequested, shutdownSignal, unlessShutdown } from '../shutdown'
import { describeAddresses } from './addresses'
import { announce } from './announce'
import { checkLogins, checkSessions } from './check-logins'
import { checkReplicas } from './check-replicas'
import { type Cleanup, createGatewayProcess } from './gateway-process'
import { Listener } from './listener'
import { listen } from './listening'
import { createLogger } from './logger'
import { AdminServer } from './metrics/admin-server'
import { DataStatus } from './metrics/data-status'
import { warnOfOpenFiles } from './open-files'
import { watchEventLoop } from './watchdog'

/** The sockets of the service, which are opened first: a port in use is found before anything else is done. */
interface Ports {
  listener: Listener
  url: string
  admin: AdminServer
  adminUrl: string
}

/** Serves until a signal. @throws what ends it before it listens, be it a signal, and the error that ends it later */
export async function serve(invocation: Invocation, settings: Settings): Promise<void> {
  const log = createLogger(settings.logLevel)
  const ports = await unlessShutdown(() => openPorts(settings))
  warnOfOpenFiles(log, settings)
  const database = await openDatabase(invocation, settings, { prepare: !settings.databaseUrl, anyHost: true })
  const cleanup: Cleanup = [database.close]
  try {
    await unlessShutdown(() => start(invocation, settings, ports, database, log, cleanup))
    await shutdownRequested()
  } finally {
    log.info('stopping')
    for (const step of cleanup.reverse()) await step()
    log.info('stopped')
  }
  if (!isRegularShutdown()) throw shutdownSignal.reason
}

/** @throws OperatorError CANNOT_LISTEN */
async function openPorts(settings: Settings): Promise<Ports> {
  const admin = new AdminServer()
  const adminUrl = await listen(admin.server, settings.host, settings.adminPort, 'ADMIN_PORT')
  return { ...(await Listener.open(settings)), admin, adminUrl }
}

async function start(
  invocation: Invocation,
  settings: Settings,
  { listener, url, admin, adminUrl }: Ports,
  database: Database,
  log: Logger,
  cleanup: Cleanup,
): Promise<void> {
  await checkLogins(invocation, settings, database)
  await checkSessions(settings, database)
  await checkReplicas(invocation, settings, database)
  const { readerUrls, writerUrl, embedded } = database
  const pool = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  const { cursorSecret, hasDemo } = await withAnyPool(ownerUrls(database), pool, readServiceState)
  const mayLoadDemo = embedded && settings.environment === 'dev'
  let printExample: ((url: string) => void) | undefined
  if (hasDemo || mayLoadDemo) {
    // Loading the demo's modules takes time; most services need none.
    const { prepareDemo } = require('../demo/run') as typeof import('../demo/run')
    printExample = await prepareDemo(invocation, settings, database)
  }
  shutdownSignal.throwIfAborted()

  const config = { readerUrls, readerLogin: readerLogin(database), writerUrl, cursorSecret }
  // While the socket still listens, clients would reconnect to it and be reset when it closes.
  const isStopping = () => shutdownSignal.aborted && !listener.isListening
  const { server, registry } = createGatewayProcess(settings, config, log, cleanup, isStopping)
  cleanup.push(
    () => admin.close(),
    () => listener.close(settings.shutdownTimeoutMs),
  )
  // Before this, a rejection that nothing handles ends the start.
  reportRejections(error => log.error({ err: error }, 'unhandled promise rejection'))
  listener.passTo(server)
  const dataStatus = new DataStatus(ownerUrls(database), settings.connectTimeoutMs, log)
  cleanup.push(() => dataStatus.close())
  admin.serve(() => Registry.merge([registry, dataStatus.collect()]))
  cleanup.push(await announce(settings, database, url, log))

  const { environment } = settings
  log.info({ url, metrics: `${adminUrl}/metrics`, environment }, 'started')
  invocation.printResult({}, () => `listening on ${url}`)
  watchEventLoop(settings.logLevel)
  printExample?.(url)
  if (environment === 'dev') invocation.printResult({}, () => describeAddresses(url))
}
