/**
 * Bodies of requests, received before a request takes a place among those under way: whoever sends one drop by drop holds
 * up nobody else.
 */
import { json } from 'co-body'
import type { Context, Next } from 'koa'
import { ApiError } from '../schema/errors'

const LARGEST_BODY = 256 * 1024

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
    return { value: await json(ctx, { limit: LARGEST_BODY, strict: false }) }
  } catch (error) {
    const tooLarge = (error as { status?: number }).status === 413
    const message = tooLarge ? `The body has more than ${LARGEST_BODY / 1024} KiB.` : 'The body is not proper JSON.'
    return { fault: new ApiError('BAD_REQUEST', {}, message) }
  }
}
