/** Checks ad hoc operations before anything is read. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import { checkCost, computeCost } from '../../resolvers/limits/cost'
import { ApiError } from '../../schema/errors'

/** The characters of an error that are shown. */
const MAX_MESSAGE = 500

/** A request whose document was parsed and is valid. */
interface ExecutionRequest {
  document: DocumentNode
  request: { operationName?: string | undefined; variables?: Record<string, unknown> | undefined }
}

/**
 * @throws GraphQLError for anything but a query, for variables that do not fit their types or are null where an argument must not be,
 *   and for a query that is too costly
 */
export function checkOperation(
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
