/** Stores the findings of the last run of `doctor`. */
import type { Knex } from 'knex'
import { protectTables, showToCompanies } from '../migrate/row-level-security'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE doctor_runs (
  singleton boolean DEFAULT true PRIMARY KEY CHECK (singleton),
  ran_at timestamptz(3) NOT NULL,
  judged integer NOT NULL CHECK (judged >= 0),
  not_judged integer NOT NULL CHECK (not_judged >= 0)
);
COMMENT ON TABLE doctor_runs IS 'The last run of doctor on all sensors.';
COMMENT ON COLUMN doctor_runs.judged IS 'Sensors.';
COMMENT ON COLUMN doctor_runs.not_judged IS 'Sensors of which some faults could not be judged.';

CREATE TABLE sensor_faults (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sensor integer NOT NULL REFERENCES sensors (number) ON DELETE CASCADE,
  asset integer NOT NULL,
  company integer NOT NULL,
  fault text COLLATE "C" NOT NULL
    CHECK (fault IN ('silent', 'zero', 'stuck', 'repeated_days', 'shifted', 'level', 'implausible')),
  from_date date NOT NULL,
  to_date date NOT NULL CHECK (to_date >= from_date),
  evidence text NOT NULL,
  remedy text NOT NULL,
  FOREIGN KEY (asset, company) REFERENCES assets (number, company) ON DELETE CASCADE
);
COMMENT ON TABLE sensor_faults IS 'Days of sensors whose counts cannot be trusted, as that run found.';
COMMENT ON COLUMN sensor_faults.from_date IS 'Local dates at the asset, as is to_date: inclusive.';
CREATE INDEX ON sensor_faults (sensor);
CREATE INDEX ON sensor_faults (asset, company);

${protectTables('doctor_runs', 'sensor_faults')}
${showToCompanies('sensor_faults')}

CREATE FUNCTION doctor_ran_at() RETURNS timestamptz LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT ran_at FROM public.doctor_runs
$$;
COMMENT ON FUNCTION doctor_ran_at IS 'When doctor ran last; how many sensors it judged is not shown to keys.';
REVOKE ALL ON FUNCTION doctor_ran_at() FROM PUBLIC;`)
}

export { down } from '../migrate/forward-only'
