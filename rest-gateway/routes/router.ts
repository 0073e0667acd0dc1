/** Routes every path of the service with @koa/router. The path and the method are checked before anything else of a request. */
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { schema } from '../../resolvers/schema'
import { ApiError } from '../../schema/errors'
import { documentFiles } from '../docs/files'
import { explorerFiles } from '../explorer/files'
import type { Gateway } from '../gateway'
import { GRAPHQL_METHODS, graphqlEndpoint } from '../graphql/endpoint'
import { healthChecks } from '../health'
import { GRAPHQL } from '../paths'
import { legacyRoutes } from './legacy'
import { partnerRoutes } from './partner'
import { compileRoute, handle } from './route'

/** The methods of every path but /graphql. */
export const METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Compiled when this module is loaded: a record that does not fit the schema stops the start. */
const ROUTES = [...partnerRoutes, ...legacyRoutes].map(compileRoute)

interface Resource {
  /** With `{id}` for a parameter. */
  path: string
  /** Its label in logs and metrics. */
  operation: string
  /** Whether it is one of the documented routes. */
  isRoute?: boolean
  methods?: readonly string[]
  serve(ctx: Context, parameters: Record<string, string>): Promise<void> | void
}

/** @throws ApiError NOT_FOUND, METHOD_NOT_ALLOWED */
export function router(gateway: Gateway): Middleware {
  const router = new Router({ strict: true, sensitive: true })
  for (const resource of inOrderOfMatching(resourcesOf(gateway))) {
    router.all(patternOf(resource.path), ctx => dispatch(resource, ctx as unknown as Context, ctx.params))
  }
  const routes = router.routes() as unknown as Middleware
  return ctx =>
    routes(ctx, () => {
      throw new ApiError('NOT_FOUND')
    })
}

/** A path without parameters goes before one whose parameter would match it as well. @throws Error for a path that occurs twice */
function inOrderOfMatching(resources: Resource[]): Resource[] {
  const paths = resources.map(({ path }) => path)
  const repeated = paths.find((path, i) => paths.indexOf(path) < i)
  if (repeated) throw new Error(`two resources have the path ${repeated}`)
  return resources.toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
}

const patternOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

async function dispatch(resource: Resource, ctx: Context, parameters: Record<string, string>): Promise<void> {
  const { operation, path, isRoute, methods = METHODS } = resource
  ctx.state.operation = operation
  if (isRoute) ctx.state.route = path
  if (!methods.includes(ctx.method)) throw new ApiError('METHOD_NOT_ALLOWED', { allowed: [...methods] })
  if (ctx.method === 'OPTIONS') {
    ctx.set('Allow', methods.join(', '))
    ctx.status = 204
  } else await resource.serve(ctx, parameters)
}

function resourcesOf(gateway: Gateway): Resource[] {
  const files = [...explorerFiles(partnerRoutes), ...documentFiles(gateway, schema, ROUTES)]
  return [
    ...ROUTES.map(route => ({
      path: route.path,
      operation: route.operation,
      isRoute: true,
      serve: (ctx: Context, parameters: Record<string, string>) => handle(route, gateway, ctx, parameters),
    })),
    { path: GRAPHQL, operation: 'GraphQL', methods: GRAPHQL_METHODS, serve: graphqlEndpoint(schema, gateway) },
    ...healthChecks(gateway).map(({ operation, path, check }) => ({
      path,
      operation,
      async serve(ctx: Context) {
        ctx.type = 'text'
        ctx.set('Cache-Control', 'no-cache')
        ctx.body = await check()
      },
    })),
    ...files.map(([path, { operation, type, body, headers }]) => ({
      path,
      operation,
      serve(ctx: Context) {
        ctx.set(headers)
        ctx.type = type
        ctx.body = body
      },
    })),
  ]
}
