/** Says of daily counts that are set aside to which asset they belong. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- As before, but for any search_path.
CREATE OR REPLACE FUNCTION local_date(rules integer, instant timestamptz) RETURNS date LANGUAGE sql STABLE STRICT AS $$
  SELECT (instant AT TIME ZONE 'UTC' + make_interval(secs =>
    offsets[greatest(1, width_bucket(floor(extract(epoch FROM instant))::bigint, starts))]))::date
  FROM public.zone_rules WHERE number = $1
$$;

CREATE FUNCTION days_set_aside(assets integer[], first date, last date) RETURNS TABLE (asset integer, sensor integer, date date)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT DISTINCT i.asset, i.sensor, c.day
  FROM public.installations i JOIN public.set_asides t ON t.sensor = i.sensor
      AND tstzrange(t.from_time, t.to_time) && tstzrange(i.installed_at, i.removed_at)
    JOIN public.set_aside_counts c ON c.set_aside = t.id AND c.native_minutes = 1440 AND c.day BETWEEN $2 AND $3
  WHERE i.asset = ANY ($1) AND i.company = ANY ((SELECT public.companies_in_scope())::integer[]) AND NOT EXISTS (
    SELECT FROM public.installations o JOIN public.assets a ON a.number = o.asset
    WHERE o.sensor = i.sensor AND o.asset <> i.asset
      AND public.local_date(a.rules, greatest(o.installed_at, t.from_time) - interval '1 millisecond') < c.day
      AND public.local_date(a.rules, least(o.removed_at, t.to_time) - interval '1 millisecond') >= c.day)
$$;
COMMENT ON FUNCTION days_set_aside IS 'The dates of daily counts that are set aside, by asset in the scope of the key: not those that begin in the stretch at another asset of the sensor.';
REVOKE ALL ON FUNCTION days_set_aside FROM PUBLIC;
COMMENT ON FUNCTION dates_set_aside IS 'Called by the version before.';
COMMENT ON TABLE sensor_health IS 'The history of health checks: the checks of a sensor, one after the other, that had the same status at the same asset.'`)
}

export { down } from '../migrate/forward-only'
