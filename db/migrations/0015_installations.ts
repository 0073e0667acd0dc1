/**
 * One table of all installations, past and present, in place of `former_installations` and `sensors.counting_from`. Each
 * has a grain of its own, because hardware may change under the same serial. Vendors may count days.
 */
import type { Knex } from 'knex'
import { statementTriggers } from '../migrate/statement-triggers'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE vendors
  DROP CONSTRAINT vendors_native_minutes_check,
  ADD CHECK (native_minutes IN (1, 15, 60, 1440));
COMMENT ON COLUMN vendors.native_minutes IS 'Length of the intervals that its sensors count: a minute, a quarter hour, an hour or a day.';

CREATE TABLE installations (
  sensor integer NOT NULL REFERENCES sensors (number) ON DELETE CASCADE,
  asset integer NOT NULL,
  company integer NOT NULL,
  native_minutes smallint NOT NULL CHECK (native_minutes IN (1, 15, 60, 1440)),
  installed_at timestamptz(3) NOT NULL,
  removed_at timestamptz(3),
  PRIMARY KEY (sensor, installed_at),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  CHECK (removed_at > installed_at),
  -- Of ranges alone, because an index of integers in GiST needs an extension.
  CONSTRAINT on_one_asset_at_a_time EXCLUDE USING gist (
    int4range(sensor, sensor, '[]') WITH &&, tstzrange(installed_at, removed_at) WITH &&)
);
COMMENT ON TABLE installations IS 'Where sensors are and were. A count belongs to the asset on which its sensor is installed when its interval begins; no stored count is outside.';
COMMENT ON COLUMN installations.native_minutes IS 'Length of the intervals that the sensor counts there. All of its installations on one asset and local day have the same.';
COMMENT ON COLUMN installations.removed_at IS 'Exclusive; null while the sensor is installed.';
CREATE INDEX ON installations (asset, sensor);

-- So far a count belonged to the installation that began last, or to the first one. They are extended to their counts.
INSERT INTO installations (sensor, asset, company, native_minutes, installed_at, removed_at)
SELECT sensor, asset, company, native_minutes, begun, ended FROM (
  SELECT i.sensor, i.asset, i.company, i.native_minutes,
    CASE WHEN i.number = 1 THEN least(i.installed_at, c.begun) ELSE i.installed_at END AS begun,
    CASE WHEN i.removed_at IS NULL THEN i.next ELSE least(i.next, greatest(i.removed_at, c.ended)) END AS ended
  FROM (
    SELECT *, row_number() OVER of_sensor AS number, lead(installed_at) OVER of_sensor AS next FROM (
      SELECT sensor, asset, company, native_minutes, installed_at, removed_at, false AS present FROM former_installations
      UNION ALL
      SELECT number, asset, company, native_minutes, counting_from, removed_at, true FROM sensors WHERE asset IS NOT NULL
    ) AS stored WINDOW of_sensor AS (PARTITION BY sensor ORDER BY installed_at, present)
  ) AS i CROSS JOIN LATERAL (
    SELECT min(d.date::timestamp AT TIME ZONE a.time_zone) AS begun, max((d.date + 1)::timestamp AT TIME ZONE a.time_zone) AS ended
    FROM assets a JOIN sensor_days d ON (d.asset, d.sensor) = (a.number, i.sensor)
    WHERE a.number = i.asset AND (i.next IS NULL OR d.date::timestamp AT TIME ZONE a.time_zone < i.next)
  ) AS c
) AS installation
WHERE ended IS NULL OR ended > begun;

DROP TRIGGER set_counting_from ON sensors;
${['insert', 'update', 'delete'].map(event => `DROP TRIGGER sensors_changed_on_${event} ON sensors;`).join('\n')}
DROP TABLE former_installations;
DROP FUNCTION former_installations_changed, refresh_counting_from, set_counting_from;
UPDATE sensors s SET installed_at = i.installed_at, removed_at = i.removed_at
  FROM (SELECT DISTINCT ON (sensor) * FROM installations ORDER BY sensor, installed_at DESC) AS i
  WHERE i.sensor = s.number AND i.asset = s.asset
    AND (s.installed_at, s.removed_at) IS DISTINCT FROM (i.installed_at, i.removed_at);
ALTER TABLE sensor_days
  DROP CONSTRAINT sensor_days_sensor_native_minutes_fkey,
  ADD FOREIGN KEY (sensor) REFERENCES sensors (number);
ALTER TABLE sensors
  DROP COLUMN counting_from,
  DROP CONSTRAINT sensors_number_native_minutes_key;
COMMENT ON TABLE sensors IS 'Counting hardware. A sensor is on one asset at a time, or on none, and belongs to the company of that asset. Where it was before is in installations.';
COMMENT ON COLUMN sensors.native_minutes IS 'Copy of vendors.native_minutes.';
COMMENT ON COLUMN sensors.installed_at IS 'Of its last installation, as is removed_at; copies.';
COMMENT ON COLUMN sensor_days.native_minutes IS 'That of the installation.';

CREATE OR REPLACE FUNCTION refresh_installations(changed_assets integer[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Always in this order, so that concurrent transactions do not deadlock. After waiting for another transaction here,
  -- the next statement sees its sensors.
  PERFORM FROM assets WHERE number = ANY (changed_assets) ORDER BY number FOR NO KEY UPDATE;
  UPDATE assets AS a SET
    sensor_ids = derived.ids,
    sensor_minutes = derived.minutes,
    installations = derived.installations::json,
    data_version = next_data_version(a.data_version, a.version_xid),
    base_version = next_data_version(a.data_version, a.version_xid),
    version_xid = pg_current_xact_id()
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
    IS DISTINCT FROM (derived.ids, derived.minutes, derived.installations);
END $$;

CREATE OR REPLACE FUNCTION sensors_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM refresh_installations(ARRAY(SELECT asset FROM after));
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM refresh_installations(ARRAY(SELECT asset FROM before));
  ELSE
    -- Other columns, above all those of health, affect no column of assets. Not by a join, whose plan is kept from a
    -- statement that changed no row, and would compare each row with each.
    PERFORM refresh_installations(ARRAY(
      (SELECT asset FROM (SELECT number, id, asset, native_minutes, installed_at FROM before
        EXCEPT SELECT number, id, asset, native_minutes, installed_at FROM after) AS changed)
      UNION
      (SELECT asset FROM (SELECT number, id, asset, native_minutes, installed_at FROM after
        EXCEPT SELECT number, id, asset, native_minutes, installed_at FROM before) AS changed)));
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION installations_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM refresh_installations(ARRAY(SELECT asset FROM after));
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM refresh_installations(ARRAY(SELECT asset FROM before));
  ELSE
    PERFORM refresh_installations(ARRAY(SELECT asset FROM before UNION ALL SELECT asset FROM after));
  END IF;
  RETURN NULL;
END $$;
${statementTriggers('sensors', 'sensors_changed')}
${statementTriggers('installations', 'installations_changed')}
SELECT refresh_installations(ARRAY(SELECT number FROM assets));

-- Forced, so that a login which owns the table is subject to it too; the policy lets the owner of today see all rows.
ALTER TABLE installations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON installations TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON installations FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));
`)
}

export { down } from '../migrate/forward-only'
