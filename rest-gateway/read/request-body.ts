/** Receives JSON bodies before requests wait for a connection, so that a slow sender holds none. Routes parse them. */
import type { IncomingMessage } from 'node:http'
import type { Next } from 'koa'
import getRawBody from 'raw-body'
import type { Environment } from '../../db/api-keys/key-format'
import { ApiError } from '../../schema/errors'
import type { KoaContext, ReceivedBody } from '../state'
import { readKey } from './request-input'

const MAX_BYTES = 256 * 1024

/** Nesting beyond this is refused without parsing. The variables of no query need it. */
const MAX_DEPTH = 100

/** Names and items of lists. No query needs as many, and work on them may take long. */
const MAX_VALUES = 5_000

/** Receives JSON bodies of POST to some paths as `ctx.state.received`. */
export function requestBody(environment: Environment, paths: readonly string[]) {
  return async (ctx: KoaContext, next: Next): Promise<void> => {
    if (ctx.method === 'POST' && paths.includes(ctx.path)) {
      // A key that cannot be valid is refused without reading the body.
      readKey(ctx, environment)
      if (ctx.is('json', '+json')) ctx.state.received = await receiveBody(ctx.req)
    }
    await next()
  }
}

async function receiveBody(request: IncomingMessage): Promise<ReceivedBody> {
  const { 'content-encoding': coding = 'identity' } = request.headers
  try {
    if (coding !== 'identity') throw badRequest('The body must be sent without a Content-Encoding.')
    return { text: await getRawBody(request, { limit: MAX_BYTES, encoding: 'utf-8' }) }
  } catch (error) {
    // Otherwise the bytes that were not read would block the next request on the connection.
    request.resume()
    if (error instanceof ApiError) return { error }
    const isTooLarge = (error as { status?: number }).status === 413
    return { error: isTooLarge ? badRequest(`The body has more than ${MAX_BYTES / 1024} KiB.`) : invalidJson() }
  }
}

/** Returns the parsed body; an empty or missing text as it is. @throws ApiError BAD_REQUEST */
export function parseBody({ text, error }: ReceivedBody): unknown {
  if (error) throw error
  if (!text) return text
  checkShape(text)
  try {
    return JSON.parse(text)
  } catch {
    throw invalidJson()
  }
}

const badRequest = (message: string): ApiError => new ApiError('BAD_REQUEST', {}, message)

const invalidJson = (): ApiError => badRequest('The body is not valid JSON.')

/** Counts what parsing would make, and ends as soon as there is too much. @throws ApiError BAD_REQUEST */
function checkShape(json: string): void {
  let depth = 0
  let values = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (inString && character === '\\') i++
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === ']' || character === '}') depth--
    else if (character === ',' || character === '[' || character === '{') {
      if (character !== ',' && ++depth > MAX_DEPTH) throw invalidJson()
      if (++values > MAX_VALUES) throw badRequest(`The body has more than ${MAX_VALUES} values.`)
    }
  }
}
