/** The numbers of rows that `@rows` directives of the schema declare. */
import { type GraphQLField, type GraphQLSchema, getDirectiveValues } from 'graphql'
import type { Grain } from '../../schema/generated'
import { lengthOf } from './ranges'

export interface Range {
  fromDate: string
  toDate: string
}

/** The arguments of a `@rows` directive. */
export type RowsDirective = Record<string, unknown>

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

type Field = GraphQLField<unknown, unknown>

const directives = new WeakMap<Field, RowsDirective | null>()

/** null for a field without the directive. */
export function rowsDirective(schema: GraphQLSchema, field: Field): RowsDirective | null {
  let args = directives.get(field)
  if (args === undefined) {
    const directive = schema.getDirective('rows')
    args = (directive && field.astNode && getDirectiveValues(directive, field.astNode)) ?? null
    directives.set(field, args)
  }
  return args
}

/** The number of times that a field's selection is resolved for one parent. */
export function timesOf(
  directive: RowsDirective | null,
  args: Record<string, unknown>,
  range: Range | undefined,
): number {
  if (!directive) return 1
  if (typeof directive.groups === 'number' && args.groupBy != null) return directive.groups
  if (typeof directive.argument === 'string') return Math.max(0, Number(args[directive.argument] ?? 0))
  if (typeof directive.most === 'number') return directive.most
  const grain = (directive.grain ?? args.grain ?? 'day') as Grain
  // A range that ends before it begins is rejected by its resolver.
  return range ? Math.max(1, Math.ceil(lengthOf(range) * BUCKETS_PER_DAY[grain])) : 1
}
