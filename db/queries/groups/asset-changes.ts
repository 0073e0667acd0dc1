/** Reads the impressions of each asset that matches a filter in two ranges of inclusive local days, in the order of a figure. */
import type { SumOrder } from '../../../schema/generated'
import type { Dates } from '../../calendar/local-days'
import { monthParameters } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, hasConditions, MATCHES } from '../asset-filters'
import { readRows } from '../statements'
import { months, OF_TOP } from './asset-sums'

/** The sums of an asset; null without counts. */
export interface AssetChange {
  id: string
  name: string
  impressions: number | null
  daysWithData: number
  comparedWith: number | null
}

/** Precedes the parameters of the range with which assets are compared. */
const OTHER = 'other_'

/** SQL of the figures to sort by, of rows `m`. */
const FIGURES: Record<SumOrder, string> = {
  impressions: 'CASE WHEN m.days > 0 THEN m.impressions END',
  change: 'CASE WHEN m.days > 0 AND m.other_days > 0 THEN m.impressions - m.other END',
  change_rate: 'CASE WHEN m.days > 0 AND m.other > 0 THEN (m.impressions - m.other) / m.other::float8 END',
}

/** Assets and their months are united and grouped, not joined. Months of other assets are not read, if there is a filter. */
function selectChanges(isFiltered: boolean, by: SumOrder, descending: boolean): string {
  const condition = isFiltered ? 'AND asset = ANY (ARRAY(SELECT number FROM matching))' : ''
  const sumsOf = (range: string) => months(OF_TOP, condition, false, range)
  return `
WITH matching AS MATERIALIZED (SELECT a.number, a.id, a.name FROM assets a WHERE ${inScope('a.company')} AND ${MATCHES})
SELECT m.id, m.name, m.days AS "daysWithData", ${FIGURES.impressions} AS impressions,
  CASE WHEN m.other_days > 0 THEN m.other END AS "comparedWith"
FROM (
  SELECT max(id) AS id, max(name) AS name, sum(impressions)::bigint AS impressions, sum(days)::integer AS days,
    sum(other)::bigint AS other, sum(other_days)::integer AS other_days
  FROM (
    SELECT number AS asset, id, name, 0::bigint AS impressions, 0::smallint AS days, 0::bigint AS other, 0::smallint AS other_days
    FROM matching
    UNION ALL SELECT asset, NULL, NULL, impressions, days_with_data, 0, 0 FROM (${sumsOf('')}) AS own
    UNION ALL SELECT asset, NULL, NULL, 0, 0, impressions, days_with_data FROM (${sumsOf(OTHER)}) AS others
  ) AS united GROUP BY asset HAVING max(id) IS NOT NULL
) AS m ORDER BY ${FIGURES[by]} ${descending ? 'DESC' : 'ASC'} NULLS LAST, m.id LIMIT :limit`
}

/**
 * Returns the first ones of the assets that match a filter. Those without the figure are last, equal ones
 * in the order of their ids.
 *
 * @param against the range with which they are compared
 */
export function readAssetChanges(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  against: Dates | undefined,
  { by, descending }: { by: SumOrder; descending: boolean },
  limit: number,
): Promise<AssetChange[]> {
  const isFiltered = hasConditions(filter)
  const name = `asset-changes${isFiltered ? '-filtered' : ''}-by-${by}-${descending ? 'desc' : 'asc'}`
  const sql = () => selectChanges(isFiltered, by, descending)
  const others = Object.entries(against ? monthParameters(against) : { whole: [] })
  const other = Object.fromEntries(others.map(([key, value]) => [OTHER + key, value]))
  return readRows(reader, name, sql, { ...filter, ...monthParameters(dates), ...other, limit })
}
