/** GraphQL errors as callers see them: those of the service with their code and details, others with a code of GraphQL, and nothing about internal ones. */
import type { ApolloServerPlugin } from '@apollo/server'
import type { GraphQLError, GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { asApiError, ConnectionError, findReason } from '../../db/postgres/errors'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { Context } from '../../resolvers/context'
import { nextTurn } from '../../resolvers/turns'
import { ApiError } from '../../schema/errors'
import type { Gateway } from '../gateway'
import type { KoaContext } from '../state'

/** The context of a query in Apollo: that of the resolvers, with the request for its log line. */
export class GraphQLContext extends Context {
  constructor(
    reader: ScopedReader,
    gateway: Gateway,
    readonly ctx: KoaContext,
  ) {
    super(reader, gateway.now(), { nextTurn, service: gateway, isInternal: true })
  }
}

/** Returns the error as callers see it. Apollo has set codes on errors of the request itself. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
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
export const findOutage = (errors: readonly GraphQLError[] = []): number | undefined =>
  errors.map(findCause).find(cause => cause instanceof ConnectionError)?.status

/** Adds the operation and the first error code to the log line of the request, and logs internal errors. */
export const reportErrors = (log: Logger): ApolloServerPlugin<GraphQLContext> => ({
  requestDidStart: async () => ({
    async didResolveOperation({ operationName, contextValue: { ctx } }) {
      if (operationName) ctx.state.graphqlOperation = operationName.slice(0, 64)
    },
    async didEncounterErrors({ errors, contextValue: { ctx } }) {
      for (const error of errors) report(error, ctx, log)
    },
  }),
})

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
