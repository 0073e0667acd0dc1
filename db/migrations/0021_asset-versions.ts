/**
 * Data versions beside the months of an asset, and in a narrow row for each asset, so that an import of counts rewrites no
 * row of `assets`. One trigger function for each table of counts maintains sums and versions together.
 */
import type { Knex } from 'knex'
import { RETURN_WITHOUT_ROWS, statementTriggers } from '../migrate/statement-triggers'

const DAYS = Array.from({ length: 31 }, (_, i) => i + 1)

const forDays = (sql: (day: number) => string): string => DAYS.map(sql).join(', ')

const DAY_COLUMNS = forDays(day => `day_${day}`)

/** SQL of a value of a day: the new one if the day has changed, else the stored one. */
const merged = (day: number, changed: string, stored: string): string =>
  `CASE WHEN c.days & ${1 << (day - 1)} > 0 THEN ${changed} ELSE ${stored} END`

/** SQL that locks the versions of `changed_assets`. */
const LOCK = `-- Always in this order, so that concurrent transactions do not deadlock. After waiting for another transaction here,
  -- the next statement sees its changes.
  PERFORM FROM asset_versions WHERE asset = ANY (changed_assets) ORDER BY asset FOR NO KEY UPDATE;`

const DROPPED = ['data_version', 'base_version', 'month_versions', 'version_xid', 'measured_from', 'measured_to']

const NEXT_VERSION = 'next_data_version(v.data_version, v.version_xid)'

const recordMonths = (table: string): string =>
  `PERFORM record_month_changes(array_agg(asset), array_agg(month_number(date))) FROM (SELECT DISTINCT asset, date FROM ${table}) AS days`

const truncateTrigger = (table: string, triggerFunction: string): string => `
CREATE TRIGGER ${triggerFunction}_on_truncate AFTER TRUNCATE ON ${table}
  FOR EACH STATEMENT EXECUTE FUNCTION ${triggerFunction}();`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE asset_versions (
  data_version bigint NOT NULL DEFAULT to_microseconds(statement_timestamp()),
  base_version bigint NOT NULL DEFAULT to_microseconds(statement_timestamp()),
  version_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  asset integer PRIMARY KEY,
  company integer NOT NULL,
  measured_from date,
  measured_to date CHECK (measured_to >= measured_from),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company) ON UPDATE CASCADE ON DELETE CASCADE,
  CHECK ((measured_from IS NULL) = (measured_to IS NULL))
-- Room for new versions of rows beside the old ones.
) WITH (fillfactor = 50);
COMMENT ON TABLE asset_versions IS 'When the data of assets last changed: a narrow row beside that of assets, because each import changes it. Set by trigger.';
COMMENT ON COLUMN asset_versions.data_version IS 'When any of the asset''s counts or installations last changed, in microseconds since 1970.';
COMMENT ON COLUMN asset_versions.base_version IS 'The last change that affects every range of dates: installations, the time zone.';
COMMENT ON COLUMN asset_versions.version_xid IS 'The transaction that set data_version.';
COMMENT ON COLUMN asset_versions.measured_from IS 'First and last local date with counts.';
ALTER TABLE asset_versions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON asset_versions TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON asset_versions FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));

INSERT INTO asset_versions (asset, company, data_version, base_version, version_xid, measured_from, measured_to)
  SELECT number, company, data_version, base_version, version_xid, measured_from, measured_to FROM assets;

ALTER TABLE asset_months ADD COLUMN version bigint;
COMMENT ON COLUMN asset_months.version IS 'The last change of counts, origins or demographics of the month. A month has a row even without counts, so that versions ascend.';
INSERT INTO asset_months AS m (asset, company, class, month, observed, version)
  SELECT number, company, class, month, '{}', month_versions[month]
  FROM assets a CROSS JOIN LATERAL generate_subscripts(month_versions, 1) AS month WHERE month_versions[month] > 0
  ON CONFLICT (asset, month) DO UPDATE SET version = excluded.version;
UPDATE asset_months m SET version = a.base_version FROM assets a WHERE a.number = m.asset AND m.version IS NULL;
ALTER TABLE asset_months ALTER COLUMN version SET NOT NULL;

DROP FUNCTION record_month_change CASCADE; -- And its triggers.
DROP TRIGGER record_time_zone_change ON assets;
DROP FUNCTION set_month_versions, record_time_zone_change, refresh_asset_months;
ALTER TABLE assets ${DROPPED.map(column => `DROP COLUMN ${column}`).join(', ')};

CREATE FUNCTION add_versions() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO asset_versions (asset, company) SELECT number, company FROM after ORDER BY number;
  RETURN NULL;
END $$;
CREATE TRIGGER add_versions AFTER INSERT ON assets REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION add_versions();

CREATE FUNCTION record_base_change(changed_assets integer[]) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  ${LOCK}
  UPDATE asset_versions AS v SET data_version = ${NEXT_VERSION}, base_version = ${NEXT_VERSION}, version_xid = pg_current_xact_id()
    WHERE asset = ANY (changed_assets);
