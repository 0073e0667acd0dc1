/** Which path is answered by what. Methods are checked here, before anything else of a request. */
import type { Context, Middleware } from 'koa'
import { schema } from '../../resolvers/schema'
import { ApiError } from '../../schema/errors'
import { documentFiles } from '../docs/files'
import { explorerFiles } from '../explorer/files'
import type { Gateway } from '../gateway'
import { GRAPHQL, GRAPHQL_METHODS, graphqlEndpoint } from '../graphql/endpoint'
import { openPaths } from '../health'
import { legacyRoutes } from './legacy'
import { partnerRoutes } from './partner'
import { Paths } from './paths'
import { compileRoute, handle } from './route'

/** What is answered everywhere but at /graphql. */
export const METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Those of the records, which are checked here: what does not fit stops the start. */
const ROUTES = [...partnerRoutes, ...legacyRoutes].map(record => compileRoute(schema, record))

interface Resource {
  /** What it is called in logs and metrics. */
  operation: string
  /** As the documents write it, where they tell of it. */
  route?: string
  methods?: readonly string[]
  answer(ctx: Context, parameters: Record<string, string>): Promise<void> | void
}

/** Answers all paths of the service. @throws ApiError NOT_FOUND, METHOD_NOT_ALLOWED */
export function router(gateway: Gateway): Middleware {
  const resources = resourcesOf(gateway)
  return async ctx => {
    const found = resources.find(ctx.path)
    if (!found) throw new ApiError('NOT_FOUND')
    const { operation, route, methods, answer } = found.answer
    ctx.state.operation = operation
    ctx.state.route = route
    if (answersMethod(ctx, methods)) await answer(ctx, found.parameters)
  }
}

function resourcesOf(gateway: Gateway): Paths<Resource> {
  const resources = new Paths<Resource>()
  for (const route of ROUTES) {
    const { operation, path } = route
    const answer: Resource['answer'] = (ctx, parameters) => handle(route, gateway, ctx, parameters)
    resources.add(path, { operation, route: path, answer })
  }

  resources.add(GRAPHQL, { operation: 'GraphQL', methods: GRAPHQL_METHODS, answer: graphqlEndpoint(schema, gateway) })

  for (const { operation, path, answer } of openPaths(gateway)) {
    resources.add(path, {
      operation,
      async answer(ctx) {
        ctx.type = 'text'
        ctx.set('Cache-Control', 'no-cache')
        ctx.body = await answer()
      },
    })
  }

  const files = [...explorerFiles(partnerRoutes), ...documentFiles(gateway, schema, ROUTES)]
  for (const [path, { operation, type, body, headers }] of files) {
    resources.add(path, {
      operation,
      answer(ctx) {
        ctx.set(headers)
        ctx.type = type
        ctx.body = body
      },
    })
  }

  return resources
}

/** Whether there is anything left to answer. @throws ApiError METHOD_NOT_ALLOWED */
function answersMethod(ctx: Context, methods: readonly string[] = METHODS): boolean {
  if (!methods.includes(ctx.method)) throw new ApiError('METHOD_NOT_ALLOWED', { allowed: [...methods] })
  if (ctx.method !== 'OPTIONS') return true
  ctx.set('Allow', methods.join(', '))
  ctx.status = 204
  return false
}
