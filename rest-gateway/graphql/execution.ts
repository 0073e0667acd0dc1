/**
 * How a query that was asked freely is executed: by graphql-js when it is asked for the first time, and from then on
 * compiled by graphql-jit, which holds up all others for some milliseconds and pays for itself with the next hundred rows.
 * Both come to the same, which a test shows on generated queries; where they would not, graphql-js has it.
 */
import {
  BREAK,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  visit,
} from 'graphql'
import { getVariableValues } from 'graphql/execution/values'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../resolvers/context'
import { COST_LIMITS, type CostLimits, refuseCostly } from '../../resolvers/limits/cost'
import { ApiError } from '../../schema/errors'

/** So many queries are remembered. */
const MOST_KNOWN = 200

/** A query that was asked before. */
interface Known {
  /** Undefined until it is asked again; null where it is not to be compiled. */
  compiled?: CompiledQuery | null
}

export interface ExecutionRequest {
  /** Parsed and valid. */
  document: DocumentNode
  /** The same text has the same hash. */
  hash: string
  operationName: string | undefined
  variables: Record<string, unknown>
}

export class Execution {
  private readonly known = new LRUCache<string, Known>({ max: MOST_KNOWN })

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly limits: CostLimits = COST_LIMITS,
  ) {}

  /** The result of a query; faults of its variables and of its cost come without data. */
  async execute(asked: ExecutionRequest, context: Context): Promise<ExecutionResult> {
    const { document, operationName, variables } = asked
    const operation = operationOf(document, operationName)
    const plain = () =>
      execute({ schema: this.schema, document, operationName, variableValues: variables, contextValue: context })
    if (!operation) return plain()
    if (!this.schema.getRootType(operation.operation)) {
      const extensions = { code: 'BAD_REQUEST' }
      return { errors: [new GraphQLError('There are queries here only.', { nodes: operation, extensions })] }
    }
    const values = getVariableValues(this.schema, operation.variableDefinitions ?? [], variables)
    if (values.errors) return { errors: values.errors }
    try {
      refuseCostly(this.schema, document, operation, values.coerced, this.limits)
    } catch (refusal) {
      return { errors: [asGraphQLError(refusal)] }
    }
    const compiled = this.compile(asked)
    if (!compiled) return plain()
    const result = await compiled.query(undefined, context, variables)
    return result.errors ? { ...result, errors: result.errors.map(asGraphQLs) } : result
  }

  /** Nothing where a query is asked for the first time, or is not to be compiled. */
  private compile({ document, hash, operationName }: ExecutionRequest): CompiledQuery | null | undefined {
    const key = `${hash} ${operationName ?? ''}`
    const known = this.known.get(key)
    if (!known) {
      this.known.set(key, {})
      return undefined
    }
    if (known.compiled === undefined) {
      const compiled = isConditional(document) ? undefined : compileQuery(this.schema, document, operationName)
      known.compiled = compiled && isCompiledQuery(compiled) ? compiled : null
    }
    return known.compiled
  }
}

/** Whether it says @skip or @include: of fields that stand twice, or in fragments, graphql-jit asks the wrong ones. */
function isConditional(document: DocumentNode): boolean {
  let conditional = false
  visit(document, {
    Directive() {
      conditional = true
      return BREAK
    },
  })
  return conditional
}

/** An error of graphql-jit, which lacks some of what an error of graphql-js has. */
function asGraphQLs({ message, path, locations, originalError }: GraphQLError): GraphQLError {
  const error = new GraphQLError(message, { path, originalError })
  return Object.defineProperty(error, 'locations', { value: locations, enumerable: true })
}

/** The operation that is asked for, undefined where that is not clear. */
function operationOf(document: DocumentNode, name: string | undefined) {
  const operations = document.definitions.filter(definition => definition.kind === Kind.OPERATION_DEFINITION)
  return name === undefined && operations.length > 1 ? undefined : operations.find(o => !name || o.name?.value === name)
}

function asGraphQLError(refusal: unknown): GraphQLError {
  if (refusal instanceof GraphQLError) return refusal
  if (!(refusal instanceof ApiError)) throw refusal
  return new GraphQLError(refusal.message, {
    originalError: refusal,
    extensions: { http: { status: refusal.status } },
  })
}
