/**
 * Ignores Accept, Accept-Encoding and Content-Type headers that are longer than any client needs, as if they were absent: the time to parse
 * them grows faster than their length, and no key has been verified yet.
 */
import type { Next } from 'koa'
import type { Context } from '../state'

const MAX_BYTES = 1_024

export function shortAccept({ req: { headers } }: Context, next: Next): Promise<void> {
  for (const name of ['accept', 'accept-encoding', 'content-type'] as const)
    if ((headers[name]?.length ?? 0) > MAX_BYTES) delete headers[name]
  return next()
}
