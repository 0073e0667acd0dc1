/** SQL that measures and deletes counts that are set aside, by the asset and the local day that they would have. */

/** Counts of some assets or sensors. */
interface Selection {
  by: 'asset' | 'sensor'
  /** Whether those of sensors that are on no asset are selected, too. */
  isAll?: boolean
}

/** SQL: the instant at which a count starts. */
const INSTANT = '(c.day + make_interval(secs => u.start))'

/**
 * SQL: each count with its sensor, the asset where the sensor was (outside of its installations, the nearest one; none where it has
 * none), and its local date there. A daily count has both.
 */
const SET_ASIDE_COUNTS = `
  SELECT c.set_aside, c.native_minutes, c.day, c.asset AS asset_of_date, u.start, u.count, t.sensor, coalesce(c.asset, i.asset) AS asset,
    CASE WHEN c.native_minutes = 1440 THEN c.day ELSE coalesce(local_date(i.rules, ${INSTANT}), c.day) END AS date
  FROM set_aside_counts c JOIN set_asides t ON t.id = c.set_aside CROSS JOIN unnest(c.starts, c.counts) AS u (start, count)
    LEFT JOIN LATERAL (
      SELECT asset, rules FROM (
        SELECT i.asset, i.installed_at, a.rules, i.installed_at > ${INSTANT} AS is_later
        FROM installations i JOIN assets a ON a.number = i.asset WHERE i.sensor = t.sensor
      ) AS i ORDER BY is_later, CASE WHEN is_later THEN installed_at END, installed_at DESC LIMIT 1
    ) AS i ON true`

/** SQL: whether a count is selected. */
const buildCondition = ({ by, isAll }: Selection): string =>
  `(${by} = ANY ($1)${isAll ? ' OR asset IS NULL' : ''}) AND date BETWEEN $2 AND $3`

/** Returns the SQL of the number of selected counts by asset, whose id is null where the sensor is nowhere. */
export const measureSetAside = (selection: Selection): string => `
  SELECT a.id AS asset_id, a.name AS asset, min(date) AS from_date, max(date) AS to_date, count(*) AS set_aside
  FROM (${SET_ASIDE_COUNTS}) AS d LEFT JOIN assets a ON a.number = asset WHERE ${buildCondition(selection)}
  GROUP BY a.id, a.name ORDER BY a.id`

const IS_SAME_DAY =
  '(c.set_aside, c.native_minutes, c.day) = (k.set_aside, k.native_minutes, k.day) AND c.asset IS NOT DISTINCT FROM k.asset_of_date'

/** Returns the SQL that deletes the selected counts. A day keeps its other counts, if there are any. */
export const deleteSetAside = (selection: Selection): string => `
  WITH kept AS MATERIALIZED (
    SELECT set_aside, native_minutes, day, asset_of_date, array_agg(start ORDER BY start) FILTER (WHERE NOT is_selected) AS starts,
      array_agg(count ORDER BY start) FILTER (WHERE NOT is_selected) AS counts
    FROM (SELECT *, (${buildCondition(selection)}) IS TRUE AS is_selected FROM (${SET_ASIDE_COUNTS}) AS d) AS d
    GROUP BY set_aside, native_minutes, day, asset_of_date HAVING bool_or(is_selected)
  ), emptied AS (
    DELETE FROM set_aside_counts c USING kept k
    WHERE ${IS_SAME_DAY} AND k.starts IS NULL
  )
  UPDATE set_aside_counts c SET starts = k.starts, counts = k.counts FROM kept k
  WHERE ${IS_SAME_DAY} AND k.starts IS NOT NULL`
