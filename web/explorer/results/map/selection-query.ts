/** Writes the query of assets that were chosen on the map. */
import type { QueryDefaults } from '../../queries/query-defaults'
import type { Variable } from '../../variables/describe-variables'

/** A filter takes as many ids. */
export const MAX_CHOSEN = 200

interface Opened {
  query: string
  /** JSON. */
  variables: string
}

/** Puts the ids into the variable of the query that takes assets. Without one, it is a query for the totals of the assets. */
export function querySelection(
  ids: string[],
  current: { query: string; variables: Record<string, unknown>; described: Variable[] },
  { fromDate: from, toDate: to }: Pick<QueryDefaults, 'fromDate' | 'toDate'>,
): Opened {
  const { query, variables, described } = current
  const variable = described.find(({ kind, isList }) => kind === 'asset' && (isList || ids.length === 1))
  if (variable) {
    const value = variable.isList ? ids : ids[0]
    return { query, variables: JSON.stringify({ ...variables, [variable.name]: value }, null, 2) }
  }
  return { query: CHOSEN_ASSETS, variables: JSON.stringify({ ids, from, to }, null, 2) }
}

const CHOSEN_ASSETS = `query ChosenAssets($ids: [ID!]!, $from: Date!, $to: Date!) {
  assets(limit: 200, filter: { id: $ids }) {
    nodes {
      id
      name
      city
      impressions(fromDate: $from, toDate: $to) {
        summary { rows { impressions averageDailyImpressions coverage } }
      }
    }
  }
}
`
