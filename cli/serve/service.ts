/** Starts the service, waits for a signal, and shuts it down in reverse order. */
import { createServer, type Server } from 'node:http'
import pino, { type Logger } from 'pino'
import { Registry } from 'prom-client'
import { readServer, readServiceState } from '../../db/operations/status'
import { findCondition } from '../../db/operator-error'
import { withPool } from '../../db/postgres/pool'
import { type Database, openDatabase, readerLogin } from '../database'
import type { Invocation } from '../invocation'
import { packageVersion } from '../package-directory'
import type { Settings } from '../settings'
import { isRegularShutdown, reportRejections, shutdownRequested, shutdownSignal, unlessShutdown } from '../shutdown'
import { announce } from './announce'
import { checkReader } from './check-reader'
import { type Cleanup, createGatewayProcess } from './gateway-process'
import { close, type TakenPort, takePort } from './listening'
import { DataStatus } from './metrics/data-status'

/** Further lines are lost while nobody reads stderr. */
const MAX_UNWRITTEN_BYTES = 10_000_000

/** Serves until a signal. @throws what ends it before it listens, be it a signal, and the error that ends it later */
export async function serve(invocation: Invocation, settings: Settings): Promise<void> {
  const log = createLogger(settings.logLevel)
  const cleanup: Cleanup = []
  try {
    // Before a database is created, and the demo is loaded and its keys are printed.
    const ports = await unlessShutdown(() => takePorts(settings, cleanup))
    const database = await openDatabase(invocation, settings, { prepare: !settings.databaseUrl })
    cleanup.push(database.close)
    await unlessShutdown(() => start(invocation, settings, database, ports, log, cleanup))
    await shutdownRequested()
    log.info('stopping')
  } finally {
    for (const step of cleanup.reverse()) await step()
  }
  log.info('stopped')
  if (!isRegularShutdown()) throw shutdownSignal.reason
}

type Ports = Record<'admin' | 'gateway', TakenPort>

async function takePorts({ host, adminPort, port }: Settings, cleanup: Cleanup): Promise<Ports> {
  const admin = await takePort(host, adminPort, 'ADMIN_PORT')
  cleanup.push(async () => admin.close())
  const gateway = await takePort(host, port, 'PORT')
  cleanup.push(async () => gateway.close())
  return { admin, gateway }
}

async function start(
  invocation: Invocation,
  settings: Settings,
  database: Database,
  ports: Ports,
  log: Logger,
  cleanup: Cleanup,
): Promise<void> {
  await checkReader(invocation, settings, database)
  const { ownerUrl, readerUrls, embedded } = database
  const pool = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  const { server: postgres, state } = await withPool(ownerUrl, pool, async owner => ({
    server: await readServer(owner, embedded),
    state: await readServiceState(owner),
  }))
  const { cursorSecret, hasCompanies, hasDemo, isStandby } = state
  // It registers itself, and counts legacy calls.
  if (isStandby) throw findCondition({ code: '25006' })
  const mayLoadDemo = embedded && settings.environment === 'dev' && !hasCompanies
  let printExample: ((url: string) => void) | undefined
  if (hasDemo || mayLoadDemo) {
    // Loading the demo's modules takes time; most services need none.
    const { prepareDemo } = require('./demo') as typeof import('./demo')
    printExample = await withPool(ownerUrl, { ...pool, max: 2 }, owner =>
      prepareDemo(invocation, settings, owner, hasDemo),
    )
  }
  shutdownSignal.throwIfAborted()

  const config = { ownerUrl, readerUrls, readerLogin: readerLogin(database), cursorSecret }
  const { server, registry } = createGatewayProcess(settings, config, log, cleanup)
  const dataStatus = new DataStatus(ownerUrl, settings.connectTimeoutMs, log)
  const admin = createAdminServer(() => Registry.merge([registry, dataStatus.collect()]))
  cleanup.push(
    () => dataStatus.close(),
    () => close(admin, 0),
    () => close(server, settings.shutdownTimeoutMs),
  )
  await ports.admin.pass(admin)
  await ports.gateway.pass(server)
  const { url } = ports.gateway
  // Before this, a rejection that nothing handles ends the start.
  reportRejections(error => log.error({ err: error }, 'unhandled promise rejection'))
  cleanup.push(await announce(settings, database, url, log))

  const { environment } = settings
  const version = packageVersion()
  log.info({ version, url, metrics: `${ports.admin.url}/metrics`, environment, postgres }, 'started')
  invocation.printResult({}, () => `listening on ${url}`)
  printExample?.(url)
}

/** Returns the log on stderr: lines are written in the background, several at a time under load, what is left when the process exits. */
const createLogger = (level: string): Logger =>
  pino({ level, hooks: { streamWrite: redactKeys } }, pino.destination({ dest: 2, maxLength: MAX_UNWRITTEN_BYTES }))

/** Shortens API keys that a caller put into a URL or a request id. */
const redactKeys = (line: string): string => line.replace(/(msk_(?:test|live)_)[0-9A-Za-z]+/g, '$1…')

/** Returns the server on the admin port: `/metrics` for Prometheus. @param collect returns the current metrics */
const createAdminServer = (collect: () => Registry): Server =>
  createServer(async (request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    }
    const registry = collect()
    const metrics = await registry.metrics()
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(metrics)
  })
