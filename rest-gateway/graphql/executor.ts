/**
 * Executes ad hoc queries: with graphql-js the first time, then compiled by graphql-jit. Compiling blocks the event loop for
 * some milliseconds and pays off with the next hundred rows. Both give the same result, which a test shows on generated
 * queries; documents on which they differ are never compiled.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql'
import { getVariableValues } from 'graphql/execution/values'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../resolvers/context'
import { checkCost, computeCost } from '../../resolvers/limits/cost'
import { ApiError } from '../../schema/errors'
import { isCompilable } from './compilable'
import { checkFieldNames, checkVariables } from './text'

/** The characters of an error that are shown. */
const MAX_MESSAGE = 500

/** The number of queries that are remembered. */
const MAX_KNOWN_QUERIES = 200

/** A query that was executed before. */
interface KnownQuery {
  /** Undefined until the second execution; null where the document must not be compiled. */
  compiled?: CompiledQuery | null
}

export interface ExecutionRequest {
  /** Parsed and valid. */
  document: DocumentNode
  /** Equal texts have equal hashes. */
  hash: string
  operationName: string | undefined
  variables: Record<string, unknown>
}

export class Executor {
  private readonly known = new LRUCache<string, KnownQuery>({ max: MAX_KNOWN_QUERIES })

  constructor(private readonly schema: GraphQLSchema) {}

  /**
   * Checks an operation before anything is read.
   *
   * @throws GraphQLError for anything but a query, for variables that do not fit their types, have invalid text or null where an argument must not be
   *   null, and for a query that is too costly
   */
  check(request: ExecutionRequest): void {
    const operation = getOperationAST(request.document, request.operationName)
    if (!operation) return
    if (!this.schema.getRootType(operation.operation)) {
      const extensions = { code: 'BAD_REQUEST', http: { status: 400 } }
      throw new GraphQLError('Only queries are supported.', { nodes: operation, extensions })
    }
    checkVariables(this.coerceVariables(operation, request))
    try {
      checkCost(computeCost(this.schema, request.document, operation.name?.value, request.variables))
    } catch (refusal) {
      throw asGraphQLError(refusal)
    }
  }

  /** Executes a checked operation. @returns undefined where the document has none of this name */
  async execute(request: ExecutionRequest, contextValue: Context): Promise<ExecutionResult | undefined> {
    const { document, operationName, variables } = request
    if (!getOperationAST(document, operationName)) return undefined
    const compiled = this.compile(request)
    if (!compiled) {
      return execute({ schema: this.schema, document, operationName, variableValues: variables, contextValue })
    }
    const result = await compiled.query(undefined, contextValue, variables)
    return result.errors ? { ...result, errors: result.errors.map(likeGraphqlJs) } : result
  }

  /** @throws GraphQLError BAD_USER_INPUT for the first value that does not fit: the message of each prints the whole variable */
  private coerceVariables(
    { variableDefinitions = [] }: OperationDefinitionNode,
    { variables }: ExecutionRequest,
  ): Record<string, unknown> {
    checkFieldNames(variables)
    const { coerced, errors } = getVariableValues(this.schema, variableDefinitions, variables, { maxErrors: 1 })
    if (coerced) return coerced
    const [{ message, nodes }] = errors as [GraphQLError]
    const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
    throw new GraphQLError(shown, {
      nodes: nodes ?? null,
      extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
    })
  }

  /** Returns nothing where a query is executed for the first time, or must not be compiled. */
  private compile({ document, hash, operationName }: ExecutionRequest): CompiledQuery | null | undefined {
    const key = `${hash} ${operationName ?? ''}`
    const known = this.known.get(key)
    if (!known) {
      this.known.set(key, {})
      return undefined
    }
    if (known.compiled === undefined) {
      const compiled = isCompilable(document) ? compileQuery(this.schema, document, operationName) : undefined
      known.compiled = compiled && isCompiledQuery(compiled) ? compiled : null
    }
    return known.compiled
  }
}

/** Returns an error of graphql-jit in the form of graphql-js. */
function likeGraphqlJs({ message, path, locations, originalError }: GraphQLError): GraphQLError {
  const error = new GraphQLError(message, { path, originalError })
  return Object.defineProperty(error, 'locations', { value: locations, enumerable: true })
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
