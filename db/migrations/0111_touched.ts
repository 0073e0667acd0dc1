/**
 * Records what a transaction touches: days of assets with counts, origins or demographics, and records of assets and sensors.
 * Statements of any program do so, by triggers. Everything that derives from these tables is refreshed once, before the commit.
 */
import type { Knex } from 'knex'

/** Tables of facts, with the kind of their changes. */
const FACTS = { sensor_days: 'impressions', origins: 'origins', demographic_days: 'demographics' }

/** The columns that the API shows, as in the triggers that set updated_at. */
const RECORDS = {
  assets: `number, id, legacy_id, company_id, name, description, media_type, format, venue_type_id, status, indoors, facing_degrees,
    width_m, height_m, latitude, longitude, address, city, region, postal_code, country, time_zone, sensor_ids, sensor_minutes`,
  sensors: 'number, id, serial, model, vendor_name, native_minutes, asset, billable_state, installed_at, removed_at',
}

/** The rows as they were and as they are. */
const TRANSITION_TABLES = {
  INSERT: 'NEW TABLE AS after',
  UPDATE: 'OLD TABLE AS before NEW TABLE AS after',
  DELETE: 'OLD TABLE AS before',
}

/** A trigger for each event on a table, once per statement. All call one function, which distinguishes them by TG_OP. */
const triggers = (table: string, name: string, argument = ''): string =>
  Object.entries(TRANSITION_TABLES)
    .map(
      ([event, tables]) => `
CREATE TRIGGER ${name}_on_${event.toLowerCase()} AFTER ${event} ON ${table} REFERENCING ${tables}
  FOR EACH STATEMENT EXECUTE FUNCTION ${name}(${argument});`,
    )
    .join('')

/** SQL of the rows of a transition table that are not the same in the other one. */
const changed = (columns: string, side: string, other: string): string =>
  `(SELECT ${columns} FROM ${side} EXCEPT SELECT ${columns} FROM ${other})`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION month_number(date) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (extract(year FROM $1) * 12 + extract(month FROM $1) - 1)::integer
$$;
COMMENT ON FUNCTION month_number IS 'Months since year 0.';
CREATE FUNCTION month_start(integer) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT make_date($1 / 12, $1 % 12 + 1, 1)
$$;
COMMENT ON FUNCTION month_start IS 'The first day of a month, counted since year 0.';

CREATE UNLOGGED TABLE touched (
  kind text NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics', 'asset', 'removed', 'class', 'time_zone', 'installations', 'sensors')),
  asset integer NOT NULL,
  company integer,
  month integer,
  from_date date,
  to_date date,
  asset_id text COLLATE "C",
  class integer
);
COMMENT ON TABLE touched IS 'What the running transaction has touched; empty otherwise. Set by trigger.';
COMMENT ON COLUMN touched.month IS 'Of facts, as are the dates, which are days of one month.';
COMMENT ON COLUMN touched.asset_id IS 'Of a removed asset, as is its company.';
COMMENT ON COLUMN touched.class IS 'A class that the asset has left or joined.';

CREATE UNLOGGED TABLE touched_installations (
  asset integer NOT NULL,
  sensor integer NOT NULL,
  native_minutes smallint NOT NULL,
  periods tstzmultirange NOT NULL,
  PRIMARY KEY (asset, sensor, native_minutes)
);
COMMENT ON TABLE touched_installations IS 'Periods in which the running transaction has installed or removed sensors; empty otherwise. Set by trigger.';

CREATE FUNCTION touch_facts() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    INSERT INTO touched (kind, asset, company, month, from_date, to_date)
      SELECT TG_ARGV[0], a.number, a.company, c.month, month_start(c.month), month_start(c.month + 1) - 1
      FROM changes c JOIN assets a ON a.id = c.asset_id WHERE c.kind = TG_ARGV[0];
  END IF;
${Object.entries({
  INSERT: 'after',
  DELETE: 'before',
  UPDATE: '(SELECT asset, company, date FROM before UNION ALL SELECT asset, company, date FROM after) AS rows',
})
  .map(
    ([event, rows]) => `
  IF TG_OP = '${event}' THEN
    INSERT INTO touched (kind, asset, company, month, from_date, to_date)
      SELECT TG_ARGV[0], asset, company, month_number(date), min(date), max(date) FROM ${rows} GROUP BY asset, company, month_number(date);
  END IF;`,
  )
  .join('')}
  RETURN NULL;
