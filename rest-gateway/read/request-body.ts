/**
 * Receives JSON bodies before the request waits for a connection, so that a slow sender holds none. They are parsed later, by
 * the route, since parsing takes time and needs a valid key.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import text from 'co-body/lib/text'
import type { Next } from 'koa'
import type { Environment } from '../../db/api-keys/key-format'
import type { ReaderPool } from '../../db/postgres/reader-pool'
import { ApiError } from '../../schema/errors'
import { findClient, type Proxies } from '../edge/proxies'
import type { RateLimits } from '../edge/rates'
import type { Context, ReceivedBody } from '../state'
import { readKey } from './request-input'

const MAX_BYTES = 256 * 1024

/** Nesting beyond this is refused without parsing. The variables of no query need it. */
const MAX_DEPTH = 100

/** Names and items of lists. No query needs as many, and work on them may take long. */
const MAX_VALUES = 5_000

/** The parts of the gateway that decide whether a body is asked for. */
interface Keys {
  environment: Environment
  database: ReaderPool
  rates: RateLimits
  limits: { proxies: Proxies }
}

/**
 * Receives JSON bodies of POST as `ctx.state.received`.
 *
 * @param scopes by path, the scope that a key needs
 */
export function requestBody(gateway: Keys, scopes: Record<string, string | undefined>) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method === 'POST' && ctx.path in scopes) {
      // A key that cannot be valid is refused without waiting for the body.
      const keyHash = readKey(ctx, gateway.environment)
      if (ctx.is('json', '+json')) {
        const isSent = !expectsContinue(ctx.req) || (await sendContinue(gateway, ctx, keyHash, scopes[ctx.path]))
        // The route refuses a key that was refused here, unless its rate allows the request by then.
        ctx.state.received = isSent ? await readBody(ctx.req) : { error: new ApiError('UNAVAILABLE') }
      }
    }
    await next()
  }
}

/** Returns whether a client waits with its body. Node recognises such requests in the same way, and leaves the response to us. */
const expectsContinue = ({ httpVersion, headers: { expect = '' } }: IncomingMessage): boolean =>
  httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(expect)

/** Sends 100 Continue unless the key will be refused, and returns whether it did. */
async function sendContinue(gateway: Keys, ctx: Context, keyHash: Buffer, scope: string | undefined): Promise<boolean> {
  const release = await gateway.database.queue.acquire(findClient(ctx, gateway.limits.proxies))
  if (!release) return false
  try {
    if (gateway.rates.isExhausted(keyHash)) return false
    const key = await gateway.database.readerFor(keyHash, ctx.state.reads).authenticate()
    if (!key || (scope !== undefined && !key.scopes.includes(scope))) return false
  } finally {
    release()
  }
  ctx.res.writeContinue()
  return true
}

async function readBody(request: Readable & { headers: IncomingHttpHeaders }): Promise<ReceivedBody> {
  try {
    return { text: await text(request, { limit: MAX_BYTES }) }
  } catch (error) {
    // Otherwise the bytes that were not read would block the next request on the connection.
    request.unpipe().resume()
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
