/** The order in which a request passes, and nothing else. */
import { constants } from 'node:zlib'
import Koa from 'koa'
import compress from 'koa-compress'
import { ApiError } from '../schema/errors'
import { receiveBody } from './bodies'
import { allowOrigins } from './cors'
import { errorBoundary } from './error-boundary'
import type { Gateway } from './gateway'
import { GRAPHQL } from './graphql-endpoint'
import { identify } from './identify'
import { legacy } from './legacy'
import { bound } from './load'
import { refuseMalformed, sendAnyhow } from './requests'
import { createRouter } from './routing'

/** Bodies smaller than this are sent as they are; larger ones at the levels that cost least for what they save. */
const compression = compress({
  threshold: 2048,
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  gzip: { level: 1 },
  deflate: false,
})

export function createApp(gateway: Gateway): Koa {
  const app = new Koa()
  app.silent = true
  app.use(identify(gateway))
  if (gateway.origins.length > 0) app.use(allowOrigins(gateway.origins))
  app.use(legacy(gateway))
  app.use(errorBoundary(gateway.log))
  app.use(receiveBody(GRAPHQL))
  app.use(bound(gateway.limits, gateway.turns))
  app.use(refuseMalformed)
  app.use(compression)
  app.use(sendAnyhow)
  app.use(createRouter(gateway).routes())
  app.use(() => {
    throw new ApiError('NOT_FOUND')
  })
  return app
}
