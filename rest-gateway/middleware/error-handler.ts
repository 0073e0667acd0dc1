/** The one place where errors become answers. What is not meant for the caller goes to the log. */
import type { IncomingMessage } from 'node:http'
import type { Context, Next } from 'koa'
import type { Logger } from 'pino'
import { asApiError } from '../../db/postgres/errors'
import { ApiError, ERRORS, type ErrorCode, type LegacyError } from '../../schema/errors'
import { LEGACY } from './deprecation'

/** So long a caller had better wait who was refused for want of means. */
export const RETRY_AFTER_SECONDS = 1

/**
 * The response body of an error, in the envelope of the interface that the path belongs to.
 *
 * @param routed whether the request reached a route: only there does the legacy interface use its own codes
 */
export function errorBody(path: string, { code, message, details }: ApiError, routed = false): object {
  if (!path.startsWith(LEGACY)) return { error: { code, message, details } }
  const named = routed ? legacyError(code) : undefined
  return { code: named?.code ?? code, error: named?.message ?? frozenMessage(code) ?? message }
}

/** The legacy interface's own code and message for an error of its routes. */
export const legacyError = (code: ErrorCode): LegacyError | undefined =>
  (ERRORS[code] as { legacy?: LegacyError }).legacy

const frozenMessage = (code: ErrorCode): string | undefined =>
  (ERRORS[code] as { frozenMessage?: string }).frozenMessage

/** The code of an error on routes of the legacy interface. */
export const legacyName = (code: ErrorCode): string => legacyError(code)?.code ?? code

/** The headers that go with an error. */
export function errorHeaders({ code, status, details }: ApiError): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    ...(status === 401 && { 'WWW-Authenticate': 'ApiKey realm="partner-metrics"' }),
    ...(code === 'METHOD_NOT_ALLOWED' && { Allow: (details.allowed as string[]).join(', ') }),
    ...(code === 'RATE_LIMITED' && { 'Retry-After': String(details.retry_after_seconds) }),
    ...(code === 'UNAVAILABLE' && { 'Retry-After': String(RETRY_AFTER_SECONDS) }),
  }
}

export function errorBoundary(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (thrown) {
      const error = visible(thrown, ctx.req, log, ctx.state.requestId)
      for (const header of ['ETag', 'Last-Modified', 'Vary', 'Content-Encoding']) ctx.remove(header)
      ctx.status = error.status
      ctx.set(errorHeaders(error))
      ctx.state.errorCode = error.code
      ctx.type = 'application/json'
      ctx.body = JSON.stringify(errorBody(ctx.path, error, ctx.state.operation !== undefined))
    }
  }
}

function visible(thrown: unknown, request: IncomingMessage, log: Logger, requestId: string): ApiError {
  const error = asApiError(thrown)
  if (error instanceof ApiError) return error
  log.error({ err: error, request_id: requestId, url: request.url }, 'a fault of ours')
  return new ApiError('INTERNAL')
}
