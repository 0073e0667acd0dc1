/**
 * Koa and Apollo's executeOperation with Apollo's defaults. Each route runs the persisted query of the service's own record
 * on the same schema, through the same scoped reader, and the record's envelope shapes the result. Apollo serves /graphql, too.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { ApolloServer, HeaderMap } from '@apollo/server'
import Router from '@koa/router'
import { json } from 'co-body'
import Koa from 'koa'
import { keyHash } from '../../db/api-keys/key-format'
import { ReaderPool } from '../../db/postgres/reader-pool'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { Context } from '../../resolvers/context'
import { schema } from '../../resolvers/schema'
import { RequestInput } from '../../rest-gateway/read/request-input'
import type { Route } from '../../rest-gateway/record'
import { compileRoute } from '../../rest-gateway/request'
import { partnerRoutes } from '../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { ENVIRONMENT } from '../data/population'
import { openCursors, serve, setting } from './peer'
import { RATE_LIMIT } from './statements'

const database = new ReaderPool(setting('READER_DATABASE_URL'), {
  connections: 10,
  statementTimeoutMs: 60_000,
  connectTimeoutMs: 60_000,
})
const cursors = openCursors()
const apollo = new ApolloServer<Context>({ schema, stopOnTerminationSignals: false })

const defaultRate = { requests: RATE_LIMIT, seconds: 60 }

const contextOf = (reader: ScopedReader): Context =>
  new Context(reader, Date.now(), { service: { cursors, environment: ENVIRONMENT, rates: { defaultRate } } })

async function handle(route: Route, ctx: Koa.Context, path: Record<string, string>): Promise<void> {
  const input = new RequestInput(route, cursors, path, ctx.querystring)
  if (input.error) throw input.error
  const reader = database.readerFor(keyHash(ctx.get('X-API-Key')))
  const key = await reader.authenticate()
  const { body } = await apollo.executeOperation(
    { query: route.query, variables: input.variables },
    { contextValue: contextOf(reader) },
  )
  if (body.kind !== 'single') throw new Error('an incremental result')
  const [error] = body.singleResult.errors ?? []
  if (error) throw error
  const { data } = body.singleResult
  ctx.type = 'application/json'
  ctx.body = JSON.stringify(route.envelope.shape(data!, input, key))
}

async function graphql(ctx: Koa.Context): Promise<void> {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(ctx.headers)) headers.set(name, String(value))
  const body = await json(ctx)
  const reader = database.readerFor(keyHash(ctx.get('X-API-Key')))
  await reader.authenticate()
  const response = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: ctx.method, headers, search: ctx.search, body },
    context: async () => contextOf(reader),
  })
  ctx.status = response.status ?? 200
  for (const [name, value] of response.headers) ctx.set(name, value)
  ctx.body = response.body.kind === 'complete' ? response.body.string : ''
}

/** Entity tags and 304, computed as koa-etag does. */
async function entityTags(ctx: Koa.Context, next: Koa.Next): Promise<void> {
  await next()
  if (ctx.status !== 200 || typeof ctx.body !== 'string') return
  const hash = createHash('sha1').update(ctx.body).digest('base64').slice(0, 27)
  ctx.set('ETag', `W/"${ctx.body.length.toString(16)}-${hash}"`)
  if (ctx.fresh) ctx.status = 304
}

async function main(): Promise<void> {
  await apollo.start()
  const app = new Koa()
  app.silent = true
  const router = new Router()
  // Fixed paths first, because @koa/router takes the first that matches.
  const routes = [...partnerRoutes, ...legacyRoutes]
    .map(compileRoute)
    .toSorted((a, b) => +a.path.includes('{') - +b.path.includes('{'))
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1')
    router.get(path, ctx => handle(route, ctx as unknown as Koa.Context, ctx.params))
  }
  router.all('/graphql', ctx => graphql(ctx as unknown as Koa.Context))
  app.use(entityTags)
  app.use(router.routes() as unknown as Koa.Middleware)
  await serve(createServer(app.callback()))
}

void main()
