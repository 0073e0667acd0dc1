/**
 * Computes the largest cost of a query before anything is read, by the `@rows` directives of the schema and the values of its
 * variables: the rows that it reads or returns, whichever are more, its reads (fields that query the database, once for all
 * parents), the values that it returns (leaf fields times rows), and the bytes of the response.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { introspectionCost, isIntrospection } from './introspection-cost'
import { describeList, type List } from './lists'
import {
  type Caps,
  countDays,
  countReads,
  countTimes,
  findGroup,
  type RowArguments,
  rowsDirective,
  type ScopeCounts,
} from './row-counts'
import { isSkipped } from './skipped'
import { ERROR_BYTES, valueBytes } from './value-bytes'

export interface CostLimits {
  rows: number
  reads: number
  values: number
  /** Values that the executor completes without a break, all in one turn of the event loop. */
  valuesPerTurn: number
  bytes: number
}

type Cost = Record<keyof CostLimits, number> & {
  /** The fields with the most rows and with the most values, by their paths. */
  largest: { path: string; rows: number }
  widest: { path: string; values: number }
  /** Whether it depends on the numbers of groups. */
  isGrouped: boolean
  /** Whether it asks for the schema. */
  isIntrospective: boolean
}

/** The cost of an operation, with the arguments on which it depends. */
export interface OperationCost extends Cost {
  lists: List[]
  /** The largest `limit` and the longest range, in days; 0 without one. */
  largestArguments: Required<Caps>
}

/** A cost while it is added up. */
interface PartialCost extends Cost {
  /** The values that are completed in the same turn as the parent. */
  ownTurn: number
}

/** Calling a resolver takes as long as this many values, and longer if it fails. */
const VALUES_PER_CALL = 25

/** The place of a selection. */
interface Scope {
  args: RowArguments
  /** The number of items of lists in it that have no number of their own. */
  items: number
  path: string
}

const NOTHING: PartialCost = {
  rows: 0,
  reads: 0,
  values: 0,
  valuesPerTurn: 0,
  bytes: 0,
  ownTurn: 0,
  largest: { path: '', rows: 0 },
  widest: { path: '', values: 0 },
  isGrouped: false,
  isIntrospective: false,
}

/**
 * Returns the largest cost of an operation.
 *
 * @param variables coerced, with their defaults
 * @param counts of the scope of the key, as far as they are known
 * @param caps to which its arguments are lowered
 */