END $$;
${Object.entries(FACTS)
  .map(
    ([table, kind]) => `${triggers(table, 'touch_facts', `'${kind}'`)}
CREATE TRIGGER touch_facts_on_truncate AFTER TRUNCATE ON ${table}
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('${kind}');`,
  )
  .join('')}

CREATE FUNCTION touch_assets() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO touched (kind, asset, company, asset_id, class) SELECT 'removed', number, company, id, class FROM before;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM after;
  ELSE
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM ${changed(RECORDS.assets, 'after', 'before')} AS c;
    INSERT INTO touched (kind, asset) SELECT 'time_zone', number FROM ${changed('number, time_zone', 'after', 'before')} AS c;
    INSERT INTO touched (kind, asset, company, class)
      SELECT 'class', number, company, class FROM ${changed('number, company, class', 'after', 'before')} AS c
      UNION ALL SELECT 'class', number, company, class FROM ${changed('number, company, class', 'before', 'after')} AS c;
  END IF;
  RETURN NULL;
END $$;
${triggers('assets', 'touch_assets')}

CREATE FUNCTION copy_installations(changed_assets integer[]) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Always in this order, so that concurrent transactions do not deadlock. After waiting for another transaction here,
  -- the next statement sees its sensors.
  PERFORM FROM assets WHERE number = ANY (changed_assets) ORDER BY number FOR NO KEY UPDATE;
  WITH copied AS (
    UPDATE assets a SET sensor_ids = i.sensor_ids, sensor_minutes = i.sensor_minutes, installations = i.installations
    FROM asset_installations i
    WHERE a.number = ANY (changed_assets) AND i.asset = a.number
      AND (a.sensor_ids, a.sensor_minutes, a.installations::text) IS DISTINCT FROM (i.sensor_ids, i.sensor_minutes, i.installations::text)
    RETURNING a.number
  )
  INSERT INTO touched (kind, asset) SELECT 'installations', number FROM copied;
END $$;
COMMENT ON FUNCTION copy_installations IS 'Copies the sensors and installations of assets to their columns.';

CREATE FUNCTION touch_sensors() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed_assets integer[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    changed_assets = ARRAY(SELECT asset FROM after WHERE asset IS NOT NULL);
  ELSIF TG_OP = 'DELETE' THEN
    changed_assets = ARRAY(SELECT asset FROM before WHERE asset IS NOT NULL);
  ELSE
    -- Not by a join, whose plan is kept from a statement that changed no row, and would compare each row with each.
    changed_assets = ARRAY(
      SELECT asset FROM ${changed(RECORDS.sensors, 'after', 'before')} AS c WHERE asset IS NOT NULL
      UNION SELECT asset FROM ${changed(RECORDS.sensors, 'before', 'after')} AS c WHERE asset IS NOT NULL);
  END IF;
  INSERT INTO touched (kind, asset) SELECT 'sensors', unnest(changed_assets);
  PERFORM copy_installations(changed_assets);
  RETURN NULL;
END $$;
${triggers('sensors', 'touch_sensors')}

CREATE FUNCTION touch_installations() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    INSERT INTO touched_installations AS t SELECT asset, sensor, native_minutes, range_agg(tstzrange(installed_at, removed_at))
      FROM before GROUP BY 1, 2, 3
      -- A period that is taken away and added again is no change.
      ON CONFLICT (asset, sensor, native_minutes) DO UPDATE SET periods = (t.periods - excluded.periods) + (excluded.periods - t.periods);
    PERFORM copy_installations(ARRAY(SELECT DISTINCT asset FROM before));
  END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO touched_installations AS t SELECT asset, sensor, native_minutes, range_agg(tstzrange(installed_at, removed_at))
      FROM after GROUP BY 1, 2, 3
      ON CONFLICT (asset, sensor, native_minutes) DO UPDATE SET periods = (t.periods - excluded.periods) + (excluded.periods - t.periods);
    PERFORM copy_installations(ARRAY(SELECT DISTINCT asset FROM after));
  END IF;
  RETURN NULL;
END $$;
${triggers('installations', 'touch_installations')}
`)
}

export { down } from '../migrate/forward-only'
