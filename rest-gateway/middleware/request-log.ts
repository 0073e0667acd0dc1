/** By what a request is found again: its id, the trace that it belongs to, and its line in the log. */
import { randomUUID } from 'node:crypto'
import type { Context, Next } from 'koa'
import type { Gateway } from '../gateway'

/**
 * Gives each request an id, the caller's own where it is harmless, counts it, and writes one line about it to the log, with the trace
 * that the caller says it belongs to (W3C Trace Context).
 */
export function identify({ environment, log, metrics, isStopping }: Gateway) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const began = performance.now()
    metrics.began()
    const given = ctx.get('X-Request-Id')
    ctx.state.requestId = HARMLESS.test(given) ? given : randomUUID()
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId)
    await next()
    if (isStopping()) ctx.set('Connection', 'close')
    const ms = performance.now() - began
    const { requestId, operation, graphqlOperation, keyId, errorCode, databaseMs, shed = false } = ctx.state
    metrics.answered({ operation, status: ctx.status, code: errorCode, ms, shed })
    if (environment === 'dev') ctx.set('Server-Timing', serverTiming({ db: databaseMs, total: ms }))
    log.info(
      {
        request_id: requestId,
        ...traceOf(ctx.get('traceparent')),
        method: ctx.method,
        operation,
        graphql_operation: graphqlOperation,
        key_id: keyId,
        status: ctx.status,
        code: errorCode,
        ms: rounded(ms),
      },
      'request',
    )
  }
}

/** What of a caller goes into our logs and headers as it is. */
const HARMLESS = /^[A-Za-z0-9._:/+=@-]{1,128}$/

const rounded = (ms: number): number => Math.round(ms * 10) / 10

const serverTiming = (durations: Record<string, number | undefined>): string =>
  Object.entries(durations)
    .filter(([, ms]) => ms !== undefined)
    .map(([name, ms]) => `${name};dur=${rounded(ms as number)}`)
    .join(', ')

/** What a traceparent header names; nothing where it is none. A version to come may have more behind the flags. */
function traceOf(header: string): Record<string, string> {
  const [, version, trace = '', parent = '', more] = TRACEPARENT.exec(header) ?? []
  const proper = version !== 'ff' && !(version === '00' && more) && /[^0]/.test(trace) && /[^0]/.test(parent)
  return proper ? { trace_id: trace, parent_id: parent } : {}
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
