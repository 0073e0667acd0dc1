/**
 * Bounds the cost of a query before anything is read, by the `@rows` directives of the schema and the values of its
 * variables. The cost counts rows read or returned; the reads are fields that query the database, once for all parents.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { ApiError } from '../../schema/errors'
import type { Grain } from '../../schema/generated'
import { lengthOf } from './ranges'

export interface CostLimits {
  rows: number
  reads: number
}

export const COST_LIMITS: CostLimits = { rows: 200_000, reads: 100 }

interface Cost {
  rows: number
  reads: number
  /** The field with the most rows, by its path. */
  largest: { path: string; rows: number }
}

interface Range {
  fromDate: string
  toDate: string
}

/** Buckets per day. A day of a clock change may have a few more. */
const BUCKETS_PER_DAY: Record<Grain, number> = {
  minute: 1440,
  quarter_hour: 96,
  hour: 25,
  day: 1,
  week: 1 / 7,
  month: 1 / 28,
  quarter: 1 / 90,
}

/**
 * Refuses an operation of a valid document whose cost may exceed the limits.
 *
 * @param variables as they came in; coerced values do as well
 * @throws ApiError QUERY_TOO_COSTLY with the cost, the limit and what to narrow
 */
export function refuseCostly(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  limits: CostLimits = COST_LIMITS,
): void {
  const { rows, reads, largest } = costOf(schema, document, operation, variables)
  if (rows > limits.rows) {
    const message = `The query can read or return up to ${rows} rows; the maximum is ${limits.rows}. Narrow ${largest.path}: fewer days, a coarser grain or fewer assets.`
    throw new ApiError('QUERY_TOO_COSTLY', { cost: rows, limit: limits.rows, narrow: largest.path }, message)
  }
  if (reads > limits.reads) {
    const message = `The query needs ${reads} database reads; the maximum is ${limits.reads}. Select fewer fields in one query.`
    throw new ApiError('QUERY_TOO_COSTLY', { cost: reads, limit: limits.reads, narrow: largest.path }, message)
  }
}

type Field = GraphQLField<unknown, unknown>

/** The arguments of a field's @rows directive; null where it has none. */
const rowsDirectives = new WeakMap<Field, Record<string, unknown> | null>()

function rowsOf(schema: GraphQLSchema, field: Field): Record<string, unknown> | null {
  let args = rowsDirectives.get(field)
  if (args === undefined) {
    const directive = schema.getDirective('rows')
    args = (directive && field.astNode && getDirectiveValues(directive, field.astNode)) ?? null
    rowsDirectives.set(field, args)
  }
  return args
}

/** The largest cost of an operation. */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Cost {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
  }
  // A fragment has the same cost wherever it is spread in the same range: computed once, however deep it is nested.
  const costs = new Map<string, Cost>()
  const defaults = Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  )
  const values = { ...defaults, ...variables }
  return selection(operation.selectionSet, schema.getQueryType() as GraphQLCompositeType, undefined, '')

  function selection(set: SelectionSetNode, type: GraphQLCompositeType, range: Range | undefined, path: string): Cost {
    const cost: Cost = { rows: 0, reads: 0, largest: { path: '', rows: 0 } }
    const add = ({ rows, reads, largest }: Cost) => {
      cost.rows += rows
      cost.reads += reads
      if (largest.rows > cost.largest.rows) cost.largest = largest
    }
    for (const node of set.selections) {
      if (getDirectiveValues(GraphQLSkipDirective, node, values)?.if === true) continue
      if (getDirectiveValues(GraphQLIncludeDirective, node, values)?.if === false) continue
      if (node.kind === 'Field') {
        const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined
        const name = (node.alias ?? node.name).value
        if (field) add(fieldCost(field, node, range, path ? `${path}.${name}` : name))
      } else if (node.kind === 'InlineFragment') {
        add(selection(node.selectionSet, conditioned(node.typeCondition?.name.value) ?? type, range, path))
      } else add(fragmentCost(node.name.value, range, path))
    }
    return cost
  }

  function fieldCost(field: Field, node: FieldNode, range: Range | undefined, path: string): Cost {
    const args = getArgumentValues(field, node, values)
    const within = typeof args.fromDate === 'string' ? (args as unknown as Range) : range
    const type = getNamedType(field.type)
    const reads = field.resolve ? 1 : 0
    if (!isCompositeType(type) || !node.selectionSet) return { rows: 0, reads, largest: { path, rows: 0 } }
    const below = selection(node.selectionSet, type, within, path)
    const times = timesOf(field, args, within)
    const rows = Math.ceil(times * (1 + below.rows))
    const largest = times > 1 || below.largest.rows === 0 ? { path, rows } : below.largest
    return { rows, reads: reads + below.reads, largest }
  }

  function fragmentCost(name: string, range: Range | undefined, path: string): Cost {
    const fragment = fragments.get(name)
    const type = conditioned(fragment?.typeCondition.name.value)
    if (!fragment || !type) return { rows: 0, reads: 0, largest: { path, rows: 0 } }
    const key = `${name} ${range?.fromDate} ${range?.toDate}`
    const cost = costs.get(key) ?? selection(fragment.selectionSet, type, range, path)
    costs.set(key, cost)
    return cost
  }

  /** The number of times that a field's selection is resolved for one parent. */
  function timesOf(field: Field, args: Record<string, unknown>, range: Range | undefined): number {
    const directive = rowsOf(schema, field)
    if (!directive) return 1
    if (typeof directive.argument === 'string') return Math.max(0, Number(args[directive.argument] ?? 0))
    if (typeof directive.most === 'number') return directive.most
    const grain = (directive.grain ?? args.grain ?? 'day') as Grain
    // A range that ends before it begins is rejected by its resolver.
    return range ? Math.max(1, Math.ceil(lengthOf(range) * BUCKETS_PER_DAY[grain])) : 1
  }

  function conditioned(name: string | undefined): GraphQLCompositeType | undefined {
    const type = name === undefined ? undefined : schema.getType(name)
    return isCompositeType(type) ? type : undefined
  }
}
