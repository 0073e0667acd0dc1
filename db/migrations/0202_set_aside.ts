/** Counts that are set aside: kept, but in no number. By sensor and instant, so that moves and time zones do not touch them. */
import type { Knex } from 'knex'
import { protectTables, showWhereExists } from '../migrate/row-level-security'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE set_asides (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sensor integer NOT NULL REFERENCES sensors (number) ON DELETE CASCADE,
  from_time timestamptz(3) NOT NULL,
  to_time timestamptz(3) NOT NULL,
  reason text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
  is_public boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (to_time > from_time),
  -- Of ranges alone, because an index of integers in GiST needs an extension.
  CONSTRAINT set_aside_once EXCLUDE USING gist (
    int4range(sensor, sensor, '[]') WITH &&, tstzrange(from_time, to_time) WITH &&)
);
COMMENT ON TABLE set_asides IS 'Stretches of a sensor whose counts cannot be used, as an operator says: those stored, and those that arrive later.';
COMMENT ON COLUMN set_asides.to_time IS 'Exclusive.';
COMMENT ON COLUMN set_asides.is_public IS 'Whether partners read the reason.';
CREATE INDEX ON set_asides (sensor, from_time);

CREATE TABLE set_aside_counts (
  set_aside integer NOT NULL REFERENCES set_asides (id) ON DELETE CASCADE,
  native_minutes smallint NOT NULL CHECK (native_minutes IN (1, 15, 60, 1440)),
  day date NOT NULL,
  starts integer[] NOT NULL,
  counts integer[] NOT NULL,
  PRIMARY KEY (set_aside, native_minutes, day),
  CHECK (cardinality(starts) = cardinality(counts) AND cardinality(starts) > 0)
);
COMMENT ON TABLE set_aside_counts IS 'The counts of a stretch that is set aside, by UTC day.';
COMMENT ON COLUMN set_aside_counts.day IS 'The UTC day in which the intervals begin; of daily counts, their local date.';
COMMENT ON COLUMN set_aside_counts.starts IS 'Seconds from the beginning of the UTC day to that of each interval, ascending; 0 of daily counts.';

${protectTables('set_asides', 'set_aside_counts')}
${showWhereExists('set_asides', 'installations', 'other.sensor = set_asides.sensor AND tstzrange(other.installed_at, other.removed_at) && tstzrange(from_time, to_time)')}

CREATE FUNCTION dates_set_aside(sensors integer[], first date, last date) RETURNS TABLE (sensor integer, date date)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT DISTINCT t.sensor, c.day FROM public.set_asides t JOIN public.set_aside_counts c ON c.set_aside = t.id
  WHERE t.sensor = ANY ($1) AND c.native_minutes = 1440 AND c.day BETWEEN $2 AND $3 AND EXISTS (
    SELECT FROM public.installations i WHERE i.sensor = t.sensor AND i.company = ANY ((SELECT public.companies_in_scope())::integer[])
      AND tstzrange(i.installed_at, i.removed_at) && tstzrange((c.day - 1)::timestamp AT TIME ZONE 'UTC', (c.day + 2)::timestamp AT TIME ZONE 'UTC'))
$$;
COMMENT ON FUNCTION dates_set_aside IS 'The dates of daily counts that are set aside, of sensors that are or were on an asset in the scope of the key then.';
REVOKE ALL ON FUNCTION dates_set_aside FROM PUBLIC`)
}

export { down } from '../migrate/forward-only'
