/** The order of the middleware. */

import { Readable } from 'node:stream'
import type { Next } from 'koa'
import Koa from 'koa'
import { admission } from './admission/admission'
import type { ConnectionGuard } from './admission/connection-guard'
import type { Gateway } from './gateway'
import { GRAPHQL_SCOPE } from './graphql/endpoint'
import { compression } from './middleware/compression'
import { cors } from './middleware/cors'
import { deprecation } from './middleware/deprecation'
import { errorHandler } from './middleware/error-handler'
import { requestBody } from './middleware/request-body'
import { requestLog } from './middleware/request-log'
import { requestTarget } from './middleware/request-target'
import { securityHeaders } from './middleware/security-headers'
import { GRAPHQL, MCP } from './paths'
import { router } from './router'
import type { Context, RequestState } from './state'

export function createApp(gateway: Gateway, connections: ConnectionGuard): Koa<RequestState> {
  const app = new Koa<RequestState>()
  app.silent = true
  app.use(requestLog(gateway))
  app.use(deprecation(gateway))
  app.use(securityHeaders)
  app.use(cors(gateway.origins))
  app.use(errorHandler(gateway.log))
  app.use(shortAccept)
  app.use(requestBody(gateway, { [GRAPHQL]: GRAPHQL_SCOPE, [MCP]: undefined }))
  app.use(bodyParts)
  app.use(compression)
  app.use(admission(gateway, connections))
  app.use(requestTarget)
  app.use(router(gateway))
  return app
}

const PART_BYTES = 65_536

/** Sends large bodies in parts, so that it can be seen whether a client reads them. */
export async function bodyParts(ctx: Context, next: Next): Promise<void> {
  await next()
  const { body, length } = ctx
  if (!length || length <= PART_BYTES || !(typeof body === 'string' || Buffer.isBuffer(body))) return
  ctx.body = Readable.from(splitBody(typeof body === 'string' ? Buffer.from(body) : body), { objectMode: false })
  ctx.length = length
}

function* splitBody(body: Buffer): Iterable<Buffer> {
  for (let start = 0; start < body.length; start += PART_BYTES) yield body.subarray(start, start + PART_BYTES)
}

const MAX_HEADER_BYTES = 1_024

/**
 * Ignores Accept, Accept-Encoding and Content-Type headers that are longer than any client needs, as if they were absent:
 * the time to parse them grows faster than their length, and no key has been verified yet.
 */
function shortAccept({ req: { headers } }: Context, next: Next): Promise<void> {
  for (const name of ['accept', 'accept-encoding', 'content-type'] as const)
    if ((headers[name]?.length ?? 0) > MAX_HEADER_BYTES) delete headers[name]
  return next()
}
