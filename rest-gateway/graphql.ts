/** /graphql, for analysts: Apollo Server on Koa. Errors of the query itself are reported as GraphQL errors. */
import { ApolloServer, type ApolloServerPlugin, type DocumentStore, HeaderMap } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { asApiError, ConnectionError, findReason } from '../db/postgres/errors'
import type { ScopedReader } from '../db/postgres/scoped-reader'
import { Context } from '../resolvers/context'
import { checkCost, computeCost } from '../resolvers/limits/cost'
import { nextTurn } from '../resolvers/turns'
import { ApiError, ERRORS } from '../schema/errors'
import type { Gateway } from './gateway'
import { parseBody } from './read/request-body'
import { authenticate, readKey } from './read/request-input'
import type { KoaContext } from './state'

export const GRAPHQL_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

const GRAPHQL_SCOPE = 'internal:graphql:read'

/** The most tokens of a query, before it is parsed. */
const MAX_TOKENS = 1_000

const MAX_ERRORS = 10

const MAX_DOCUMENTS = 100

/** Errors of the whole request, by the status that a query without a result has: what was read may be incomplete. */
const OUTAGES = ['UNAVAILABLE', 'TIMEOUT'] as const

export function graphqlEndpoint(schema: GraphQLSchema, gateway: Gateway): (ctx: KoaContext) => Promise<void> {
  const server = createServer(schema, gateway)
  server.startInBackgroundHandlingStartupErrorsByLoggingAndFailingAllRequests()
  const { database, environment, rates } = gateway
  return async ctx => {
    const { stages, reads, lease, received = {} } = ctx.state
    stages.begin('read')
    const keyHash = readKey(ctx, environment)
    stages.begin('execute')
    const reader = database.readerFor(keyHash, reads, nextTurn, lease)
    const { scopes } = await authenticate(ctx, reader, rates, keyHash)
    if (!scopes.includes(GRAPHQL_SCOPE)) {
      throw new ApiError('INSUFFICIENT_SCOPE', { required_scope: GRAPHQL_SCOPE })
    }
    const contextValue = new GraphQLContext(reader, gateway, ctx)
    // Apollo does not know HEAD; Node sends no body in response to it.
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method
    const response = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method, headers: readHeaders(ctx), search: ctx.search, body: parseBody(received) },
      context: async () => contextValue,
    })
    const outage = OUTAGES.find(code => ERRORS[code].status === response.status)
    if (outage) throw new ApiError(outage)
    stages.begin('send')
    ctx.status = response.status ?? 200
    for (const [name, value] of response.headers) ctx.set(name, value)
    ctx.set('Cache-Control', 'no-store')
    ctx.vary('X-API-Key, Accept, Accept-Encoding')
    ctx.body = response.body.kind === 'complete' ? response.body.string : ''
  }
}

/** Independent of NODE_ENV; it handles no signals and sends nothing to anybody. */
function createServer(schema: GraphQLSchema, { log }: Gateway): ApolloServer<GraphQLContext> {
  return new ApolloServer<GraphQLContext>({
    schema,
    nodeEnv: 'production',
    introspection: true,
    includeStacktraceInErrorResponses: false,
    formatError,
    // Apollo's own store would serialise each document to learn its size, which takes as long as validating it.
    documentStore: new LRUCache({ max: MAX_DOCUMENTS }) as unknown as DocumentStore,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    // A page of another origin cannot send this header unless CORS allows it.
    csrfPrevention: { requestHeaders: ['X-API-Key'] },
    parseOptions: { maxTokens: MAX_TOKENS },
    // Each error searches for suggestions.
    validationOptions: { maxErrors: MAX_ERRORS },
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      observeOperations(schema, log),
    ],
  })
}

/** Checks operations before they are executed, logs their errors, and sets the status of a lost connection. */
const observeOperations = (schema: GraphQLSchema, log: Logger): ApolloServerPlugin<GraphQLContext> => ({
  requestDidStart: async () => ({
    async didResolveOperation(request) {
      const { operationName, contextValue } = request
      if (operationName) contextValue.ctx.state.graphqlOperation = operationName.slice(0, 64)
      checkOperation(schema, request)
    },
    async didEncounterErrors({ errors, contextValue: { ctx } }) {
      for (const error of errors) report(error, ctx, log)
    },
    async willSendResponse({ errors, response }) {
      const status = findOutage(errors)
      if (status) response.http.status = status
    },
  }),
})

