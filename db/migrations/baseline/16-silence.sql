-- Silence: the installed sensors that have stopped counting. Status, doctor and the metrics read it here.

CREATE VIEW silent_sensors WITH (security_invoker = true) AS
WITH zones AS MATERIALIZED (
  SELECT number AS rules, local_time(number, now())::date AS today FROM zone_rules WHERE in_force
), silent AS (
  SELECT i.sensor, i.asset, i.company, i.installed_at, a.rules, today
  FROM installations i JOIN assets a ON a.number = i.asset JOIN zones USING (rules)
  WHERE i.installed_at <= now() AND (i.removed_at IS NULL OR i.removed_at > now())
    -- Days are cut only for sensors that were installed lately.
    AND (i.installed_at < now() - interval '5 days'
      OR local_time(a.rules, i.installed_at - interval '1 millisecond')::date < today - 2)
    -- No anti join, which would read all counts.
    AND (SELECT 1 FROM sensor_days d
      WHERE d.asset = i.asset AND d.sensor = i.sensor AND d.date >= today - 2 LIMIT 1) IS NULL
    AND NOT EXISTS (
      SELECT 1 FROM set_asides x
      WHERE x.sensor = i.sensor AND has_dates(a.rules, tstzrange(x.from_time, x.to_time), today - 2, today - 1)
    )
)
SELECT sensor, asset, company, counted_to,
  greatest(counted_to, local_time(rules, installed_at - interval '1 millisecond')::date) + 1 AS from_date,
  today - 1 AS to_date
FROM silent CROSS JOIN LATERAL (
  SELECT max(date) AS counted_to FROM sensor_days d WHERE d.sensor = silent.sensor) AS counted;
COMMENT ON VIEW silent_sensors IS
  'Installed sensors without counts of the last two whole local days, of which no time is set aside either.';
COMMENT ON COLUMN silent_sensors.counted_to IS 'The last local date with counts, on any asset; null without one.';
COMMENT ON COLUMN silent_sensors.from_date IS 'The first whole local day without counts; to_date is yesterday.';
