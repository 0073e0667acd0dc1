/**
 * Koa and Apollo's executeOperation with Apollo's defaults. Each route runs the persisted query of the service's own record
 * on the same schema, through the same scoped reader, and the record's envelope shapes the result. Apollo serves /graphql, too.
 */
import { createServer } from 'node:http'
import { ApolloServer, HeaderMap } from '@apollo/server'
import Router from '@koa/router'
import { json } from 'co-body'
import Koa from 'koa'
import { keyHash } from '../../db/api-keys/key-format'
import { ReaderPool } from '../../db/postgres/scoped-reader'
import { Context } from '../../resolvers/context'
import { schema } from '../../resolvers/schema'
import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { partnerRoutes } from '../../rest-gateway/routes/partner'
import type { RouteRecord } from '../../rest-gateway/routes/route'
import { entityTags } from './entity-tags'
import { openCursors, serve, setting } from './peer'

const reader = new ReaderPool(setting('READER_DATABASE_URL'), {
  connections: 10,
  statementTimeoutMs: 60_000,
  connectTimeoutMs: 60_000,
})
const cursors = openCursors()
const apollo = new ApolloServer<Context>({ schema, stopOnTerminationSignals: false })

async function handle(route: RouteRecord, ctx: Koa.Context, path: Record<string, string>): Promise<void> {
  const query = new URLSearchParams(ctx.querystring)
  const text = (name: string): string | undefined => path[name] ?? query.get(name) ?? undefined
  const filters = route.parameters
    .filter(({ name }) => name !== 'limit' && name !== 'cursor')
    .map(({ name }) => [name, text(name) ?? null])
  const list = JSON.stringify([route.operation, filters])
  const variables = Object.fromEntries(
    route.parameters.map(each => [each.name, each.parse(text(each.name), { cursors, list })]),
  )
  const body = await reader.session(keyHash(ctx.get('X-API-Key')), async (key, scopedReader) => {
    const { body } = await apollo.executeOperation(
      { query: route.query, variables },
      { contextValue: new Context(scopedReader, Date.now()) },
    )
    if (body.kind !== 'single') throw new Error('the result is incremental')
    const [error] = body.singleResult.errors ?? []
    if (error) throw error
    return route.envelope.shape(body.singleResult.data as Record<string, unknown>, { variables, list, cursors }, key)
  })
  if (body === undefined) {
    ctx.status = 401
    return
  }
  ctx.type = 'application/json'
  ctx.body = JSON.stringify(body)
}

async function graphql(ctx: Koa.Context): Promise<void> {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(ctx.headers)) headers.set(name, String(value))
  const body = await json(ctx)
  const response = await reader.session(keyHash(ctx.get('X-API-Key')), async (_, scopedReader) =>
    apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: ctx.method, headers, search: ctx.search, body },
      context: async () => new Context(scopedReader, Date.now()),
    }),
  )
  if (!response) {
    ctx.status = 401
    return
  }
  ctx.status = response.status ?? 200
  for (const [name, value] of response.headers) ctx.set(name, value)
  ctx.body = response.body.kind === 'complete' ? response.body.string : ''
}

async function main(): Promise<void> {
  await apollo.start()
  const app = new Koa()
  app.silent = true
  const router = new Router()
  for (const route of [...partnerRoutes, ...legacyRoutes]) {
    router.get(route.path.replace(/\{(\w+)\}/g, ':$1'), ctx => handle(route, ctx, ctx.params))
  }
  router.post('/graphql', graphql)
  app.use(entityTags).use(router.routes())
  await serve(createServer(app.callback()))
}

void main()
