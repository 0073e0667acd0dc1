/** Gives each request an id, counts it, and logs it with the trace it belongs to (W3C Trace Context). */
import { randomUUID } from 'node:crypto'
import type { Next } from 'koa'
import type { Logger } from 'pino'
import type { Environment } from '../../db/api-keys/key-format'
import type { KeyUses } from '../../db/api-keys/key-uses'
import type { ReadCounts } from '../../db/postgres/scoped-reader'
import { type KoaContext, Stages } from '../state'
import { findClient, type Proxies } from './proxies'

export interface CompletedRequest {
  /** Undefined where no route matched. */
  operation: string | undefined
  status: number
  /** The error code. */
  code: string | undefined
  ms: number
  /** Milliseconds by stage. */
  stages: Stages['ms']
  /** Whether the request was shed. */
  shed: boolean
  method: string
  /** The path that matched, with `{id}` for a parameter. */
  route: string | undefined
  requestId: string
  graphqlOperation: string | undefined
  keyId: string | undefined
  parent: TraceParent | undefined
  /** When the request began, as `performance.now()` counts. */
  start: number
  begun: Stages['begun']
  reads: ReadCounts
}

/** The caller's span (W3C Trace Context). */
export interface TraceParent {
  traceId: string
  spanId: string
  isSampled: boolean
}

export interface Metrics {
  requestStarted(): void
  /** Called once for each request that started. */
  requestCompleted(request: CompletedRequest): void
}

export interface Traces {
  /** Called once for each request that completed. @returns the ids of its span */
  record(request: CompletedRequest): { trace_id: string; span_id: string }
}

/** The observers of requests, and what they need. */
export interface Observers {
  environment: Environment
  limits: { proxies: Proxies }
  log: Logger
  metrics: Metrics
  /** Undefined unless traces are exported. */
  traces?: Traces | undefined
  keyUses: KeyUses
  /** Returns whether the service is shutting down: responses then close their connections. */
  isStopping(): boolean
  /** Returns the time, in milliseconds since 1970. */
  now(): number
}

export function requestLog({ environment, keyUses, limits, log, metrics, traces, isStopping, now }: Observers) {
  return async (ctx: KoaContext, next: Next): Promise<void> => {
    const start = performance.now()
    metrics.requestStarted()
    const clientId = ctx.get('X-Request-Id')
    const stages = new Stages()
    const reads = { batches: 0, rows: 0, waitedMs: 0 }
    ctx.state.stages = stages
    ctx.state.reads = reads
    ctx.state.requestId = SAFE_ID.test(clientId) ? clientId : randomUUID()
    ctx.set({ 'X-Request-Id': ctx.state.requestId, ...SECURITY_HEADERS })
    await next()
    if (isStopping()) ctx.set('Connection', 'close')
    stages.end()
    const ms = performance.now() - start
    const { requestId, operation, route, graphqlOperation, tool, key, errorCode, reason, shed = false } = ctx.state
    const keyId = key?.id
    const { method, status } = ctx
    const parent = parseTraceparent(ctx.get('traceparent'))
    const completed: CompletedRequest = {
      ...{ requestId, method, operation, route, graphqlOperation, keyId, status, code: errorCode, shed },
      ...{ parent, start, ms, stages: stages.ms, begun: stages.begun, reads },
    }
    if (keyId !== undefined) keyUses.record(keyId, now())
    metrics.requestCompleted(completed)
    const span = traces?.record(completed)
    if (environment === 'dev') ctx.set('Server-Timing', serverTiming({ ...stages.ms, total: ms }))
    log.info(
      {
        request_id: requestId,
        ...(parent && { trace_id: parent.traceId, parent_id: parent.spanId }),
        ...span,
        method,
        operation,
        graphql_operation: graphqlOperation,
        tool,
        key_id: keyId,
        // Personal data, which nothing but requests without a valid key needs.
        client: keyId === undefined ? findClient(ctx, limits.proxies) : undefined,
        status,
        code: errorCode,
        reason,
        ms: round(ms),
      },
      'request',
    )
  }
}

/** The headers of every response that prevent misuse in browsers. */
export const SECURITY_HEADERS = { 'X-Content-Type-Options': 'nosniff' }

/** Request ids that are safe to log and to send back. */
const SAFE_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

const round = (ms: number): number => Math.round(ms * 10) / 10

const serverTiming = (durations: Record<string, number>): string =>
  Object.entries(durations)
    .map(([name, ms]) => `${name};dur=${round(ms)}`)
    .join(', ')

/**
 * Returns the span in a traceparent header; undefined where it is invalid. Only versions after 00 may have further fields.
 */
function parseTraceparent(header: string): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(header) ?? []
  const isValid = version !== 'ff' && !(version === '00' && more) && /[^0]/.test(traceId) && /[^0]/.test(spanId)
  return isValid ? { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 } : undefined
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
