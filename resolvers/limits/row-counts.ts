/** The numbers of rows that `@rows` directives of the schema declare. */
import { type FieldNode, type GraphQLField, type GraphQLSchema, getDirectiveValues } from 'graphql'
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
  /** The number of rows that the filter of the list around matches, or more. */
  matching?: number
}

/** Numbers in the scope of a key: of its groups, and of the rows that lists match, by their fields. */
export interface ScopeCounts {
  groups?: GroupCounts
  matching?: ReadonlyMap<FieldNode, number>
}

/** Values to which the arguments of a query are lowered: every `limit`, and the days of every range. */
export interface Caps {
  limit?: number
  days?: number
}

/** The fewest that any scope has. */
export const ONE_OF_EACH = Object.fromEntries(
  ['company', ...Object.keys(GROUPINGS), 'asset'].map(group => [group, 1]),
) as GroupCounts

/** The arguments of a `@rows` directive. */
interface RowsDirective {
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
  { groups = ONE_OF_EACH }: ScopeCounts,
  caps: Caps,
): number {
  if (!directive) return 1
  const { argument, buckets, most, reads } = directive
  const { matching = Number.POSITIVE_INFINITY } = around
  if (argument) {
    const { limit = Number.POSITIVE_INFINITY } = caps
    return Math.max(0, Math.min(Number(args[argument] ?? 0), matching, limit))
  }
  const group = reads ? undefined : findGroup(directive, around)
  if (!buckets && !group) return most ?? 1
  // Each group has at least one of the assets.
  const perBucket = group ? Math.min(groups[group], matching) : 1
  const grain = directive.grain ?? around.grain ?? 'day'
  const rows =
    buckets && group !== 'asset'
      ? perBucket * Math.max(1, Math.ceil(countDays(around, caps) * GRAINS[grain].bucketsPerDay))
      : perBucket
  return Math.min(rows, most ?? rows)
}

/**
 * Returns the number of rows that a field reads of each parent, where it is not that of the rows that it returns.
 *
 * @param around the arguments of the parent
 */
export function countReads(
  directive: RowsDirective | null,
  own: RowArguments,
  around: RowArguments,
  { groups = ONE_OF_EACH }: ScopeCounts,
  caps: Caps,
): number {
  if (!directive?.reads) return 0
  const { matching = Number.POSITIVE_INFINITY } = around
  const times = directive.groups ? Math.min(groups[directive.groups], matching) : 1
  // A field with a range of its own compares it with that of its parent.
  return directive.reads * times * ((own.fromDate ? countDays(own, caps) : 0) + countDays(around, caps))
}

/** A range that ends before it begins is rejected by its resolver. */
export const countDays = ({ fromDate, toDate }: RowArguments, { days = Number.POSITIVE_INFINITY }: Caps): number =>
  fromDate && toDate ? Math.min(days, Math.max(1, lengthOf({ fromDate, toDate }))) : 1
