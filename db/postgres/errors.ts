/** Turns errors of PostgreSQL and its connections into those that a caller may see. */
import { ApiError } from '../../schema/errors'
import { findCondition } from '../operator-error'

/**
 * Classes of SQLSTATE that mean the server is away, full, shutting down or refuses the login: connection, resources,
 * operator intervention, authorization, unknown database.
 */
const UNAVAILABLE_STATES = /^(08|53|57P|28|3D)/

const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Whether the socket file of a server is missing. Other files that are missing are no fault of the database. */
const isSocketMissing = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
  code === 'ENOENT' && syscall === 'connect'

/** Node's codes for a certificate of the server that is not or no longer valid. */
const CERTIFICATE_ERRORS = /CERT|SIGNATURE/

/** Returns whether a connection failed because the server's certificate cannot be trusted. */
export const isCertificateError = (error: unknown): boolean =>
  CERTIFICATE_ERRORS.test(String((error as { code?: unknown }).code ?? ''))

/** A connection was lost, given up or not made: what a query has read so far may be incomplete. */
export class ConnectionError extends ApiError {}

/** A read was ended because it conflicted with what a replica had to replay, or with the locks of a migration. The connection is still usable. */
export class ReplayConflictError extends ConnectionError {}

/**
 * SQLSTATEs of such conflicts: serialization_failure and deadlock_detected. Reads, which write nothing and lock no rows, get them
 * for no other reason.
 */
const CONFLICTS = ['40001', '40P01']

/** SQLSTATE character_not_in_repertoire. */
const INVALID_CHARACTER = '22021'

/** Returns the ApiError that corresponds to an error of a statement or connection; an unknown error is returned as it is. */
export function asApiError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApiError) return error
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === '57014') return new ApiError('TIMEOUT')
  // Paths and parameters cannot have it, but texts in JSON can.
  if (code === INVALID_CHARACTER) return new ApiError('BAD_REQUEST', {}, 'A text must not contain U+0000.')
  if (CONFLICTS.includes(code) && (error as { severity?: string }).severity !== 'FATAL') {
    return new ReplayConflictError('UNAVAILABLE')
  }
  if (
    CONFLICTS.includes(code) ||
    UNAVAILABLE_STATES.test(code) ||
    SOCKET_ERRORS.has(code) ||
    isSocketMissing(error) ||
    isCertificateError(error)
  ) {
    return Object.assign(new ConnectionError('UNAVAILABLE'), { cause: error })
  }
  // pg reports a lost connection, and a pool without a free one, by message alone.
  if (/^Connection terminated|not queryable|timeout exceeded when trying to connect/.test(error.message)) {
    return new ConnectionError('UNAVAILABLE')
  }
  return error
}

/** Returns the condition of the database because of which an error is UNAVAILABLE, if only the operator can change it. */
export const findReason = (error: unknown): string | undefined =>
  error instanceof ConnectionError ? findCondition(error.cause)?.message : undefined

/** Returns whether the server is away, so that the connection can no longer be used. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof ConnectionError && error.code === 'UNAVAILABLE' && !(error instanceof ReplayConflictError)

/** Returns whether the same read may succeed on another host. */
export const isRetriable = (error: unknown): boolean => error instanceof ConnectionError && error.code === 'UNAVAILABLE'
