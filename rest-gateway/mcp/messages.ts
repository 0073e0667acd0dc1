/** Messages of JSON-RPC 2.0. */
import { ApiError } from '../../schema/errors'

export interface Message {
  /** Undefined for a notification, or a response to a request that this server never sends. */
  id: string | number | undefined
  method: string
  params: Record<string, unknown>
}

/** Codes of errors: those of JSON-RPC, and those of the protocol. */
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const HEADER_MISMATCH = -32020
export const UNSUPPORTED_VERSION = -32022

/** An error that is the response to a message. */
export class MessageError extends Error {
  constructor(
    private readonly id: Message['id'],
    private readonly code: number,
    message: string,
    private readonly data?: object,
    readonly status = 400,
  ) {
    super(message)
  }

  /** The response as JSON. */
  get response(): string {
    const { id, code, message, data } = this
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
  }
}

/** @throws ApiError BAD_REQUEST for what is no message */
export function readMessage(body: unknown): Message {
  if (!isObject(body) || body.jsonrpc !== '2.0') throw invalid()
  const { id, method = '', params = {} } = body
  const isResponse = 'result' in body || 'error' in body
  if (typeof method !== 'string' || (method === '' && !isResponse) || !isObject(params)) throw invalid()
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') throw invalid()
  return { id: isResponse ? undefined : id, method, params }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (): ApiError =>
  new ApiError('BAD_REQUEST', {}, 'The body must be one message of JSON-RPC 2.0, with Content-Type: application/json.')

/** @param result as JSON */
export const resultMessage = (id: string | number, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