export function computeCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  counts: ScopeCounts = {},
  caps: Caps = {},
): OperationCost {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
  }
  // A fragment has the same cost wherever it is spread with the same arguments around it: computed once, however deep it is nested.
  const costs = new Map<string, PartialCost>()
  const lists = new Map<FieldNode, List>()
  const largestArguments = { limit: 0, days: 0 }
  const root = { args: {}, items: 1, path: '' }
  const cost = selection(operation.selectionSet, schema.getQueryType() as GraphQLCompositeType, root)
  const valuesPerTurn = Math.max(cost.valuesPerTurn, cost.ownTurn)
  return { ...cost, valuesPerTurn, lists: [...lists.values()], largestArguments }

  function selection(set: SelectionSetNode, type: GraphQLCompositeType, within: Scope): PartialCost {
    const cost = { ...NOTHING }
    for (const node of set.selections) {
      if (isSkipped(node, variables)) continue
      if (node.kind === 'Field') add(cost, fieldCost(type, node, within))
      else if (node.kind === 'InlineFragment') {
        add(cost, selection(node.selectionSet, conditioned(node.typeCondition?.name.value) ?? type, within))
      } else add(cost, fragmentCost(node.name.value, within))
    }
    return cost
  }

  function fieldCost(type: GraphQLCompositeType, node: FieldNode, within: Scope): PartialCost {
    const name = (node.alias ?? node.name).value
    const path = within.path ? `${within.path}.${name}` : name
    if (isIntrospection(node)) {
      const { values, bytes } = introspectionCost(schema, node, fragments, variables)
      return { ...NOTHING, values, bytes, ownTurn: values, widest: { path, values }, isIntrospective: true }
    }
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined
    if (!field) return { ...NOTHING, values: 1, bytes: valueBytes(name, undefined), ownTurn: 1 }
    const args = getArgumentValues(field, node, variables)
    const own = rowArguments(args)
    const directive = rowsDirective(schema, field)
    const around = { ...within.args, ...own, ...(within.path === '' && countMatches(node, args)) }
    note('days', own.fromDate ? countDays(own, {}) : 0)
    if (directive?.argument) note('limit', Number(args[directive.argument]))
    const times = countTimes(directive, args, around, counts, caps)
    const isGrouped = findGroup(directive, around) !== undefined
    const isList = isListType(getNullableType(field.type))
    // The rows of an object, such as a series, are those of the list in it.
    const items = isList ? (directive ? times : within.items) : 1
    const fieldType = getNamedType(field.type)
    const call = field.resolve ? VALUES_PER_CALL : 0
    const reads = field.resolve ? 1 : 0
    if (!isCompositeType(fieldType) || !node.selectionSet) {
      return {
        ...NOTHING,
        isGrouped,
        reads,
        values: items,
        bytes: items * valueBytes(name, field),
        ownTurn: items + call,
      }
    }
    const below = selection(node.selectionSet, fieldType, { args: around, items: isList ? 1 : times, path })
    const rowsOfOne = Math.max(directive ? times : 1, below.rows)
    const read = countReads(directive, own, within.args, counts, caps)
    const rows = Math.ceil(isList ? Math.max(read, items * (1 + below.rows)) : Math.max(rowsOfOne, read))
    const values = Math.ceil(items * below.values)
    const bytes = valueBytes(name, undefined) + items * below.bytes
    const turn = Math.ceil(items * below.ownTurn)
    // Reading begins a new turn.
    const hasOwnTurn = field.resolve && directive
    return {
      rows,
      reads: reads + below.reads,
      values,
      valuesPerTurn: Math.max(below.valuesPerTurn, hasOwnTurn ? turn : 0),
      bytes: field.resolve ? Math.max(bytes, ERROR_BYTES) : bytes,
      ownTurn: call + (hasOwnTurn ? 0 : turn),
      largest: times > 1 || below.largest.rows === 0 ? { path, rows } : below.largest,
      widest: items > 1 || below.widest.values === 0 ? { path, values } : below.widest,
      isGrouped: isGrouped || below.isGrouped,
      isIntrospective: below.isIntrospective,
    }
  }

  /** Returns the number of rows that a list's filter matches, as far as it is known. */
  function countMatches(node: FieldNode, args: Record<string, unknown>): { matching?: number } {
    const list = describeList(node, args)
    if (!list) return {}
    lists.set(node, list)
    const matching = counts.matching?.get(node) ?? list.named
    return matching === undefined ? {} : { matching }
  }

  function note(argument: keyof Caps, value: number): void {
    largestArguments[argument] = Math.max(largestArguments[argument], value)
  }

  function fragmentCost(name: string, within: Scope): PartialCost {
    const fragment = fragments.get(name)
    const type = conditioned(fragment?.typeCondition.name.value)
    if (!fragment || !type) return NOTHING
    const key = `${name} ${JSON.stringify(within.args)} ${within.items}`
    const cost = costs.get(key) ?? selection(fragment.selectionSet, type, within)
    costs.set(key, cost)
    return cost
  }

  function conditioned(name: string | undefined): GraphQLCompositeType | undefined {
    const type = name === undefined ? undefined : schema.getType(name)
    return isCompositeType(type) ? type : undefined
  }
}

/** Returns the arguments of a field on which the rows of the fields in it depend. */
function rowArguments({ fromDate, toDate, grain, groupBy }: Record<string, unknown>): RowArguments {
  return {
    ...(fromDate ? { fromDate, toDate } : undefined),
    ...(grain ? { grain } : undefined),
    ...(groupBy ? { groupBy } : undefined),
  } as RowArguments
}

function add(cost: PartialCost, other: PartialCost): void {
  cost.rows += other.rows
  cost.reads += other.reads
  cost.values += other.values
  cost.bytes += other.bytes
  cost.ownTurn += other.ownTurn
  cost.isGrouped ||= other.isGrouped
  cost.isIntrospective ||= other.isIntrospective
  cost.valuesPerTurn = Math.max(cost.valuesPerTurn, other.valuesPerTurn)
  if (other.largest.rows > cost.largest.rows) cost.largest = other.largest
  if (other.widest.values > cost.widest.values) cost.widest = other.widest
}
