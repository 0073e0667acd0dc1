/** The numbers of rows that `@rows` directives of the schema declare. */
import { type GraphQLField, type GraphQLSchema, getDirectiveValues } from 'graphql'
import { GROUPINGS } from '../../db/assets/attributes'
import { GRAINS } from '../../db/calendar/grains'
import type { GroupCounts } from '../../db/queries/groups/group-counts'
import type { AggregateGroup, Grain } from '../../schema/generated'
import { lengthOf } from './ranges'

/** Arguments on which numbers of rows depend: those of the field, and of the fields around it. */
export interface RowArguments {
  fromDate?: string
  toDate?: string
  grain?: Grain
  groupBy?: AggregateGroup
}

/** The fewest that any scope has. */
export const ONE_OF_EACH = Object.fromEntries(
  ['company', ...Object.keys(GROUPINGS), 'asset'].map(group => [group, 1]),
) as GroupCounts

/** The arguments of a `@rows` directive. */
export interface RowsDirective {
  argument?: string
  most?: number
  buckets?: boolean
  grain?: Grain
  groups?: keyof GroupCounts
  reads?: number
}

type Field = GraphQLField<unknown, unknown>

const directives = new WeakMap<Field, RowsDirective | null>()

/** null for a field without the directive. */
export function rowsDirective(schema: GraphQLSchema, field: Field): RowsDirective | null {
  let args = directives.get(field)
  if (args === undefined) {
    const directive = schema.getDirective('rows')
    args =
      ((directive && field.astNode && getDirectiveValues(directive, field.astNode)) as RowsDirective | undefined) ??
      null
    directives.set(field, args)
  }
  return args
}

/** Returns the attribute by which rows are grouped, where their number depends on the scope of the key. */
export const findGroup = (directive: RowsDirective | null, { groupBy }: RowArguments): keyof GroupCounts | undefined =>
  (directive?.most ? (groupBy ?? directive.groups) : undefined) ?? undefined

/** Returns the number of times that a field's selection is resolved for one parent. */
export function countTimes(
  directive: RowsDirective | null,
  args: Record<string, unknown>,
  around: RowArguments,
  groups: GroupCounts,
): number {
  if (!directive) return 1
  const { argument, buckets, most } = directive
  if (argument) return Math.max(0, Number(args[argument] ?? 0))
  const group = findGroup(directive, around)
  if (!buckets && !group) return most ?? 1
  const perBucket = group ? groups[group] : 1
  const grain = directive.grain ?? around.grain ?? 'day'
  const rows =
    buckets && group !== 'asset'
      ? perBucket * Math.max(1, Math.ceil(countDays(around) * GRAINS[grain].bucketsPerDay))
      : perBucket
  return Math.min(rows, most ?? rows)
}

/**
 * Returns the number of rows that a field reads of each parent, where it is not that of the rows that it returns.
 *
 * @param around the arguments of the parent
 */
export function countReads(directive: RowsDirective | null, own: RowArguments, around: RowArguments): number {
  if (!directive?.reads) return 0
  // A field with a range of its own compares it with that of its parent.
  return directive.reads * (own.fromDate ? countDays(own) + countDays(around) : countDays(around))
}

/** A range that ends before it begins is rejected by its resolver. */
const countDays = ({ fromDate, toDate }: RowArguments): number =>
  fromDate && toDate ? Math.max(1, lengthOf({ fromDate, toDate })) : 1
