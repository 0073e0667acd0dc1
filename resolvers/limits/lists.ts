/** The lists of a query that may have fewer rows than their limits, and the number of rows that their filters match. */
import type { FieldNode } from 'graphql'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { countAssets } from '../../db/queries/assets'
import { countSensors } from '../../db/queries/sensors'
import type { QueryImpressionsAggregateArgs, QuerySensorsArgs } from '../../schema/generated'
import { combineConditions } from '../sensors'

export interface List {
  field: FieldNode
  of: 'assets' | 'sensors'
  args: Partial<QuerySensorsArgs>
  /** The largest number that matters. */
  limit: number
  /** The number of ids in its filter: it has no more rows than these. */
  named: number | undefined
}

/** The most rows of one field that are grouped by asset. */
const MAX_GROUP_ROWS = 10_000

/** A query that is too costly is counted by the matches of this many lists. */
const MAX_COUNTED = 10

/** Returns the list that a field of `Query` returns; undefined for other fields. */
export function describeList(
  field: FieldNode,
  args: Partial<QuerySensorsArgs & QueryImpressionsAggregateArgs>,
): List | undefined {
  const name = field.name.value
  if (name !== 'assets' && name !== 'sensors' && name !== 'impressionsAggregate') return undefined
  const of = name === 'sensors' ? name : 'assets'
  const { filter, limit = MAX_GROUP_ROWS } = args
  const named = of === 'assets' ? filter?.id?.length : undefined
  return { field, of, args, limit: Math.max(0, limit), named }
}

/** Counts the rows of lists, no further than their limits. */
export async function countLists(
  reader: ScopedReader,
  lists: readonly List[],
  isGrouped: boolean,
): Promise<ReadonlyMap<FieldNode, number>> {
  const counting = lists.slice(0, MAX_COUNTED).map(async ({ field, of, args, limit }): Promise<[FieldNode, number]> => {
    const count = of === 'sensors' ? countSensors : countAssets
    return [field, await count(reader, combineConditions(args, Date.now()), isGrouped ? MAX_GROUP_ROWS : limit)]
  })
  return new Map(await Promise.all(counting))
}
