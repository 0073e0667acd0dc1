/** What a fault of the database means to a caller: that it is away, that it was too slow, or a fault of ours. */
import { ApiError } from '../../schema/errors'

/** Classes of SQLSTATE that say the server is away, full or going down: connection, resources, operator intervention. */
const AWAY = /^(08|53|57P)/

const SOCKET_FAULTS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'])

/** A certificate of the server that does not hold (any more), as Node names it. */
const CERTIFICATE_FAULT = /CERT|SIGNATURE/

/** Whether a connection was given up because the server's certificate cannot be trusted. */
export const isCertificateError = (error: unknown): boolean =>
  CERTIFICATE_FAULT.test(String((error as { code?: unknown }).code ?? ''))

/** An error that a caller may see for one that a statement or connection ended with; what is unknown stays as it is. */
export function asApiError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApiError) return error
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === '57014') return new ApiError('TIMEOUT')
  if (AWAY.test(code) || SOCKET_FAULTS.has(code) || isCertificateError(error)) return new ApiError('UNAVAILABLE')
  // pg tells a lost connection, and that none came free in time, by message alone.
  if (/^Connection terminated|not queryable|timeout exceeded when trying to connect/.test(error.message)) {
    return new ApiError('UNAVAILABLE')
  }
  return error
}
