/** Defines which sensors are silent, once for all who say so. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE VIEW silent_sensors WITH (security_invoker = true) AS
SELECT i.sensor, i.asset, i.company,
  (SELECT max(date) FROM sensor_days d WHERE d.sensor = i.sensor) AS counted_to,
  greatest(there.last + 1, local_date(a.rules, i.installed_at - interval '1 millisecond') + 1) AS from_date,
  t.today - 1 AS to_date
FROM installations i
  JOIN assets a ON a.number = i.asset
  JOIN (SELECT number AS rules, local_date(number, now()) AS today FROM zone_rules WHERE in_force) AS t USING (rules)
  -- The last day of each sensor is read from the index by sensor, whatever the statistics say.
  LEFT JOIN LATERAL (
    SELECT d.date AS last FROM sensor_days d WHERE d.sensor = i.sensor AND d.asset = i.asset ORDER BY d.date DESC LIMIT 1
  ) AS there ON true
WHERE i.installed_at <= now() AND (i.removed_at IS NULL OR i.removed_at > now())
  AND (there.last IS NULL OR there.last < t.today - 2)
  AND local_date(a.rules, i.installed_at - interval '1 millisecond') < t.today - 2
  AND NOT EXISTS (
    SELECT 1 FROM set_asides x
    WHERE x.sensor = i.sensor AND has_dates(a.rules, tstzrange(x.from_time, x.to_time), t.today - 2, t.today - 1)
  );
COMMENT ON VIEW silent_sensors IS 'Installed sensors of whose last two whole local days nothing was counted; what is set aside was.';
COMMENT ON COLUMN silent_sensors.counted_to IS 'The last local date with counts, on any asset; null without one.';
COMMENT ON COLUMN silent_sensors.from_date IS 'The first whole local day without counts; to_date is yesterday.';`)
}

export { down } from '../migrate/forward-only'
