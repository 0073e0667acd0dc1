/** Turns errors into responses. Unexpected errors are logged and answered as INTERNAL. */
import type { IncomingMessage } from 'node:http'
import type { Next } from 'koa'
import type { Logger } from 'pino'
import { asApiError, findReason } from '../../db/postgres/errors'
import { ApiError, ERRORS, type ErrorCode } from '../../schema/errors'
import { isLegacy } from '../paths'
import type { KoaContext } from '../state'

const RETRY_AFTER_SECONDS = 1

/** Returns the body of an error. @param isRouted whether a route matched: the legacy interface renames its errors */
export function errorBody(path: string, { code, message, details }: ApiError, isRouted = false): object {
  if (!isLegacy(path)) return { error: { code, message, details } }
  const { legacy, frozenMessage } = ERRORS[code]
  const renamed = isRouted ? legacy : undefined
  return { code: renamed?.code ?? code, error: renamed?.message ?? frozenMessage ?? message }
}

export const legacyCode = (code: ErrorCode): string => ERRORS[code].legacy?.code ?? code

/** Returns the headers of an error. Those of the legacy interface are frozen: it has no link to the documentation. */
export function errorHeaders(path: string, { code, status, details }: ApiError): Record<string, string> {
  return {
    ...(!isLegacy(path) && { Link: `</docs/errors#${code}>; rel="help"` }),
    'Cache-Control': 'no-store',
    ...(status === 401 && { 'WWW-Authenticate': 'ApiKey realm="partner-metrics"' }),
    ...(code === 'METHOD_NOT_ALLOWED' && { Allow: (details.allowed as string[]).join(', ') }),
    ...(code === 'RATE_LIMITED' && { 'Retry-After': String(details.retry_after_seconds) }),
    ...(code === 'UNAVAILABLE' && { 'Retry-After': String(RETRY_AFTER_SECONDS) }),
  }
}

export function errorHandler(log: Logger) {
  return async (ctx: KoaContext, next: Next): Promise<void> => {
    try {
      await next()
    } catch (thrown) {
      const error = publicError(thrown, ctx.req, log, ctx.state.requestId)
      for (const header of ['ETag', 'Vary', 'Content-Encoding']) ctx.remove(header)
      ctx.status = error.status
      ctx.set(errorHeaders(ctx.path, error))
      ctx.state.errorCode = error.code
      ctx.state.reason ??= findReason(error)
      ctx.type = 'application/json'
      ctx.body = JSON.stringify(errorBody(ctx.path, error, ctx.state.operation !== undefined))
    }
  }
}

function publicError(thrown: unknown, request: IncomingMessage, log: Logger, requestId: string): ApiError {
  const error = asApiError(thrown)
  if (error instanceof ApiError) return error
  log.error({ err: error, request_id: requestId, url: request.url }, 'internal error')
  return new ApiError('INTERNAL')
}
