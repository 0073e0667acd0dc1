/** Merges rows of origins into the days of assets, where places and their impressions are two arrays. */
import type { ClientBase } from 'pg'
import type { StoredFigures } from '../figures'

type MergedFigures = Required<Pick<StoredFigures, 'stored' | 'unchanged' | 'erased'>>

/**
 * @param rows SQL of rows with `asset`, `company`, `date`, `region`, `city` and `impressions`, where null erases; without
 *   repeated places of a day
 */
export async function mergeOrigins(client: ClientBase, rows: string): Promise<MergedFigures> {
  await client.query(addPlaces(rows))
  const { rows: merged } = await client.query<MergedFigures>(mergeDays(rows))
  return merged[0]!
}

const PLACE = 'company, region, city'

const addPlaces = (rows: string): string => `
  INSERT INTO origin_places (${PLACE})
    SELECT ${PLACE} FROM (${rows}) AS r WHERE impressions IS NOT NULL
    EXCEPT SELECT ${PLACE} FROM origin_places
    ORDER BY ${PLACE}`

/** Days without any count are deleted. */
const mergeDays = (rows: string): string => `
  WITH given AS MATERIALIZED (
    SELECT asset, company, date, number AS place, impressions FROM (${rows}) AS r LEFT JOIN origin_places USING (${PLACE})
  ), stored AS (
    SELECT asset, date, place, p.impressions FROM (SELECT DISTINCT asset, date FROM given) AS g
      JOIN origin_days d USING (asset, date) CROSS JOIN unnest(places, d.impressions) AS p (place, impressions)
  ), compared AS (
    SELECT asset, g.company, date, place, g.impressions AS given, s.impressions AS stored,
      CASE WHEN g.asset IS NULL THEN s.impressions ELSE g.impressions END AS impressions,
      g.asset IS NOT NULL AND g.impressions IS DISTINCT FROM s.impressions AS differs
    FROM given g FULL JOIN stored s USING (asset, date, place)
  ), days AS MATERIALIZED (
    SELECT asset, max(company) AS company, date,
      array_agg(place ORDER BY place) FILTER (WHERE impressions IS NOT NULL) AS places,
      array_agg(impressions ORDER BY place) FILTER (WHERE impressions IS NOT NULL) AS impressions,
      count(*) FILTER (WHERE differs AND given IS NOT NULL) AS stored,
      count(*) FILTER (WHERE differs AND given IS NULL) AS erased,
      count(company) FILTER (WHERE NOT differs) AS unchanged
    FROM compared GROUP BY asset, date
  ), written AS (
    INSERT INTO origin_days (asset, company, date, places, impressions)
      SELECT asset, company, date, places, impressions FROM days WHERE places IS NOT NULL AND stored + erased > 0
    ON CONFLICT (asset, date) DO UPDATE SET places = excluded.places, impressions = excluded.impressions
  ), emptied AS (
    DELETE FROM origin_days d USING days WHERE days.places IS NULL AND erased > 0 AND (d.asset, d.date) = (days.asset, days.date)
  )
  SELECT coalesce(sum(stored), 0)::integer AS stored, coalesce(sum(erased), 0)::integer AS erased,
    coalesce(sum(unchanged), 0)::integer AS unchanged
  FROM days`
