/** GraphQL errors as callers see them: those of the service with their code and details, others with a code of GraphQL, and nothing about internal ones. */
import type { ApolloServerPlugin } from '@apollo/server'
import type { GraphQLError, GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { asApiError, ConnectionError, findReason } from '../../db/postgres/errors'
import type { Context } from '../../resolvers/context'
import { nextTurn } from '../../resolvers/turns'
import { ApiError } from '../../schema/errors'
import type { Context as KoaContext } from '../state'

/** The context of a query in Apollo: the resolvers' context, and the request for its log line. */
export interface GraphQLRequestContext {
  context: Context
  ctx: KoaContext
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

/** Errors that are formatted in one turn of the event loop. */
const ERRORS_PER_TURN = 100

/** Reports the errors of a result, and returns them as callers see them. */
export async function reportInTurns(
  errors: readonly GraphQLError[],
  ctx: KoaContext,
  log: Logger,
): Promise<GraphQLFormattedError[]> {
  const formatted: GraphQLFormattedError[] = []
  for (const error of errors) {
    formatted.push(report(error, ctx, log))
    if (formatted.length % ERRORS_PER_TURN === 0) await nextTurn()
  }
  return formatted
}

/** Adds the operation and the first error code to the log line of the request, and logs internal errors. */
export const reportErrors = (log: Logger): ApolloServerPlugin<GraphQLRequestContext> => ({
  requestDidStart: async () => ({
    async didResolveOperation({ operationName, contextValue: { ctx } }) {
      if (operationName) ctx.state.graphqlOperation = operationName.slice(0, 64)
    },
    async didEncounterErrors({ errors, contextValue: { ctx } }) {
      for (const error of errors) report(error, ctx, log)
    },
  }),
})

/** Returns an error as callers see it. Its code is noted for the log line, and an internal error is logged. */
function report(error: GraphQLError, ctx: KoaContext, log: Logger): GraphQLFormattedError {
  const formatted = formatError(error.toJSON(), error)
  const code = formatted.extensions?.code as string
  ctx.state.errorCode ??= code
  ctx.state.reason ??= findReason(asApiError(findCause(error)))
  if (code === 'INTERNAL') log.error({ err: findCause(error), request_id: ctx.state.requestId }, 'internal error')
  return formatted
}

/** Returns the error that a resolver threw, if the error is a resolver's. */
function findCause(error: unknown): unknown {
  let cause = error
  while (cause instanceof Error && (cause as GraphQLError).originalError) cause = (cause as GraphQLError).originalError
  return cause
}
