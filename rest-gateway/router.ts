/** Routes every path of the service with @koa/router. The path and the method are checked before anything else. */
import Router from '@koa/router'
import { schema } from '../resolvers/schema'
import { ApiError } from '../schema/errors'
import { errorHeaders } from './edge/errors'
import type { Gateway } from './gateway'
import { GRAPHQL_METHODS, graphqlEndpoint } from './graphql'
import { HEALTH_CHECKS } from './health'
import { MCP_METHODS, mcpEndpoint } from './mcp'
import { builtFiles, CLIENT, favicon, home } from './pages/files'
import { type PageFile, sendFile } from './pages/page-file'
import { GRAPHQL, MCP } from './paths'
import { compileRoute, serveRoute } from './request'
import { legacyRoutes, partnerRoutes } from './routes/all-routes'
import type { KoaContext, Middleware } from './state'

/** The methods of every path but /graphql. */
export const METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Compiled when this module is loaded: a record that does not fit the schema stops the start. */
const ROUTES = [...partnerRoutes, ...legacyRoutes].map(compileRoute)

interface Resource {
  /** With `{id}` for a parameter. */
  path: string
  operation: string
  methods?: readonly string[]
  serve(ctx: KoaContext, parameters: Record<string, string>): Promise<void> | void
}

/** @throws ApiError NOT_FOUND, METHOD_NOT_ALLOWED */
export function router(gateway: Gateway): Middleware {
  const { '/': homePage, '/404': notFound, ...files } = Object.fromEntries(builtFiles(gateway))
  const resources = listResources(gateway, Object.entries(files), homePage)
  const interfaces = routesOf(resources.filter(({ path }) => INTERFACES.test(path)))
  const pages = routesOf(resources.filter(({ path }) => !INTERFACES.test(path)))
  return ctx => interfaces(ctx, () => pages(ctx, () => rejectUnknownPath(ctx, notFound)))
}

/** Returns the routes to some resources. The router compares a path with each of them. */
function routesOf(resources: readonly Resource[]): Middleware {
  const router = new Router({ strict: true, sensitive: true, exclusive: 'specificity' })
  for (const resource of resources) {
    const { path } = resource
    if (router.route(path)) throw new Error(`two resources have the path ${path}`)
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    router.all(path, pattern, ctx => dispatch(resource, ctx as unknown as KoaContext, ctx.params))
  }
  return router.routes() as unknown as Middleware
}

/** The interfaces of programs: their errors are JSON, also in a browser. */
const INTERFACES = /^\/(v1|graphql|mcp)(\/|$)/

/** Sends a page to browsers. @throws ApiError NOT_FOUND for others */
async function rejectUnknownPath(ctx: KoaContext, page: PageFile | undefined): Promise<void> {
  const error = unknownPath(ctx.path)
  if (!page || INTERFACES.test(ctx.path) || !METHODS.includes(ctx.method)) throw error
  if (ctx.accepts('json', 'html') !== 'html') throw error
  ctx.state.errorCode = error.code
  ctx.status = error.status
  ctx.set({ ...page.headers, ...errorHeaders(ctx.path, error) })
  ctx.type = page.type
  ctx.body = page.content(ctx).body
}

const MAX_SHOWN = 100

/** Returns the error of an unknown path. Node's parser accepts printable ASCII only, so that the path can be shown. */
const unknownPath = (path: string): ApiError =>
  new ApiError('NOT_FOUND', {}, `The path ${shorten(path)} is unknown. All paths are documented at /docs.`)

const shorten = (path: string): string => (path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path)

async function dispatch(resource: Resource, ctx: KoaContext, parameters: Record<string, string>): Promise<void> {
  const { operation, path, methods = METHODS } = resource
  ctx.state.operation = operation
  ctx.state.route = path
  if (!methods.includes(ctx.method)) {
    const message = methods.includes('POST') ? `The method must be one of ${methods.join(', ')}.` : undefined
    throw new ApiError('METHOD_NOT_ALLOWED', { allowed: [...methods] }, message)
  }
  if (ctx.method === 'OPTIONS') {
    ctx.set('Allow', methods.join(', '))
    ctx.status = 204
  } else await resource.serve(ctx, parameters)
}

function listResources(gateway: Gateway, built: [path: string, file: PageFile][], homePage?: PageFile): Resource[] {
  const files = [...built, ['/favicon.ico', favicon()] as const]
  return [
    ...ROUTES.map(route => ({
      path: route.path,
      operation: route.operation,
      serve: (ctx: KoaContext, parameters: Record<string, string>) => serveRoute(route, gateway, ctx, parameters),
    })),
    { path: GRAPHQL, operation: 'GraphQL', methods: GRAPHQL_METHODS, serve: graphqlEndpoint(schema, gateway) },
    { path: MCP, operation: 'Mcp', methods: MCP_METHODS, serve: mcpEndpoint(gateway, ROUTES) },
    ...HEALTH_CHECKS.map(({ operation, path, check }) => ({
      path,
      operation,
      async serve(ctx: KoaContext) {
        const response = await check(gateway)
        ctx.type = 'text'
        ctx.set('Cache-Control', 'no-cache')
        ctx.body = response
      },
    })),
    ...files.map(([path, file]) => ({
      path,
      operation: file.operation,
      serve: (ctx: KoaContext) => sendFile(ctx, file),
    })),
    ...files
      .filter(([, { type }]) => type === '.html')
      .map(([path, { operation }]) => redirect(operation, `${path}/`, path, 308)),
    ...files
      .filter(([path]) => CLIENT.test(path))
      .map(([path, { operation }]) => redirect(operation, '/client.tgz', path, 302)),
    { path: '/', operation: 'Home', serve: home(homePage) },
  ]
}

/** Redirects a page with a trailing slash to the page, and the package of the client to that of this version. */
const redirect = (operation: string, path: string, target: string, status: 302 | 308): Resource => ({
  path,
  operation,
  serve(ctx) {
    ctx.status = status
    ctx.redirect(target + ctx.search)
  },
})
