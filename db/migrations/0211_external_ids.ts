/** The ids of assets in other systems, and the version of the taxonomy of their venue types. */
import type { Knex } from 'knex'
import { protectTables, showToCompanies } from '../migrate/row-level-security'

/** The columns that the API shows of an asset: a record has changed when one of them has. */
const COLUMNS = `id legacy_id company_id name description media_type format venue_type_id status indoors facing_degrees
  width_m height_m latitude longitude address city region postal_code country time_zone sensor_ids sensor_minutes
  venue_taxonomy external_ids`.split(/\s+/)

const columns = (prefix = '') => COLUMNS.map(column => `${prefix}${column}`).join(',\n    ')

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE assets
  ADD venue_taxonomy text COLLATE "C",
  ADD external_ids jsonb NOT NULL DEFAULT '{}';
ALTER TABLE assets
  ADD CONSTRAINT venue_taxonomy_is_known CHECK (venue_taxonomy IN ('1.0', '1.1', '1.2.1')) NOT VALID,
  ADD CONSTRAINT external_ids_are_an_object CHECK (jsonb_typeof(external_ids) = 'object') NOT VALID;
COMMENT ON COLUMN assets.venue_taxonomy IS 'The version of OpenOOH of venue_type_id; null where it is not stated.';
COMMENT ON COLUMN assets.external_ids IS 'The ids of the asset in other systems: {system: id}.';

CREATE TABLE asset_external_ids (
  company integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  asset integer NOT NULL,
  PRIMARY KEY (asset, key),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company) ON UPDATE CASCADE ON DELETE CASCADE
);
COMMENT ON TABLE asset_external_ids IS 'Copies of assets.external_ids, by which assets are found. Set by trigger.';
COMMENT ON COLUMN asset_external_ids.key IS 'system:id';
CREATE INDEX ON asset_external_ids (company, key) INCLUDE (asset);
${protectTables('asset_external_ids')}
${showToCompanies('asset_external_ids')}

CREATE FUNCTION copy_external_ids() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN DELETE FROM asset_external_ids WHERE asset = NEW.number; END IF;
  INSERT INTO asset_external_ids (company, key, asset)
    SELECT NEW.company, system || ':' || id, NEW.number FROM jsonb_each_text(NEW.external_ids) AS ids (system, id);
  RETURN NULL;
END $$;
CREATE TRIGGER copy_external_ids_on_insert AFTER INSERT ON assets FOR EACH ROW
  WHEN (NEW.external_ids <> '{}') EXECUTE FUNCTION copy_external_ids();
CREATE TRIGGER copy_external_ids_on_update AFTER UPDATE OF external_ids ON assets FOR EACH ROW
  WHEN (OLD.external_ids IS DISTINCT FROM NEW.external_ids) EXECUTE FUNCTION copy_external_ids();

CREATE OR REPLACE FUNCTION set_asset_columns() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.company <> OLD.company THEN
    NEW.company_id = (SELECT id FROM companies WHERE number = NEW.company);
  END IF;
  IF TG_OP = 'INSERT' OR NEW.time_zone <> OLD.time_zone THEN
    NEW.rules = (SELECT number FROM zone_rules WHERE zone = NEW.time_zone AND in_force);
    IF NEW.rules IS NULL THEN
      RAISE foreign_key_violation USING MESSAGE = format('there are no rules of the time zone %s, which an import adds', NEW.time_zone);
    END IF;
  END IF;
  IF TG_OP = 'INSERT' THEN
    NEW.class = class_of(NEW);
  ELSE
    IF (NEW.company, NEW.country, NEW.region, NEW.city, NEW.media_type, NEW.format,
      NEW.status) IS DISTINCT FROM (OLD.company, OLD.country, OLD.region, OLD.city, OLD.media_type, OLD.format,
      OLD.status) THEN NEW.class = class_of(NEW); END IF;
    IF (${columns('NEW.')}) IS DISTINCT FROM (${columns('OLD.')}) THEN NEW.updated_at = now(); END IF;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION touch_assets() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO touched (kind, asset, company, asset_id, class)
      SELECT 'removed', number, company, id, class FROM before;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM after;
  ELSE
    -- The columns that the API shows, as in set_asset_columns.
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM (
      SELECT number, ${columns()} FROM after
      EXCEPT
      SELECT number, ${columns()} FROM before) AS c;
    INSERT INTO touched (kind, asset) SELECT 'time_zone', number
      FROM (SELECT number, time_zone FROM after EXCEPT SELECT number, time_zone FROM before) AS c;
    INSERT INTO touched (kind, asset) SELECT 'rules', number
      FROM (SELECT number, rules FROM after EXCEPT SELECT number, rules FROM before) AS c;
    INSERT INTO touched (kind, asset, company, class)
      SELECT 'class', number, company, class
      FROM (SELECT number, company, class FROM after EXCEPT SELECT number, company, class FROM before) AS c
      UNION ALL
      SELECT 'class', number, company, class
      FROM (SELECT number, company, class FROM before EXCEPT SELECT number, company, class FROM after) AS c;
  END IF;
  RETURN NULL;
END $$;`)
}

export { down } from '../migrate/forward-only'
