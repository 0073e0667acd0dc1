/**
 * The sensors that are installed on the assets of a class, and indexes of the installations that began or ended since an
 * instant: the sensors of many assets are counted without reading the assets.
 */
import type { Knex } from 'knex'

export const offline = 'fills and indexes class_sensors'

/** SQL of the keys of a class of touched assets: those that are stored, and those that its assets have now. */
const keysOf = (classNumber: string): string => `
      SELECT s.company, s.class, s.time_zone, s.native_minutes
        FROM touched_classes c JOIN class_sensors s ON s.company = c.company AND s.class = ${classNumber}
      UNION ALL
      SELECT c.company, ${classNumber}, a.time_zone, i.native_minutes
        FROM touched_classes c JOIN assets a ON a.number = c.asset JOIN installations i ON i.asset = a.number`

const MEASURED_ASSETS = `IF kinds && ARRAY['impressions', 'demographics'] THEN PERFORM refresh_measured_assets(); END IF;`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE class_sensors (
  company integer NOT NULL,
  class integer NOT NULL,
  time_zone text NOT NULL,
  native_minutes smallint NOT NULL,
  sensors integer NOT NULL,
  PRIMARY KEY (company, class, time_zone, native_minutes)
) WITH (fillfactor = 70);
COMMENT ON TABLE class_sensors IS 'Sensors that are installed on the assets of a class, or on all assets of a company.';
COMMENT ON COLUMN class_sensors.class IS '0: all assets of the company.';
COMMENT ON COLUMN class_sensors.native_minutes IS 'Of their installations.';

CREATE FUNCTION define_class_sensors(company integer, class integer, time_zone text, native_minutes smallint)
RETURNS SETOF class_sensors LANGUAGE sql STABLE AS $$
  SELECT a.company, a.class, a.time_zone, i.native_minutes, count(*)::integer
  FROM assets a JOIN installations i ON i.asset = a.number AND i.removed_at IS NULL
  WHERE a.class = $2 AND a.company = $1 AND a.time_zone = $3 AND i.native_minutes = $4
  GROUP BY a.company, a.class, a.time_zone, i.native_minutes
  UNION ALL
  SELECT s.company, 0, s.time_zone, s.native_minutes, sum(s.sensors)::integer
  FROM class_sensors s WHERE $2 = 0 AND s.company = $1 AND s.class > 0 AND s.time_zone = $3 AND s.native_minutes = $4
  GROUP BY s.company, s.time_zone, s.native_minutes
$$;

INSERT INTO class_sensors
  SELECT a.company, CASE GROUPING(a.class) WHEN 0 THEN a.class ELSE 0 END, a.time_zone, i.native_minutes, count(*)
  FROM assets a JOIN installations i ON i.asset = a.number AND i.removed_at IS NULL
  GROUP BY a.company, a.time_zone, i.native_minutes, GROUPING SETS ((), a.class);

ALTER TABLE class_sensors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON class_sensors TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON class_sensors FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));

CREATE INDEX ON installations (company, installed_at) INCLUDE (asset, native_minutes, removed_at);
CREATE INDEX ON installations (company, removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX ON assets (company, number) INCLUDE (time_zone, class);
`)
  const { rows } = await knex.raw(`SELECT pg_get_functiondef('finish_transaction()'::regprocedure) AS definition`)
  const [before, after] = rows[0].definition.split(MEASURED_ASSETS)
  await knex.raw(`${before}IF kinds && ARRAY['installations', 'time_zone', 'class', 'removed'] THEN
    PERFORM replace_rows('class_sensors', $keys$${keysOf('c.class')}$keys$);
    PERFORM replace_rows('class_sensors', $keys$${keysOf('0')}$keys$);
  END IF;
  ${MEASURED_ASSETS}${after}`)
}

export { down } from '../migrate/forward-only'
