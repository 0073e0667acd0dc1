/** The history of sensors' health, and the ids of the sensors that an asset had, which partners see in gaps. */
import type { Knex } from 'knex'
import { protectTables, showWhereExists } from '../migrate/row-level-security'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE sensor_health (
  sensor integer NOT NULL REFERENCES sensors (number) ON DELETE CASCADE,
  from_time timestamptz(3) NOT NULL,
  to_time timestamptz(3) NOT NULL CHECK (to_time >= from_time),
  status text COLLATE "C" NOT NULL CHECK (status IN ('healthy', 'degraded', 'offline', 'unknown')),
  PRIMARY KEY (sensor, from_time)
);
COMMENT ON TABLE sensor_health IS 'The history of health checks: the checks of a sensor, one after the other, that had the same status. Two neighbours never have.';
COMMENT ON COLUMN sensor_health.from_time IS 'The first check with the status.';
COMMENT ON COLUMN sensor_health.to_time IS 'The last check with the status, inclusive.';
INSERT INTO sensor_health SELECT number, health_checked_at, health_checked_at, health_status
  FROM sensors WHERE health_status IS NOT NULL;

${protectTables('sensor_health')}
${showWhereExists('sensor_health', 'installations', "other.sensor = sensor_health.sensor AND tstzrange(other.installed_at, other.removed_at) && tstzrange(from_time, to_time, '[]')")}

CREATE FUNCTION sensor_ids_in_scope(sensors integer[]) RETURNS TABLE (sensor integer, id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.number, s.id FROM public.sensors s WHERE s.number = ANY ($1) AND EXISTS (
    SELECT FROM public.installations i WHERE i.sensor = s.number
      AND i.company = ANY ((SELECT public.companies_in_scope())::integer[]))
$$;
COMMENT ON FUNCTION sensor_ids_in_scope IS 'The ids of sensors that are or were on an asset in the scope of the key. Row-level security hides those that left it.';
REVOKE ALL ON FUNCTION sensor_ids_in_scope FROM PUBLIC`)
}

export { down } from '../migrate/forward-only'
