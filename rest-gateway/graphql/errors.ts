/** What GraphQL tells of errors: ours under our codes with their details, its own under its own, and of faults nothing. */
import type { ApolloServerPlugin } from '@apollo/server'
import type { GraphQLError, GraphQLFormattedError } from 'graphql'
import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import { asApiError } from '../../db/postgres/errors'
import type { Context } from '../../resolvers/context'
import { ApiError } from '../../schema/errors'

/** An error as the caller sees it. Apollo has put codes on what GraphQL itself found wrong with the request. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted
  const code = formatted.extensions?.code
  const cause = asApiError(causeOf(error))
  const place = { ...(locations && { locations }), ...(path && { path }) }
  if (!(cause instanceof ApiError) && code && code !== 'INTERNAL_SERVER_ERROR') {
    return { message: formatted.message, ...place, extensions: { code } }
  }
  const told = cause instanceof ApiError ? cause : new ApiError('INTERNAL')
  return { message: told.message, ...place, extensions: { code: told.code, details: told.details } }
}

/** What Apollo carries along with a query: for the resolvers, and for the log. */
export interface GraphQLRequestContext {
  context: Context
  ctx: KoaContext
}

/** Tells the line about the request which operation it was and its first error, and the log of faults of ours. */
export const tellLog = (log: Logger): ApolloServerPlugin<GraphQLRequestContext> => ({
  requestDidStart: async () => ({
    async didResolveOperation({ operationName, contextValue: { ctx } }) {
      ctx.state.graphqlOperation = operationName?.slice(0, 64)
    },
    async didEncounterErrors({ errors, contextValue: { ctx } }) {
      for (const error of errors) {
        const { code } = formatError(error.toJSON(), error).extensions as { code: string }
        ctx.state.errorCode ??= code
        if (code === 'INTERNAL') log.error({ err: causeOf(error), request_id: ctx.state.requestId }, 'a fault of ours')
      }
    },
  }),
})

/** What a resolver threw, where it was one. */
function causeOf(error: unknown): unknown {
  let cause = error
  while (cause instanceof Error && (cause as GraphQLError).originalError) cause = (cause as GraphQLError).originalError
  return cause
}
