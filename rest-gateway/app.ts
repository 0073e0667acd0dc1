/** The order in which a request passes, and nothing else. */
import Koa from 'koa'
import { bound } from './admission/admission'
import type { Gateway } from './gateway'
import { GRAPHQL } from './graphql/endpoint'
import { encode } from './middleware/compression'
import { allowOrigins } from './middleware/cors'
import { legacy } from './middleware/deprecation'
import { errorBoundary } from './middleware/error-handler'
import { receiveBody } from './middleware/request-body'
import { identify } from './middleware/request-log'
import { refuseMalformed } from './middleware/request-target'
import { router } from './routes/router'

export function createApp(gateway: Gateway): Koa {
  const app = new Koa()
  app.silent = true
  app.use(identify(gateway))
  if (gateway.origins.length > 0) app.use(allowOrigins(gateway.origins))
  app.use(legacy(gateway))
  app.use(errorBoundary(gateway.log))
  app.use(receiveBody(GRAPHQL))
  app.use(bound(gateway))
  app.use(refuseMalformed)
  app.use(encode)
  app.use(router(gateway))
  return app
}
