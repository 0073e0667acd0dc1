/**
 * Bodies of requests, received before a request takes a place among those under way: whoever sends one drop by drop holds
 * up nobody else. They are parsed only when it is the request's turn, which may take long.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import text from 'co-body/lib/text'
import type { Context, Next } from 'koa'
import { ApiError } from '../../schema/errors'

const LARGEST_BODY = 256 * 1024

/** What is nested deeper than any query's variables is not even parsed: that would take long. */
const DEEPEST = 100

/** What was sent as JSON, or what is wrong with it, which is told only once the key proved good. */
export interface Received {
  text?: string
  fault?: ApiError
}

/** Receives the JSON of a POST to a path, as `ctx.state.received`. */
export function receiveBody(path: string) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method === 'POST' && ctx.path === path && ctx.is('json', '+json'))
      ctx.state.received = await receive(ctx.req)
    await next()
  }
}

/** Receives a body that says that it is JSON. */
export async function receive(request: Readable & { headers: IncomingHttpHeaders }): Promise<Received> {
  try {
    return { text: await text(request, { limit: LARGEST_BODY }) }
  } catch (error) {
    const tooLarge = (error as { status?: number }).status === 413
    return { fault: tooLarge ? fault(`The body has more than ${LARGEST_BODY / 1024} KiB.`) : improper() }
  }
}

/** The value of what was received; of an empty text that text itself. @throws ApiError BAD_REQUEST */
export function parsed({ text, fault }: Received): unknown {
  if (fault) throw fault
  if (!text) return text
  if (isDeep(text)) throw improper()
  try {
    return JSON.parse(text)
  } catch {
    throw improper()
  }
}

const fault = (message: string): ApiError => new ApiError('BAD_REQUEST', {}, message)

const improper = (): ApiError => fault('The body is not proper JSON.')

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
