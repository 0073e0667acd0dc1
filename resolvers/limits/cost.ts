/**
 * Calculates the largest cost of a query before anything is read, by the `@rows` directives of the schema and the values of its
 * variables. The unit is a value in the response: a field that takes longer, because it is read, costs as many values as take that
 * long. Fields whose rows depend on their parent, such as the buckets of its range, are added when the parent's arguments are known.
 */
import { collectFields, collectSubFields, type FieldsAndPatches, type VariableValues } from '@graphql-tools/utils'
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql'
import { GRAINS } from '../../db/calendar/grains'
import { ApiError } from '../../schema/errors'
import type { AggregateGroup, Grain } from '../../schema/generated'
import { meanLength } from './introspection'
import { type DateRange, lengthOf } from './ranges'

export const MAX_COST = 200_000

/** The least cost of a selection, each time that its fragment is spread. */
const COST_OF_SELECTION = 100

/** A field that reads sends a statement, once for all of its parents. */
const COST_OF_STATEMENT = 3_500

/** Calling a resolver, or reading a row of a page, takes as long as this many values. */
const COST_OF_CALL = 25

/** Reading a bucket of as many groups as there may be. Finding the groups takes as long as some buckets. */
const COST_OF_GROUPS = 1_100
const BUCKETS_OF_GROUPS = 15

/** Characters of a name or text that cost as much as a value. */
const CHARACTERS_PER_VALUE = 100

/** The longest texts that the database accepts, in characters, by field. Others are about as long as a value. */
const MAX_CHARACTERS: Record<string, number> = { description: 5_000, name: 500, address: 500, reason: 500 }

interface RowsDirective {
  argument?: string
  most?: number
  buckets?: boolean
  grain?: Grain
  reads?: number
  readsInAll?: number
}

/** Arguments on which rows depend: those of the field, and of the field around it. */
type RowArguments = Partial<DateRange> & { grain?: Grain; groupBy?: AggregateGroup; against?: DateRange }

/** Returns the cost of a field whose parent has so many rows, and these arguments. */
type DependentCost = (rows: number, around: RowArguments) => number

/** The state of a visit of the fields of a query, each after the fields in it. */
interface Visit {
  schema: GraphQLSchema
  fragments: Record<string, FragmentDefinitionNode>
  variables: VariableValues
  statements: number
  /** The fields that depend on their parents, by the type of the parent. No type of those contains itself. */
  dependent: Map<string, DependentCost[]>
}

/**
 * Returns the largest cost of an operation, whose fields of one response name are merged as they are when it is executed. If there are
 * so many selections that looking at each is too costly, these are the cost.
 *
 * @param operationName undefined for the only operation of a document
 * @throws GraphQLError for a null variable where an argument must not be null
 */
export function computeCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Record<string, unknown>,
): number {
  const { selectionSet, variableDefinitions = [] } = getOperationAST(document, operationName)!
  const definitions = document.definitions.filter(each => each.kind === Kind.FRAGMENT_DEFINITION)
  const fragments = Object.fromEntries(definitions.map(each => [each.name.value, each]))
  const least = countSelections(selectionSet, fragments) * COST_OF_SELECTION
  if (least > MAX_COST) return Math.min(least, Number.MAX_SAFE_INTEGER)
  const { coerced = {} } = getVariableValues(schema, variableDefinitions, variables)
  const visit: Visit = { schema, fragments, variables: { coerced, sources: {} }, statements: 0, dependent: new Map() }
  const root = schema.getQueryType()!
  const cost = costOfFields(visit, root, collectFields(schema, fragments, visit.variables, root, selectionSet))
  return Math.ceil(cost + sum(take(visit, root.name), 1, {}) + visit.statements * COST_OF_STATEMENT)
}

/** Returns the number of selections with fragments expanded. @param known those of selection sets: none is expanded twice */
function countSelections(
  set: SelectionSetNode,
  fragments: Visit['fragments'],
  known = new Map<unknown, number>(),
): number {
  let count = known.get(set) ?? 0
  if (count > 0) return count
  for (const selection of set.selections) {
    const below = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection
    count += 1 + (below?.selectionSet ? countSelections(below.selectionSet, fragments, known) : 0)
  }
  known.set(set, count)
  return count
}

/** @throws ApiError QUERY_TOO_COSTLY */
export function checkCost(cost: number): void {
  if (cost <= MAX_COST) return
  const advice = 'Select fewer fields, a smaller limit, fewer days or a coarser grain.'
  const message = `The query can cost up to ${cost}; the maximum is ${MAX_COST}. ${advice}`
  throw new ApiError('QUERY_TOO_COSTLY', { cost, limit: MAX_COST }, message)
}

