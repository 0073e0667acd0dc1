/** Imports health checks. The record of a sensor has its latest check, its history the times of each status. */
import type { ClientBase } from 'pg'
import { instant, oneOf, reference, required, text } from '../../db/columns'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import type { RowCounter, RowSink, SinkOptions } from '../row-sink'
import { StagedRows } from '../staged-rows'
import { loadTimeZones } from './entity-import'

export const HEALTH_COLUMNS = ['sensor', 'checked_at', 'status', 'last_seen_at', 'reason'] as const

export async function openHealth(
  client: ClientBase,
  present: readonly string[],
  counter: RowCounter,
  { timeZone }: SinkOptions,
): Promise<RowSink> {
  const time = instant(await loadLocalDays(client, timeZone), timeZone)
  const zones = await loadTimeZones(client)
  const columns = {
    sensor: required(reference),
    checked_at: required(time),
    status: required(oneOf(['healthy', 'degraded', 'offline', 'unknown'])),
    last_seen_at: time,
    reason: text(500),
  }
  const rows = await StagedRows.create(client, columns, present, counter, {
    extraColumns: ['target integer'],
  })
  return {
    add: (values, line) => rows.add(values, line, zones.ofSensor(rows.bindRow(values)('sensor'))),
    flushIfFull: () => rows.flushIfFull(),
    validate: async () => {
      await rows.flush()
      await rows.resolve('sensor', 'target', 'sensors')
      await rows.rejectConflicts('target, checked_at', 'this check of the sensor')
      await rows.reportRejected()
    },
    store: async () => {
      // Without last_seen_at in the file the stored one is still right; the reason of an older check is not.
      const seen = rows.has('last_seen_at') ? 's.last_seen_at' : 't.health_last_seen_at'
      const reason = rows.has('reason')
        ? 's.reason'
        : 'CASE WHEN s.checked_at = t.health_checked_at THEN t.health_reason END'
      await client.query(MERGE_HISTORY)
      const { rows: stored } = await client.query<{ line: string }>(`
        WITH changed AS (
        UPDATE sensors t SET health_status = s.status, health_checked_at = s.checked_at,
          health_last_seen_at = ${seen}, health_reason = ${reason}
        FROM (SELECT DISTINCT ON (target) * FROM staged ORDER BY target, checked_at DESC) s
        WHERE t.number = s.target AND (t.health_checked_at IS NULL OR t.health_checked_at <= s.checked_at)
          AND (t.health_status, t.health_checked_at, t.health_last_seen_at, t.health_reason)
            IS DISTINCT FROM (s.status, s.checked_at, ${seen}, ${reason})
        RETURNING s.line
        )
        SELECT line FROM changed UNION SELECT line FROM new_checks`)
      return { stored: stored.length, unchanged: (await rows.count()) - stored.length + rows.repeated }
    },
  }
}

/**
 * Merges the checks in `staged` with the history, in one pass over both in the order of time. A check divides a stored
 * period of another status around it: both parts are taken to reach up to it, because single checks are not kept. Then
 * neighbours of one status are one period, but for a time in which the sensor was moved: checks at one asset say
 * nothing about another. `new_checks` has the lines of those that the history did not have.
 */
const MERGE_HISTORY = `
DROP TABLE IF EXISTS pg_temp.checked_times, pg_temp.merged_health, pg_temp.new_checks;
CREATE TEMPORARY TABLE checked_times ON COMMIT DROP AS -- From the period before the first check to the one after the last.
SELECT c.sensor, coalesce(before.from_time, '-infinity') AS first, coalesce(after.from_time, 'infinity') AS last
FROM (SELECT target AS sensor, min(checked_at) AS first, max(checked_at) AS last FROM staged GROUP BY target) AS c
  CROSS JOIN LATERAL (SELECT max(from_time) AS from_time FROM sensor_health WHERE sensor = c.sensor AND from_time < c.first) AS before
  CROSS JOIN LATERAL (SELECT min(from_time) AS from_time FROM sensor_health WHERE sensor = c.sensor AND from_time > c.last) AS after;
CREATE TEMPORARY TABLE merged_health ON COMMIT DROP AS
WITH entries AS (
  SELECT h.sensor, from_time, to_time, status, NULL::bigint AS line
  FROM checked_times c JOIN sensor_health h ON h.sensor = c.sensor AND h.from_time BETWEEN c.first AND c.last
  UNION ALL SELECT target, checked_at, checked_at, status, line FROM staged
), grouped AS ( -- A stored period, and the checks from its beginning to that of the next one.
  SELECT *, count(*) FILTER (WHERE line IS NULL) OVER (PARTITION BY sensor ORDER BY from_time, line NULLS FIRST) AS period
  FROM entries
), compared AS (
  SELECT *, first_value(status) OVER stored AS stored_status, CASE WHEN period > 0 THEN first_value(to_time) OVER stored END AS stored_to
  FROM grouped WINDOW stored AS (PARTITION BY sensor, period ORDER BY from_time, line NULLS FIRST)
), checks AS (
  SELECT sensor, from_time, to_time, status, line, from_time <= stored_to AND status = stored_status AS is_known
  FROM compared WHERE line IS NOT NULL
), parts AS (
  SELECT sensor, CASE WHEN line IS NULL THEN from_time ELSE from_time + interval '1 ms' END AS from_time,
    coalesce(lead(from_time) OVER (PARTITION BY sensor, period ORDER BY from_time, line NULLS FIRST) - interval '1 ms',
      stored_to) AS to_time,
    stored_status AS status
  FROM compared WHERE line IS NULL OR from_time <= stored_to AND status <> stored_status
), ordered AS (
  SELECT *, lag(status) OVER in_time AS status_before, max(to_time) OVER (in_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
  FROM (
    SELECT sensor, from_time, to_time, status, NULL::bigint AS line FROM parts WHERE from_time <= to_time
    UNION ALL SELECT sensor, from_time, to_time, status, CASE WHEN is_known IS NOT TRUE THEN line END FROM checks
  ) AS all_parts WINDOW in_time AS (PARTITION BY sensor ORDER BY from_time)
), divided AS (
  SELECT *, status IS DISTINCT FROM status_before OR EXISTS (
    SELECT FROM installations i CROSS JOIN unnest(ARRAY[installed_at, removed_at]) AS bound
    WHERE i.sensor = ordered.sensor AND bound > until AND bound <= from_time) AS is_first
  FROM ordered
), numbered AS (
  SELECT *, count(*) FILTER (WHERE is_first) OVER (PARTITION BY sensor ORDER BY from_time) AS number FROM divided
)
SELECT sensor, min(from_time) AS from_time, max(to_time) AS to_time, min(status) AS status,
  coalesce(array_agg(line) FILTER (WHERE line IS NOT NULL), '{}') AS lines
FROM numbered GROUP BY sensor, number;
CREATE TEMPORARY TABLE new_checks ON COMMIT DROP AS SELECT unnest(lines) AS line FROM merged_health;
DELETE FROM sensor_health h USING checked_times c WHERE h.sensor = c.sensor AND h.from_time BETWEEN c.first AND c.last
  AND NOT EXISTS (SELECT FROM merged_health m WHERE (m.sensor, m.from_time) = (h.sensor, h.from_time));
INSERT INTO sensor_health AS h SELECT sensor, from_time, to_time, status FROM merged_health
  ON CONFLICT (sensor, from_time) DO UPDATE SET to_time = excluded.to_time, status = excluded.status
  WHERE (h.to_time, h.status) IS DISTINCT FROM (excluded.to_time, excluded.status)`
