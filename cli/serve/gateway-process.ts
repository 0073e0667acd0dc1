/** What one process serves: the gateway over its pools, and the order in which they end. */
import { setFlagsFromString } from 'node:v8'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { endPool, openPool } from '../../db/postgres/pool'
import { ReaderPool } from '../../db/postgres/scoped-reader'
import { LegacyCalls } from '../../db/queries/legacy-calls'
import { schema } from '../../resolvers/schema'
import { FairScheduler } from '../../rest-gateway/admission/fair-scheduler'
import { Tarpit } from '../../rest-gateway/admission/tarpit'
import { RateLimits } from '../../rest-gateway/auth/rate-limits'
import { release } from '../../rest-gateway/conditional/release'
import { warmUp } from '../../rest-gateway/graphql/warm-up'
import { Cursors } from '../../rest-gateway/routes/cursors'
import { createGatewayServer } from '../../rest-gateway/server'
import type { Settings } from '../settings'
import { shutdownSignal } from '../shutdown'
import { ServiceMetrics } from './metrics'

/**
 * By how much the heap may grow behind a collection before all of it is looked through again, in percent of what was left.
 * That is little, some 30 MB, and answers of hundreds of kilobytes count as growth: by V8's own measure a crowd that asks for
 * them had it looked through four times a second, for 10 to 40 ms each, in which everybody waited.
 */
const HEAP_GROWTH = 300

/** What all processes of a service work with. */
export interface Shared {
  readerUrl: string
  writerUrl: string
  cursorSecret: Buffer
}

/** What serves, in one process or in several. */
export interface Service {
  /** Returns where it listens: `http://HOST:PORT`. @throws OperatorFault when it does not come to that */
  open(): Promise<string>
  /** All that was counted. */
  gather(): Promise<Registry>
  /** Accepts nothing more and finishes what was accepted. */
  close(): Promise<void>
}

/** How what was started ends; the last comes first. */
export type Cleanup = (() => Promise<unknown>)[]

/**
 * Makes the server of this process, and what it works with.
 *
 * @param counter counts how often keys ask; undefined where no other process has to know
 */
export function prepareServer(
  settings: Settings,
  shared: Shared,
  log: Logger,
  undo: Cleanup,
  counter?: RateLimiterAbstract,
) {
  const { environment, connectTimeoutMs, statementTimeoutMs, poolSize, rateLimit } = settings
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`)
  const writer = openPool(shared.writerUrl, { max: 1, connectionTimeoutMillis: connectTimeoutMs })
  const database = new ReaderPool(shared.readerUrl, { connections: poolSize, statementTimeoutMs, connectTimeoutMs })
  const legacyCalls = new LegacyCalls(writer, log)
  const scheduler = new FairScheduler(poolSize, connectTimeoutMs)
  const metrics = new ServiceMetrics(database, scheduler)
  undo.push(
    () => endPool(writer),
    () => database.close(),
    () => legacyCalls.close(),
  )
  void warmUp(schema)
  const server = createGatewayServer({
    environment,
    release: release(),
    database,
    cursors: new Cursors(shared.cursorSecret, environment),
    rates: new RateLimits({ requests: rateLimit, seconds: settings.rateWindowSeconds }, counter),
    legacyCalls,
    log,
    metrics,
    limits: settings,
    scheduler,
    tarpit: new Tarpit(),
    origins: settings.corsOrigins,
    partnerGa: settings.partnerGaDate?.getTime(),
    now: Date.now,
    // Sooner they would connect anew, only to be cut. A worker's server never listens: the primary does.
    isStopping: () => shutdownSignal.aborted && !server.listening,
  })
  return { server, metrics }
}
