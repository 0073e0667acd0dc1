/** The order of the middleware. */

import type { Next } from 'koa'
import Koa from 'koa'
import { compression } from './edge/compression'
import type { Connections } from './edge/connections'
import { cors } from './edge/cors'
import { deprecation } from './edge/deprecation'
import { errorHandler } from './edge/errors'
import { overload } from './edge/overload'
import { requestLog } from './edge/request-log'
import { requestTarget } from './edge/request-target'
import { securityHeaders } from './edge/security-headers'
import type { Gateway } from './gateway'
import { GRAPHQL_SCOPE } from './graphql/endpoint'
import { GRAPHQL, MCP } from './paths'
import { requestBody } from './read/request-body'
import { router } from './router'
import type { Context, RequestState } from './state'

export function createApp(gateway: Gateway, connections: Connections): Koa<RequestState> {
  const app = new Koa<RequestState>()
  app.silent = true
  app.use(requestLog(gateway))
  app.use(deprecation(gateway))
  app.use(securityHeaders)
  app.use(cors(gateway.origins))
  app.use(errorHandler(gateway.log))
  app.use(shortAccept)
  app.use(requestBody(gateway, { [GRAPHQL]: GRAPHQL_SCOPE, [MCP]: undefined }))
  app.use(compression)
  app.use(overload(gateway, connections))
  app.use(requestTarget)
  app.use(router(gateway))
  return app
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
