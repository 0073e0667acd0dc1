/** Which path is answered by what. Methods are checked here, before anything else of a request. */
import Router from '@koa/router'
import type { Context } from 'koa'
import { schema } from '../resolvers'
import { ApiError } from '../schema/errors'
import { documentFiles } from './docs/files'
import { explorerFiles } from './explorer'
import type { Gateway } from './gateway'
import { GRAPHQL, GRAPHQL_METHODS, graphqlEndpoint } from './graphql-endpoint'
import { openPaths } from './open'
import { compileRoute, handle, type RouteRecord } from './route'
import { legacyRoutes } from './routes/legacy'
import { partnerRoutes } from './routes/partner'

/** What is answered everywhere but at /graphql. */
export const METHODS = ['GET', 'HEAD', 'OPTIONS']

/** All paths of the service. */
export function createRouter(gateway: Gateway): Router {
  const router = new Router({ strict: true, sensitive: true })
  const routes = [...partnerRoutes, ...legacyRoutes].map(record => compileRoute(schema, record))
  for (const route of routes) {
    router.all(koaPath(route), async ctx => {
      ctx.state.operation = route.operation
      ctx.state.route = route.path
      if (answersMethod(ctx)) await handle(route, gateway, ctx, ctx.params)
    })
  }

  const graphql = graphqlEndpoint(schema, gateway)
  router.all(GRAPHQL, async ctx => {
    ctx.state.operation = 'GraphQL'
    if (answersMethod(ctx, GRAPHQL_METHODS)) await graphql(ctx)
  })

  for (const { operation, path, answer } of openPaths(gateway)) {
    router.all(path, async ctx => {
      ctx.state.operation = operation
      if (!answersMethod(ctx)) return
      ctx.type = 'text'
      ctx.set('Cache-Control', 'no-cache')
      ctx.body = await answer()
    })
  }

  const files = [...explorerFiles(partnerRoutes), ...documentFiles(gateway, schema, routes)]
  for (const [path, { operation, type, body, headers }] of files) {
    router.all(path, async ctx => {
      ctx.state.operation = operation
      if (!answersMethod(ctx)) return
      ctx.set(headers)
      ctx.type = type
      ctx.body = body
    })
  }

  return router
}

/** `{id}` as the router writes it. */
const koaPath = ({ path }: RouteRecord): string => path.replace(/\{(\w+)\}/g, ':$1')

/** Whether there is anything left to answer. @throws ApiError METHOD_NOT_ALLOWED */
function answersMethod(ctx: Context, methods = METHODS): boolean {
  if (!methods.includes(ctx.method)) throw new ApiError('METHOD_NOT_ALLOWED', { allowed: methods })
  if (ctx.method !== 'OPTIONS') return true
  ctx.set('Allow', methods.join(', '))
  ctx.status = 204
  return false
}
