/**
 * Bodies of requests, received before a request takes a place among those under way: whoever sends one drop by drop holds
 * up nobody else.
 */
import { text } from 'co-body'
import type { Context, Next } from 'koa'
import { ApiError } from '../schema/errors'

const LARGEST_BODY = 256 * 1024

/** What is nested deeper than any query's variables is not even parsed: that would take long. */
const DEEPEST = 100

/** What was sent as JSON, or what is wrong with it, which is told only once the key proved good. */
export interface Received {
  value?: unknown
  fault?: ApiError
}

/** Receives the JSON of a POST to a path, as `ctx.state.received`. */
export function receiveBody(path: string) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method === 'POST' && ctx.path === path && ctx.is('json', '+json')) ctx.state.received = await receive(ctx)
    await next()
  }
}

async function receive(ctx: Context): Promise<Received> {
  try {
    return { value: parse(await text(ctx, { limit: LARGEST_BODY })) }
  } catch (error) {
    const tooLarge = (error as { status?: number }).status === 413
    const message = tooLarge ? `The body has more than ${LARGEST_BODY / 1024} KiB.` : 'The body is not proper JSON.'
    return { fault: new ApiError('BAD_REQUEST', {}, message) }
  }
}

/** The value of a JSON text; of an empty one that text itself. @throws SyntaxError */
function parse(body: string): unknown {
  if (isDeep(body)) throw new SyntaxError('nested too deep')
  return body && JSON.parse(body)
}

/** Whether the lists and objects of a JSON text are nested too deep. */
function isDeep(body: string): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < body.length; i++) {
    const character = body[i]
    if (inString && character === '\\') i++
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '[' || character === '{') {
      if (++depth > DEEPEST) return true
    } else if (character === ']' || character === '}') depth--
  }
  return false
}