/** Fields that no type declares. */
const META_FIELDS = new Map([SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map(each => [each.name, each]))

/** @param fields the nodes of each field of the response */
function costOfFields(visit: Visit, type: GraphQLObjectType, { fields }: FieldsAndPatches): number {
  const { schema, fragments, variables } = visit
  let cost = 0
  for (const nodes of fields.values()) {
    const node = nodes[0]!
    const field = META_FIELDS.get(node.name.value) ?? type.getFields()[node.name.value]!
    const below = getNamedType(field.type)
    const selected = isObjectType(below) && collectSubFields(schema, fragments, variables, below, nodes)
    const childCost = selected ? costOfFields(visit, below, selected) : 0
    const costOf = [type, field].some(({ name }) => name.startsWith('__')) ? costOfIntrospection : costOfField
    const args = getArgumentValues(field, node, variables.coerced)
    cost += costOf(visit, { type, field, node, args, childCost })
  }
  return cost
}

interface SelectedField {
  type: GraphQLObjectType
  field: GraphQLField<unknown, unknown>
  node: FieldNode
  args: Record<string, unknown>
  childCost: number
}

/** Returns the cost of a field; 0 for one that depends on its parent. */
function costOfField(visit: Visit, { type, field, node, args, childCost }: SelectedField): number {
  const directive = rowsDirective(visit.schema, field)
  const { argument, most, buckets, grain, reads = 0, readsInAll = 0 } = directive
  const isList = isListType(getNullableType(field.type))
  const below = take(visit, getNamedType(field.type).name)
  const each = valuesOf(node, MAX_CHARACTERS[field.name]) + childCost
  const once = readsInAll + (field.resolve ? COST_OF_CALL : 0)
  if (field.resolve) visit.statements++
  const cost: DependentCost = (rowsAround, around) => {
    const within: RowArguments = { ...around, ...args, ...(grain && { grain }) }
    const rows = argument ? Math.max(0, Number(args[argument])) : countRows(directive, within)
    const items = isList ? (rows ?? rowsAround) : 1
    return (
      once +
      (argument ? rows! * COST_OF_CALL : 0) +
      items * (each + sum(below, rows ?? 1, within)) +
      (reads && costOfReading(directive, around, args, within))
    )
  }
  if (!buckets && !reads && (!isList || argument || most)) return cost(1, {})
  visit.dependent.set(type.name, [...take(visit, type.name), cost])
  return 0
}

/** Returns the values that are as long as a name in the response and a text. */
const valuesOf = ({ alias, name }: FieldNode, text = 0): number =>
  Math.ceil(((alias ?? name).value.length + text) / CHARACTERS_PER_VALUE)

/** Takes the costs of the fields of a type. */
function take({ dependent }: Visit, type: string): DependentCost[] {
  const costs = dependent.get(type) ?? []
  dependent.delete(type)
  return costs
}

const sum = (costs: readonly DependentCost[], rows: number, around: RowArguments): number =>
  costs.reduce((total, cost) => total + cost(rows, around), 0)

/** Returns the number of rows of a field; undefined for one that has as many as its parent. */
function countRows({ most, buckets }: RowsDirective, within: RowArguments): number | undefined {
  return buckets && !within.groupBy ? Math.min(most ?? Number.POSITIVE_INFINITY, countBuckets(within)) : most
}

/** A range that ends before it begins is refused by its resolver. */
const countDays = ({ fromDate, toDate }: Partial<DateRange>): number =>
  fromDate && toDate ? Math.max(1, lengthOf({ fromDate, toDate })) : 0

const countBuckets = (within: RowArguments): number =>
  Math.max(1, Math.ceil(countDays(within) * GRAINS[within.grain ?? 'day'].bucketsPerDay))

/** Returns the cost of reading the range around a field, and those of its own arguments, with which it is compared. */
function costOfReading(
  { reads = 0, buckets }: RowsDirective,
  around: RowArguments,
  own: RowArguments,
  within: RowArguments,
): number {
  const days = countDays(around) + countDays(own) + countDays(own.against ?? {})
  if (!buckets) return reads * days
  const isGrouped = within.groupBy && within.groupBy !== 'asset'
  const count = countBuckets(within)
  return reads * Math.max(days, count) + (isGrouped ? COST_OF_GROUPS * (BUCKETS_OF_GROUPS + count) : 0)
}

const directives = new WeakMap<GraphQLField<unknown, unknown>, RowsDirective>()

function rowsDirective(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): RowsDirective {
  let args = directives.get(field)
  if (!args) {
    const directive = schema.getDirective('rows')
    args = ((directive && field.astNode && getDirectiveValues(directive, field.astNode)) ?? {}) as RowsDirective
    directives.set(field, args)
  }
  return args
}

/** A list of introspection has the mean length of such lists in the schema. */
const costOfIntrospection = ({ schema }: Visit, { field, node, childCost }: SelectedField): number =>
  meanLength(schema, field.name) * (valuesOf(node) + childCost)
