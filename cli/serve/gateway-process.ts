/** Creates the server of the gateway and the pools behind it. */
import type { Server } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import type { Logger } from 'pino'
import { KeyUses } from '../../db/api-keys/key-uses'
import { batchesOf } from '../../db/postgres/batch'
import { endPool, openPool } from '../../db/postgres/pool'
import { GRACE_MS, ReaderPool } from '../../db/postgres/reader-pool'
import { LegacyCalls } from '../../db/queries/legacy'
import type { SessionLogin } from '../../db/session-settings'
import { describeMethodology } from '../../resolvers/methodology'
import { Proxies } from '../../rest-gateway/edge/proxies'
import { RateLimits } from '../../rest-gateway/edge/rates'
import type { Traces } from '../../rest-gateway/edge/request-log'
import { Cursors } from '../../rest-gateway/read/cursors'
import { createGatewayServer } from '../../rest-gateway/server'
import { packageVersion } from '../package-directory'
import type { Settings } from '../settings'
import { shutdownSignal } from '../shutdown'
import { GatewayMetrics } from './metrics/metrics'

/** The logins and secrets of the database. */
interface DatabaseConfig {
  ownerUrl: string
  readerUrls: readonly string[]
  readerLogin: SessionLogin
  cursorSecret: Buffer
}

/** Steps of a shutdown, in reverse order. */
export type Cleanup = (() => Promise<unknown>)[]

/**
 * Lets memory grow to three times what was in use after the last full collection before V8 starts another one. It
 * counts the bytes of responses, which are garbage as soon as they are sent: by default, a few dozen large ones start a
 * collection.
 */
const HEAP_GROWTH = '--heap-growing-percent=200'

/** Creates the gateway. @param cleanup receives the steps that close the pools */
export function createGatewayProcess(settings: Settings, config: DatabaseConfig, log: Logger, cleanup: Cleanup) {
  setFlagsFromString(HEAP_GROWTH)
  const { environment, connectTimeoutMs, statementTimeoutMs, poolSize, rateLimit } = settings
  const readerLimits = { connections: poolSize, statementTimeoutMs, connectTimeoutMs }
  const createBatch = batchesOf(config.readerLogin)
  const database = new ReaderPool(config.readerUrls, readerLimits, createBatch, settings.maxReplicaLagMs)
  const writer = openPool(config.ownerUrl, {
    max: 1,
    connectionTimeoutMillis: connectTimeoutMs,
    // PostgreSQL ends a write before it is given up: one that ended later would be counted twice.
    query_timeout: statementTimeoutMs + GRACE_MS,
    onConnect: client =>
      client.query(
        `SET statement_timeout = ${statementTimeoutMs}; SET default_transaction_isolation = 'read committed'`,
      ),
  })
  const legacyCalls = new LegacyCalls(writer, log)
  const keyUses = new KeyUses(writer, log)
  const metrics = new GatewayMetrics(database, packageVersion())
  const traces = settings.otlpEndpoint ? createTraces(log, cleanup) : undefined
  cleanup.push(
    () => endPool(writer),
    () => database.close(),
    () => Promise.all([legacyCalls.close(), keyUses.close()]),
  )
  const server: Server = createGatewayServer({
    version: packageVersion(),
    environment,
    database,
    cursors: new Cursors(config.cursorSecret, environment),
    rates: new RateLimits({ requests: rateLimit, seconds: settings.rateWindowSeconds }),
    legacyCalls,
    keyUses,
    log,
    metrics,
    traces,
    limits: { ...settings, proxies: new Proxies(settings.trustedProxies) },
    partnerGa: settings.partnerGaDate?.getTime(),
    publicUrl: settings.publicUrl,
    supportContact: settings.supportContact,
    methodology: describeMethodology(settings.statement),
    now: Date.now,
    // While it still listens, clients would reconnect and be reset when it closes.
    isStopping: () => shutdownSignal.aborted && !server.listening,
  })
  return { server, registry: metrics.registry }
}

function createTraces(log: Logger, cleanup: Cleanup): Traces {
  const { RequestTraces } = require('./request-traces') as typeof import('./request-traces')
  const traces = new RequestTraces(log)
  cleanup.push(() => traces.close())
  return traces
}
