/** The order of the middleware. */

import Koa from 'koa'
import { compression } from './edge/compression'
import type { Connections } from './edge/connections'
import { deprecation } from './edge/deprecation'
import { errorHandler } from './edge/errors'
import { overload } from './edge/overload'
import { requestLog } from './edge/request-log'
import { requestTarget } from './edge/request-target'
import type { Gateway } from './gateway'
import { GRAPHQL, MCP } from './paths'
import { requestBody } from './read/request-body'
import { router } from './router'
import type { RequestState } from './state'

export function createApp(gateway: Gateway, connections: Connections): Koa<RequestState> {
  const app = new Koa<RequestState>()
  app.silent = true
  app.use(requestLog(gateway))
  app.use(deprecation(gateway))
  app.use(errorHandler(gateway.log))
  app.use(requestTarget)
  app.use(requestBody(gateway.environment, [GRAPHQL, MCP]))
  app.use(compression)
  app.use(overload(gateway, connections))
  app.use(router(gateway))
  return app
}
