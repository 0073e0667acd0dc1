/**
 * Koa and Apollo's executeOperation, Apollo as it comes: each route runs the fixed query of the service's own record on the
 * same schema, behind the same door, and the same envelope shapes what comes of it. /graphql is Apollo's as well.
 */
import { createServer } from 'node:http'
import { ApolloServer, HeaderMap } from '@apollo/server'
import { json } from 'co-body'
import Koa from 'koa'
import { keyHash } from '../../db/api-keys/key-format'
import { ReaderPool } from '../../db/postgres/scoped-reader'
import { Context } from '../../resolvers/context'
import { schema } from '../../resolvers/schema'
import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { partnerRoutes } from '../../rest-gateway/routes/partner'
import { Paths } from '../../rest-gateway/routes/paths'
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
  const body = await reader.session(keyHash(ctx.get('X-API-Key')), async (key, door) => {
    const { body } = await apollo.executeOperation(
      { query: route.query, variables },
      { contextValue: new Context(door, Date.now()) },
    )
    if (body.kind !== 'single') throw new Error('a query came in parts')
    const [error] = body.singleResult.errors ?? []
    if (error) throw error
    return route.envelope.shape(body.singleResult.data as Record<string, unknown>, { variables, list, cursors }, key)
  })
  if (body === undefined) return refuse(ctx)
  ctx.type = 'application/json'
  ctx.body = JSON.stringify(body)
}

async function graphql(ctx: Koa.Context): Promise<void> {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(ctx.headers)) headers.set(name, String(value))
  const body = await json(ctx)
  const answer = await reader.session(keyHash(ctx.get('X-API-Key')), async (_, door) =>
    apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: ctx.method, headers, search: ctx.search, body },
      context: async () => new Context(door, Date.now()),
    }),
  )
  if (!answer) return refuse(ctx)
  ctx.status = answer.status ?? 200
  for (const [name, value] of answer.headers) ctx.set(name, value)
  ctx.body = answer.body.kind === 'complete' ? answer.body.string : ''
}

function refuse(ctx: Koa.Context): void {
  ctx.status = 401
}

async function main(): Promise<void> {
  await apollo.start()
  const app = new Koa()
  app.silent = true
  const routes = new Paths<RouteRecord>()
  for (const route of [...partnerRoutes, ...legacyRoutes]) routes.add(route.path, route)
  app.use(entityTags)
  app.use(async ctx => {
    if (ctx.path === '/graphql') return graphql(ctx)
    const found = routes.find(ctx.path)
    if (found) await handle(found.answer, ctx, found.parameters)
  })
  await serve(createServer(app.callback()))
}

void main()
