/** Gives each request an id, counts it, and logs it with the trace it belongs to (W3C Trace Context). */
import { randomUUID } from 'node:crypto'
import type { Next } from 'koa'
import { findClient } from '../admission/proxies'
import type { Gateway } from '../gateway'
import { Stages } from '../stages'
import type { Context } from '../state'

export function requestLog({ environment, keyUses, limits, log, metrics, isStopping, now }: Gateway) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const start = performance.now()
    metrics.requestStarted()
    const clientId = ctx.get('X-Request-Id')
    const stages = new Stages()
    ctx.state.stages = stages
    ctx.state.requestId = SAFE_ID.test(clientId) ? clientId : randomUUID()
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId)
    await next()
    if (isStopping()) ctx.set('Connection', 'close')
    stages.end()
    const ms = performance.now() - start
    const { requestId, operation, graphqlOperation, keyId, errorCode, shed = false } = ctx.state
    if (keyId !== undefined) keyUses.record(keyId, now())
    metrics.requestCompleted({ operation, status: ctx.status, code: errorCode, ms, stages: stages.ms, shed })
    if (environment === 'dev') ctx.set('Server-Timing', serverTiming({ ...stages.ms, total: ms }))
    log.info(
      {
        request_id: requestId,
        ...parseTraceparent(ctx.get('traceparent')),
        method: ctx.method,
        operation,
        graphql_operation: graphqlOperation,
        key_id: keyId,
        // Personal data, which nothing but requests without a valid key needs.
        client: keyId === undefined ? findClient(ctx, limits.proxies) : undefined,
        status: ctx.status,
        code: errorCode,
        ms: round(ms),
      },
      'request',
    )
  }
}

/** Request ids that are safe to log and to send back. */
const SAFE_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

const round = (ms: number): number => Math.round(ms * 10) / 10

const serverTiming = (durations: Record<string, number>): string =>
  Object.entries(durations)
    .map(([name, ms]) => `${name};dur=${round(ms)}`)
    .join(', ')

/**
 * Returns the ids in a traceparent header; none where it is invalid. Only versions after 00 may have further fields.
 */
function parseTraceparent(header: string): Record<string, string> {
  const [, version, trace = '', parent = '', more] = TRACEPARENT.exec(header) ?? []
  const isValid = version !== 'ff' && !(version === '00' && more) && /[^0]/.test(trace) && /[^0]/.test(parent)
  return isValid ? { trace_id: trace, parent_id: parent } : {}
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