function readHeaders(ctx: KoaContext): HeaderMap {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(ctx.headers)) headers.set(name, [value].flat().join(', '))
  return headers
}

/** The context of a query in Apollo: that of the resolvers, with the request for its log line. */
class GraphQLContext extends Context {
  constructor(
    reader: ScopedReader,
    gateway: Gateway,
    readonly ctx: KoaContext,
  ) {
    super(reader, gateway.now(), { nextTurn, service: gateway, isInternal: true })
  }
}

/** Returns the error as callers see it. Apollo has set codes on errors of the request itself. */
function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted
  const code = formatted.extensions?.code
  const cause = asApiError(findCause(error))
  const position = { ...(locations && { locations }), ...(path && { path }) }
  if (!(cause instanceof ApiError) && code && code !== 'INTERNAL_SERVER_ERROR') {
    return { message: formatted.message, ...position, extensions: { code } }
  }
  const visible = cause instanceof ApiError ? cause : new ApiError('INTERNAL')
  return { message: visible.message, ...position, extensions: { code: visible.code, details: visible.details } }
}

/** Returns the status of a result without the rows of a connection that was lost; undefined for all others. */
const findOutage = (errors: readonly GraphQLError[] = []): number | undefined =>
  errors.map(findCause).find(cause => cause instanceof ConnectionError)?.status

/** Notes the code of an error for the log line, and logs an internal error. */
function report(error: GraphQLError, ctx: KoaContext, log: Logger): void {
  const code = formatError(error.toJSON(), error).extensions?.code as string
  ctx.state.errorCode ??= code
  ctx.state.reason ??= findReason(asApiError(findCause(error)))
  if (code === 'INTERNAL') log.error({ err: findCause(error), request_id: ctx.state.requestId }, 'internal error')
}

/** Returns the error that a resolver threw, if the error is a resolver's. */
function findCause(error: unknown): unknown {
  let cause = error
  while (cause instanceof Error && (cause as GraphQLError).originalError) cause = (cause as GraphQLError).originalError
  return cause
}

const MAX_MESSAGE = 500

/** A request whose document was parsed and is valid. */
interface ExecutionRequest {
  document: DocumentNode
  request: { operationName?: string | undefined; variables?: Record<string, unknown> | undefined }
}

/** @throws GraphQLError for anything but a query, for variables that do not fit, and for a query that is too costly */
function checkOperation(
  schema: GraphQLSchema,
  { document, request: { operationName, variables = {} } }: ExecutionRequest,
): void {
  const operation = getOperationAST(document, operationName)
  if (!operation) return
  if (!schema.getRootType(operation.operation)) {
    const extensions = { code: 'BAD_REQUEST', http: { status: 400 } }
    throw new GraphQLError('Only queries are supported.', { nodes: operation, extensions })
  }
  checkVariables(schema, operation, variables)
  try {
    checkCost(computeCost(schema, document, operation.name?.value, variables))
  } catch (refusal) {
    throw asGraphQLError(refusal)
  }
}

/** @throws GraphQLError BAD_USER_INPUT for the first value that does not fit: the message of each prints the whole variable */
function checkVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  const { errors } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 })
  if (!errors) return
  const [{ message, nodes }] = errors as [GraphQLError]
  const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
  throw new GraphQLError(shown, {
    nodes: nodes ?? null,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  })
}

function asGraphQLError(refusal: unknown): GraphQLError {
  // A null variable where an argument must not be null.
  if (refusal instanceof GraphQLError) {
    const { message, nodes = null } = refusal
    return new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } })
  }
  if (!(refusal instanceof ApiError)) throw refusal
  return new GraphQLError(refusal.message, {
    originalError: refusal,
    extensions: { http: { status: refusal.status } },
  })
}