END $$;
COMMENT ON FUNCTION record_base_change IS 'Records a change of assets that affects every range of dates.';
CREATE FUNCTION record_time_zone_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM record_base_change(ARRAY[NEW.number]);
  RETURN NULL;
END $$;
CREATE TRIGGER record_time_zone_change AFTER UPDATE OF time_zone ON assets
  FOR EACH ROW WHEN (OLD.time_zone IS DISTINCT FROM NEW.time_zone) EXECUTE FUNCTION record_time_zone_change();

CREATE OR REPLACE FUNCTION refresh_installations(changed_assets integer[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Always in this order, so that concurrent transactions do not deadlock. After waiting for another transaction here,
  -- the next statement sees its sensors.
  PERFORM FROM assets WHERE number = ANY (changed_assets) ORDER BY number FOR NO KEY UPDATE;
  WITH changed AS (
    UPDATE assets AS a SET
      sensor_ids = derived.ids, sensor_minutes = derived.minutes,
      installations = derived.installations::json
    FROM (
      SELECT changed.asset, s.ids, s.minutes, i.installations
      -- An asset at a time: joining the derived lists takes long if many assets change, whose number is not estimated.
      FROM (SELECT DISTINCT unnest(changed_assets) AS asset) AS changed CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids, max(native_minutes) AS minutes FROM sensors WHERE asset = changed.asset
      ) AS s CROSS JOIN LATERAL (
        SELECT coalesce(json_agg(json_build_object('sensor', i.sensor, 'nativeMinutes', i.native_minutes,
          'from', extract(epoch FROM i.installed_at)::float8, 'to', extract(epoch FROM i.removed_at)::float8,
          'present', EXISTS (
            SELECT FROM sensors WHERE number = i.sensor AND (asset, installed_at) = (i.asset, i.installed_at)))
          ORDER BY i.installed_at, i.sensor)::text, '[]') AS installations
        FROM installations i WHERE i.asset = changed.asset
      ) AS i
    ) AS derived
    WHERE a.number = derived.asset AND (a.sensor_ids, a.sensor_minutes, a.installations::text)
      IS DISTINCT FROM (derived.ids, derived.minutes, derived.installations)
    RETURNING a.number
  )
  SELECT array_agg(number) INTO changed_assets FROM changed;
  PERFORM record_base_change(changed_assets);
END $$;

CREATE FUNCTION refresh_asset_months(changed_assets integer[], changed_dates date[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  ${LOCK}
  WITH days AS MATERIALIZED (
    SELECT asset, date, month_number(date) AS month, extract(day FROM date)::integer AS day,
      sum(impressions)::bigint AS impressions, sum(observed)::integer AS observed
    FROM (SELECT DISTINCT * FROM unnest(changed_assets, changed_dates) AS d (asset, date)) AS changed
      LEFT JOIN sensor_days USING (asset, date)
    GROUP BY asset, date
  ), months AS (
    INSERT INTO asset_months (asset, company, class, month, version, impressions, observed, ${DAY_COLUMNS})
    SELECT asset, company, class, month, version, (SELECT sum(day) FROM unnest(ARRAY[${DAY_COLUMNS}]) AS day), observed, ${DAY_COLUMNS}
    FROM (
      SELECT c.asset, a.company, a.class, c.month, ${NEXT_VERSION} AS version,
        ARRAY[${forDays(day => merged(day, `c.observed_${day}`, `t.observed[${day}]`))}] AS observed,
        ${forDays(day => `${merged(day, `c.day_${day}`, `t.day_${day}`)} AS day_${day}`)}
      FROM (
        SELECT asset, month, bit_or(1 << (day - 1)) AS days,
          ${forDays(day => `max(impressions) FILTER (WHERE day = ${day}) AS day_${day}`)},
          ${forDays(day => `max(observed) FILTER (WHERE day = ${day}) AS observed_${day}`)}
        FROM days GROUP BY asset, month
      ) AS c
      JOIN assets a ON a.number = c.asset JOIN asset_versions v ON v.asset = c.asset
      LEFT JOIN asset_months t ON (t.asset, t.month) = (c.asset, c.month)
    ) AS m
    ON CONFLICT (asset, month) DO UPDATE
      SET (version, impressions, observed, ${DAY_COLUMNS}) = (excluded.version, excluded.impressions, excluded.observed, ${forDays(day => `excluded.day_${day}`)})
  )
  UPDATE asset_versions v SET data_version = ${NEXT_VERSION}, version_xid = pg_current_xact_id(),
    measured_from = CASE WHEN v.measured_from BETWEEN first_without AND last_without
      THEN (SELECT min(date) FROM sensor_days d WHERE d.asset = v.asset) ELSE least(v.measured_from, first_with) END,
    measured_to = CASE WHEN v.measured_to BETWEEN first_without AND last_without
      THEN (SELECT max(date) FROM sensor_days d WHERE d.asset = v.asset) ELSE greatest(v.measured_to, last_with) END
  FROM (
    SELECT asset,
      min(date) FILTER (WHERE observed IS NOT NULL) AS first_with, max(date) FILTER (WHERE observed IS NOT NULL) AS last_with,
      min(date) FILTER (WHERE observed IS NULL) AS first_without, max(date) FILTER (WHERE observed IS NULL) AS last_without
    FROM days GROUP BY asset
  ) AS c
  WHERE v.asset = c.asset;
END $$;
COMMENT ON FUNCTION refresh_asset_months IS 'Recomputes days of assets from sensor_days, and records their change.';
CREATE OR REPLACE FUNCTION sensor_days_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  ${RETURN_WITHOUT_ROWS}
  IF TG_OP = 'INSERT' THEN
    PERFORM refresh_asset_months(array_agg(asset), array_agg(date)) FROM after;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM refresh_asset_months(array_agg(asset), array_agg(date)) FROM before;
  ELSIF TG_OP = 'TRUNCATE' THEN
    PERFORM record_base_change(ARRAY(SELECT asset FROM asset_versions));
    UPDATE asset_months SET (impressions, observed, ${DAY_COLUMNS}) = (NULL, '{}', ${forDays(() => 'NULL')}) WHERE impressions IS NOT NULL;
    UPDATE asset_versions SET measured_from = NULL, measured_to = NULL WHERE measured_from IS NOT NULL;
  ELSE
    PERFORM refresh_asset_months(array_agg(asset), array_agg(date))
      FROM (SELECT asset, date FROM before UNION SELECT asset, date FROM after) AS changed;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION record_month_changes(changed_assets integer[], changed_months integer[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  ${LOCK}
  UPDATE asset_versions v SET data_version = ${NEXT_VERSION}, version_xid = pg_current_xact_id()
    WHERE asset = ANY (changed_assets) AND version_xid <> pg_current_xact_id();
  INSERT INTO asset_months (asset, company, class, month, observed, version)
    SELECT c.asset, a.company, a.class, c.month, '{}', v.data_version
    FROM (SELECT DISTINCT * FROM unnest(changed_assets, changed_months) AS u (asset, month)) AS c
      JOIN assets a ON a.number = c.asset JOIN asset_versions v ON v.asset = c.asset
      LEFT JOIN asset_months t ON (t.asset, t.month) = (c.asset, c.month)
    WHERE t.version IS DISTINCT FROM v.data_version
    ON CONFLICT (asset, month) DO UPDATE SET version = excluded.version;
END $$;
COMMENT ON FUNCTION record_month_changes IS 'Records a change of months of assets.';

CREATE FUNCTION audience_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  ${RETURN_WITHOUT_ROWS}
  IF TG_OP = 'TRUNCATE' THEN PERFORM record_base_change(ARRAY(SELECT asset FROM asset_versions)); END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN ${recordMonths('after')}; END IF;
  IF TG_OP IN ('UPDATE', 'DELETE') THEN ${recordMonths('before')}; END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION audience_changed() IS 'Records which months of which assets a statement on origins or demographics changed.';
${['origins', 'demographic_days'].map(table => statementTriggers(table, 'audience_changed') + truncateTrigger(table, 'audience_changed')).join('')}

CREATE OR REPLACE FUNCTION classes_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed_assets integer[] = ARRAY(SELECT number FROM (SELECT number, class FROM after EXCEPT SELECT number, class FROM before) AS moved);
BEGIN
  IF changed_assets = '{}' THEN RETURN NULL; END IF;
  ${LOCK}
  UPDATE asset_months m SET class = a.class FROM assets a WHERE a.number = ANY (changed_assets) AND m.asset = a.number;
  PERFORM delete_unused_classes(ARRAY(SELECT DISTINCT class FROM before));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION asset_months_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  removed asset_months[] = '{}';
  added asset_months[] = '{}';
BEGIN
  ${RETURN_WITHOUT_ROWS}
  IF TG_OP = 'TRUNCATE' THEN
    TRUNCATE class_months, company_months, measured_assets;
    RETURN NULL;
  ELSIF TG_OP = 'UPDATE' THEN
    -- Origins and demographics change versions alone.
    IF NOT EXISTS (SELECT asset, company, class, month, ${DAY_COLUMNS} FROM before
      EXCEPT SELECT asset, company, class, month, ${DAY_COLUMNS} FROM after) THEN RETURN NULL; END IF;
  END IF;
  IF TG_OP <> 'INSERT' THEN SELECT array_agg(b) INTO removed FROM before b; END IF;
  IF TG_OP <> 'DELETE' THEN SELECT array_agg(a) INTO added FROM after a; END IF;
  PERFORM add_to_networks(removed, added);
  RETURN NULL;
END $$;
`)
}

export { down } from '../migrate/forward-only'
