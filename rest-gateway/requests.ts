/** What every request passes first: an id, and a look at whether it is a request at all. */
import { randomUUID } from 'node:crypto'
import type { Server, Socket } from 'node:net'
import type { Context, Next } from 'koa'
import { ApiError } from '../schema/errors'
import type { Gateway } from './gateway'

/** Addresses may be so many bytes long. */
const LONGEST_ADDRESS = 8192

/** Gives each request an id, the caller's own where it is harmless, counts it, and writes one line about it to the log. */
export function identify({ log, metrics }: Gateway) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const began = performance.now()
    metrics.began()
    const given = ctx.get('X-Request-Id')
    ctx.state.requestId = /^[A-Za-z0-9._:/+=@-]{1,128}$/.test(given) ? given : randomUUID()
    ctx.set('X-Request-Id', ctx.state.requestId)
    await next()
    // A server that stops keeps no connection, and its clients had better know before they ask again.
    if ((ctx.req.socket as Socket & { server?: Server }).server?.listening === false) ctx.set('Connection', 'close')
    const { requestId, operation, graphqlOperation, keyId, errorCode, shed = false } = ctx.state
    const ms = performance.now() - began
    metrics.answered({ operation, status: ctx.status, code: errorCode, ms, shed })
    log.info(
      {
        request_id: requestId,
        method: ctx.method,
        operation,
        graphql_operation: graphqlOperation,
        key_id: keyId,
        status: ctx.status,
        code: errorCode,
        ms: Math.round(ms * 10) / 10,
      },
      'request',
    )
  }
}

/** What the caller refuses in any form is sent as it is rather than not at all. */
export async function sendAnyhow(ctx: Context, next: Next): Promise<void> {
  if (ctx.acceptsEncodings('br', 'gzip', 'identity') === false) ctx.compress = false
  await next()
}

/** @throws ApiError URI_TOO_LONG, BAD_REQUEST: what the parser of HTTP let through and nothing behind could read */
export async function refuseMalformed(ctx: Context, next: Next): Promise<void> {
  if (ctx.url.length > LONGEST_ADDRESS) throw new ApiError('URI_TOO_LONG')
  // A + in a query is a space.
  const address = decoded(ctx.url.replaceAll('+', ' '))
  if (address === undefined || address.includes('\0')) throw new ApiError('BAD_REQUEST')
  await next()
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
