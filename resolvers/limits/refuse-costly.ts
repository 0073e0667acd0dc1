/** Refuses queries whose cost exceeds the limits, before anything but numbers of rows is read. */
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { readGroupCounts } from '../../db/queries/groups/group-counts'
import { ApiError } from '../../schema/errors'
import type { CostLimits, OperationCost } from './cost'
import { countLists } from './lists'
import type { Caps, ScopeCounts } from './row-counts'

export const COST_LIMITS: CostLimits = {
  rows: 200_000,
  reads: 100,
  values: 100_000,
  valuesPerTurn: 45_000,
  bytes: 16_000_000,
}

/** Computes the cost of one operation. */
type Compute = (counts: ScopeCounts, caps?: Caps) => OperationCost

/**
 * Refuses an operation whose cost may exceed the limits. The groups in scope are counted if its cost depends on them. The rows
 * that its lists match are counted only if it would be refused without their number, and might not be with it.
 *
 * @throws ApiError QUERY_TOO_COSTLY with the cost, the limit and what to narrow
 * @throws GraphQLError for a null variable where an argument must not be null
 */
export async function refuseCostly(compute: Compute, reader: ScopedReader, limits: CostLimits): Promise<void> {
  const { isGrouped, ...first } = compute({})
  if (!isGrouped && !isTooCostly(first, limits)) return
  const groups = isGrouped ? { groups: await readGroupCounts(reader) } : {}
  const { lists, ...cost } = compute(groups)
  const one = new Map(lists.map(({ field }) => [field, 1]))
  const mayBeLess = isTooCostly(cost, limits) && !isTooCostly(compute({ ...groups, matching: one }), limits)
  const matching = mayBeLess ? { matching: await countLists(reader, lists, isGrouped) } : {}
  checkCost(compute, { ...groups, ...matching }, limits)
}

/** The measures of a cost in the order in which they are checked, with what a query does beyond its limit. */
const MEASURES: Record<keyof CostLimits, string> = {
  rows: 'can read or return up to # rows',
  reads: 'needs # database reads',
  values: 'can return up to # values',
  valuesPerTurn: 'can return up to # values of one field',
  bytes: 'can return up to # bytes',
}

type Costs = Record<keyof CostLimits, number>

const findExcess = (cost: Costs, limits: CostLimits): keyof CostLimits | undefined =>
  (Object.keys(MEASURES) as (keyof CostLimits)[]).find(measure => cost[measure] > limits[measure])

const isTooCostly = (cost: Costs, limits: CostLimits): boolean => findExcess(cost, limits) !== undefined

/** @throws ApiError QUERY_TOO_COSTLY */
export function checkCost(compute: Compute, counts: ScopeCounts = {}, limits: CostLimits = COST_LIMITS): void {
  const cost = compute(counts)
  const measure = findExcess(cost, limits)
  if (!measure) return
  const narrow = (measure === 'rows' || measure === 'reads' ? cost.largest : cost.widest).path
  const max = measure === 'reads' ? {} : findAllowed(compute, counts, limits, cost)
  const details = {
    ...(max.limit !== undefined && { max_limit: max.limit }),
    ...(max.days !== undefined && { max_days: max.days }),
  }
  const exceeds = MEASURES[measure].replace('#', String(cost[measure]))
  const message = `The query ${exceeds}; the maximum is ${limits[measure]}. ${advise(measure, narrow, max)}`
  throw new ApiError('QUERY_TOO_COSTLY', { cost: cost[measure], limit: limits[measure], narrow, ...details }, message)
}

function advise(measure: keyof CostLimits, narrow: string, { limit, days }: Caps): string {
  if (measure === 'reads') return 'Select fewer fields in one query.'
  const options = [
    ...(limit === undefined ? [] : [`lower limit to ${limit}`]),
    ...(days === undefined ? [] : [`shorten fromDate to toDate to ${days} ${days === 1 ? 'day' : 'days'}`]),
    ...(measure === 'rows' ? [] : ['select fewer fields']),
    ...(days === undefined ? ['select fewer days'] : []),
    'choose a coarser grain',
  ]
  return `Narrow ${narrow}: ${options.join(', ')} or fewer assets.`
}

/** Returns the largest `limit` and the longest range with which the query would be allowed, each by itself. */
function findAllowed(compute: Compute, counts: ScopeCounts, limits: CostLimits, cost: OperationCost): Caps {
  // Counting a schema again and again would take long.
  if (cost.isIntrospective) return {}
  const allowed: Caps = {}
  for (const argument of ['limit', 'days'] as const) {
    const isAllowed = (value: number) => !isTooCostly(compute(counts, { [argument]: value }), limits)
    let [lowest, highest] = [1, cost.largestArguments[argument]]
    if (highest <= lowest || !isAllowed(lowest)) continue
    while (highest - lowest > 1) {
      const middle = Math.floor((lowest + highest) / 2)
      if (isAllowed(middle)) lowest = middle
      else highest = middle
    }
    allowed[argument] = lowest
  }
  return allowed
}
