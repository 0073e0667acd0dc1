/**
 * /graphql, for analysts: Apollo Server behind the same door as the fixed routes. What comes before GraphQL (path, method,
 * key, rate, scope, a body that is none) is answered as everywhere; what GraphQL finds is answered in GraphQL's way.
 */
import { setImmediate as othersCome } from 'node:timers/promises'
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Context as KoaContext } from 'koa'
import { LRUCache } from 'lru-cache'
import { Context } from '../../resolvers/context'
import { ApiError } from '../../schema/errors'
import { readKey } from '../auth/api-key-header'
import type { Gateway } from '../gateway'
import { parsed } from '../middleware/request-body'
import { formatError, type GraphQLRequestContext, tellLog } from './errors'
import { Execution } from './execution'

export const GRAPHQL = '/graphql'

export const GRAPHQL_METHODS = ['GET', 'POST', 'OPTIONS']

const SCOPE = 'internal:graphql:read'

/** Bounds that a text must keep before it is even looked at as a query: its tokens, and its fields with fragments resolved. */
const MOST_TOKENS = 1_000
const MOST_SELECTIONS = 5_000

/** So many queries are kept parsed and valid. */
const MOST_DOCUMENTS = 100

type Handler = (ctx: KoaContext) => Promise<void>

/** What answers /graphql. */
export function graphqlEndpoint(schema: GraphQLSchema, gateway: Gateway): Handler {
  const server = createServer(schema, gateway)
  server.startInBackgroundHandlingStartupErrorsByLoggingAndFailingAllRequests()
  return async ctx => {
    const keyHash = readKey(ctx, gateway.environment)
    const spent = gateway.rates.isSpent(keyHash)
    const answer = await gateway.database.session(keyHash, async (key, door) => {
      ctx.state.keyId = key.id
      if (spent) await gateway.rates.refuse(ctx, key)
      await gateway.rates.take(ctx, key, keyHash)
      if (!key.scopes.includes(SCOPE)) throw new ApiError('INSUFFICIENT_SCOPE', { required_scope: SCOPE })
      const body = parsed(ctx.state.received ?? {})
      return server.executeHTTPGraphQLRequest({
        httpGraphQLRequest: { method: ctx.method, headers: headersOf(ctx), search: ctx.search, body },
        context: async () => ({ ctx, context: new Context(door, gateway.now()) }),
      })
    })
    if (!answer) throw new ApiError('INVALID_API_KEY')
    ctx.status = answer.status ?? 200
    for (const [name, value] of answer.headers) ctx.set(name, value)
    ctx.set('Cache-Control', 'no-store')
    ctx.vary('X-API-Key, Accept, Accept-Encoding')
    ctx.body = answer.body.kind === 'complete' ? answer.body.string : ''
  }
}

/** Nothing in it depends on NODE_ENV, and it neither listens to signals nor talks to anybody. */
function createServer(schema: GraphQLSchema, { log }: Gateway): ApolloServer<GraphQLRequestContext> {
  const execution = new Execution(schema)
  return new ApolloServer<GraphQLRequestContext>({
    // A gateway, in Apollo's words, is what brings a schema together with an executor of its own.
    gateway: {
      onSchemaLoadOrUpdate(tell) {
        tell({ apiSchema: schema, coreSupergraphSdl: '' })
        return () => {}
      },
      load: async () => ({
        executor: async ({ document, queryHash, request, context }) =>
          execution.execute(
            {
              document,
              hash: queryHash,
              operationName: request.operationName,
              variables: request.variables ?? {},
            },
            (context as GraphQLRequestContext).context,
          ) as Promise<Record<string, never>>,
      }),
      stop: async () => {},
    },
    nodeEnv: 'production',
    introspection: true,
    includeStacktraceInErrorResponses: false,
    formatError,
    documentStore: documents(),
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    // A page of another origin cannot send the key's header unasked.
    csrfPrevention: { requestHeaders: ['X-API-Key'] },
    parseOptions: { maxTokens: MOST_TOKENS },
    maxRecursiveSelections: MOST_SELECTIONS,
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      tellLog(log),
      stepByStep,
    ],
  })
}

/** Queries that were asked lately. Apollo's own store would write each as JSON to weigh it, which takes as long as to validate it. */
function documents() {
  const kept = new LRUCache<string, DocumentNode>({ max: MOST_DOCUMENTS })
  return {
    get: async (hash: string) => kept.get(hash),
    set: async (hash: string, document: DocumentNode) => void kept.set(hash, document),
    delete: async (hash: string) => kept.delete(hash),
  }
}

/** Between the steps of a query that is new, each of which may take long, others have the event loop. */
const stepByStep: ApolloServerPlugin = {
  requestDidStart: async () => ({
    async parsingDidStart() {
      await othersCome()
      return () => othersCome()
    },
    async validationDidStart() {
      return () => othersCome()
    },
  }),
}

/** The headers as Apollo wants them. */
function headersOf(ctx: KoaContext): HeaderMap {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(ctx.headers)) headers.set(name, [value].flat().join(', '))
  return headers
}
