/** What one process serves: the gateway over its pools, and the order in which they end. */
import { setFlagsFromString } from 'node:v8'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { Reader } from '../../db/connection'
import { LegacyCalls } from '../../db/legacy-calls'
import { endPool, openPool } from '../../db/pools'
import { schema } from '../../resolvers'
import { Cursors } from '../../rest-gateway/cursors'
import { Rates } from '../../rest-gateway/rates'
import { release } from '../../rest-gateway/release'
import { createGatewayServer } from '../../rest-gateway/server'
import { Tarpit } from '../../rest-gateway/tarpit'
import { Turns } from '../../rest-gateway/turns'
import { warmUp } from '../../rest-gateway/warm-up'
import { interruption } from '../interruption'
import type { Settings } from '../settings'
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
export type Undo = (() => Promise<unknown>)[]

/**
 * Makes the server of this process, and what it works with.
 *
 * @param counter counts how often keys ask; undefined where no other process has to know
 */
export function prepareServer(
  settings: Settings,
  shared: Shared,
  log: Logger,
  undo: Undo,
  counter?: RateLimiterAbstract,
) {
  const { environment, connectTimeoutMs, statementTimeoutMs, poolSize, rateLimit } = settings
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`)
  const writer = openPool(shared.writerUrl, { max: 1, connectionTimeoutMillis: connectTimeoutMs })
  const reader = new Reader(shared.readerUrl, { connections: poolSize, statementTimeoutMs, connectTimeoutMs })
  const legacyCalls = new LegacyCalls(writer, log)
  const turns = new Turns(poolSize, connectTimeoutMs)
  const metrics = new ServiceMetrics(reader, turns)
  undo.push(
    () => endPool(writer),
    () => reader.close(),
    () => legacyCalls.close(),
  )
  void warmUp(schema)
  const server = createGatewayServer({
    environment,
    release: release(),
    reader,
    cursors: new Cursors(shared.cursorSecret, environment),
    rates: new Rates({ requests: rateLimit, seconds: settings.rateWindowSeconds }, counter),
    legacyCalls,
    log,
    metrics,
    limits: settings,
    turns,
    tarpit: new Tarpit(),
    origins: settings.corsOrigins,
    partnerGa: settings.partnerGaDate?.getTime(),
    now: Date.now,
    // Sooner they would connect anew, only to be cut. A worker's server never listens: the primary does.
    isStopping: () => interruption.aborted && !server.listening,
  })
  return { server, metrics }
}
