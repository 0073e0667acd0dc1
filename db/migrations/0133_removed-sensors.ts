/**
 * A sensor whose last installation has an end is on no asset, however it was removed. Until now one that was removed by
 * `removed_at` stayed in the records of its asset.
 */
import type { Knex } from 'knex'

export const offline = 'takes removed sensors from the records of their assets'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE OR REPLACE FUNCTION set_sensor_columns() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.removed_at IS NOT NULL THEN
    NEW.asset = NULL;
    NEW.company = NULL;
  END IF;
  IF TG_OP = 'INSERT' OR (NEW.asset, NEW.vendor) IS DISTINCT FROM (OLD.asset, OLD.vendor) THEN
    NEW.asset_id = (SELECT id FROM assets WHERE number = NEW.asset);
    NEW.vendor_name = (SELECT name FROM vendors WHERE number = NEW.vendor);
  END IF;
  IF TG_OP = 'UPDATE'
    AND (NEW.id, NEW.serial, NEW.model, NEW.vendor_name, NEW.native_minutes, NEW.asset, NEW.billable_state, NEW.installed_at, NEW.removed_at)
      IS DISTINCT FROM
      (OLD.id, OLD.serial, OLD.model, OLD.vendor_name, OLD.native_minutes, OLD.asset, OLD.billable_state, OLD.installed_at, OLD.removed_at)
  THEN NEW.updated_at = now(); END IF;
  RETURN NEW;
END $$;
COMMENT ON COLUMN sensors.asset IS 'Where the sensor is: the asset of its last installation, null as soon as that has an end, even one in the future. Time alone changes no record.';
COMMENT ON COLUMN assets.installations IS 'All sensors that are or were on the asset: [{sensor, nativeMinutes, from, to}], instants in seconds since 1970.';

CREATE OR REPLACE VIEW asset_installations WITH (security_invoker = true) AS
  SELECT a.number AS asset, s.sensor_ids, s.sensor_minutes, i.installations
  FROM assets a CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(id ORDER BY id), '{}') AS sensor_ids, max(native_minutes) AS sensor_minutes
    FROM sensors WHERE asset = a.number
  ) AS s CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_object('sensor', i.sensor, 'nativeMinutes', i.native_minutes,
      'from', extract(epoch FROM i.installed_at)::float8, 'to', extract(epoch FROM i.removed_at)::float8)
      ORDER BY i.installed_at, i.sensor), '[]') AS installations
    FROM installations i WHERE i.asset = a.number
  ) AS i;

-- Changes no record and no response.
UPDATE assets a SET installations = i.installations FROM asset_installations i
  WHERE i.asset = a.number AND a.installations::text <> i.installations::text;
-- As if they were removed now: the feed reports the sensors and their assets.
UPDATE sensors SET asset = NULL WHERE asset IS NOT NULL AND removed_at IS NOT NULL;
-- Later migrations may change the tables, which pending triggers forbid.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED`)
}

export { down } from '../migrate/forward-only'
