/** The order of the middleware. */
import Koa from 'koa'
import { admission } from './admission/admission'
import type { ConnectionGuard } from './admission/connection-guard'
import type { Gateway } from './gateway'
import { bodyParts } from './middleware/body-parts'
import { compression } from './middleware/compression'
import { cors } from './middleware/cors'
import { deprecation } from './middleware/deprecation'
import { errorHandler } from './middleware/error-handler'
import { requestBody } from './middleware/request-body'
import { requestLog } from './middleware/request-log'
import { requestTarget } from './middleware/request-target'
import { securityHeaders } from './middleware/security-headers'
import { shortAccept } from './middleware/short-accept'
import { GRAPHQL, MCP } from './paths'
import { router } from './routes/router'
import type { RequestState } from './state'

export function createApp(gateway: Gateway, connections: ConnectionGuard): Koa<RequestState> {
  const app = new Koa<RequestState>()
  app.silent = true
  app.use(requestLog(gateway))
  app.use(deprecation(gateway))
  app.use(securityHeaders)
  app.use(cors(gateway.origins))
  app.use(errorHandler(gateway.log))
  app.use(shortAccept)
  app.use(requestBody(gateway.environment, GRAPHQL, MCP))
  app.use(bodyParts)
  app.use(compression)
  app.use(admission(gateway, connections))
  app.use(requestTarget)
  app.use(router(gateway))
  return app
}
