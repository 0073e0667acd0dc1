/** The order in which a request passes, and nothing else. */
import Koa from 'koa'
import { receiveBody } from './bodies'
import { allowOrigins } from './cors'
import { encode } from './encoding'
import { errorBoundary } from './error-boundary'
import type { Gateway } from './gateway'
import { GRAPHQL } from './graphql-endpoint'
import { identify } from './identify'
import { legacy } from './legacy'
import { bound } from './load'
import { refuseMalformed } from './requests'
import { router } from './routing'

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
