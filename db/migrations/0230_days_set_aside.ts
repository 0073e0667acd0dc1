/** Says of daily counts that are set aside to which asset they belong. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION days_set_aside(assets integer[], first date, last date) RETURNS TABLE (asset integer, sensor integer, date date)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.asset, t.sensor, c.day
  FROM public.set_aside_counts c JOIN public.set_asides t ON t.id = c.set_aside JOIN public.assets a ON a.number = c.asset
  WHERE c.asset = ANY ($1) AND a.company = ANY ((SELECT public.companies_in_scope())::integer[]) AND c.day BETWEEN $2 AND $3
$$;
COMMENT ON FUNCTION days_set_aside IS 'The dates of daily counts that are set aside, by asset in the scope of the key.';
REVOKE ALL ON FUNCTION days_set_aside FROM PUBLIC;
COMMENT ON FUNCTION dates_set_aside IS 'Called by the version before.';
COMMENT ON TABLE sensor_health IS 'The history of health checks: the checks of a sensor, one after the other, that had the same status at the same asset.'`)
}

export { down } from '../migrate/forward-only'
