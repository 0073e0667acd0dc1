/**
 * Classes of assets: a class is the assets of a company with the same location, media type, format and status. Totals of a
 * network are kept by class, because these are the attributes by which people filter and group.
 */
import type { Knex } from 'knex'

const ATTRIBUTES = ['country', 'region', 'city', 'media_type', 'format', 'status']

const ATTRIBUTE_COLUMNS = ATTRIBUTES.join(', ')

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE asset_classes (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE,
  country text COLLATE "C" NOT NULL,
  region text COLLATE "C",
  city text COLLATE "C",
  media_type text NOT NULL,
  format text NOT NULL,
  status text NOT NULL,
  UNIQUE NULLS NOT DISTINCT (company, ${ATTRIBUTE_COLUMNS})
);
COMMENT ON TABLE asset_classes IS 'The assets of a company with the same attributes are a class. Set by trigger.';
ALTER TABLE asset_classes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON asset_classes TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON asset_classes FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));

INSERT INTO asset_classes (company, ${ATTRIBUTE_COLUMNS}) SELECT DISTINCT company, ${ATTRIBUTE_COLUMNS} FROM assets;
ALTER TABLE assets ADD COLUMN class integer REFERENCES asset_classes (number);
UPDATE assets a SET class = c.number FROM asset_classes c
  WHERE (a.company, ${ATTRIBUTES.map(name => `a.${name}`).join(', ')})
    IS NOT DISTINCT FROM (c.company, ${ATTRIBUTES.map(name => `c.${name}`).join(', ')});
ALTER TABLE assets ALTER COLUMN class SET NOT NULL;
COMMENT ON COLUMN assets.class IS 'Set by trigger.';
CREATE INDEX ON assets (class);

CREATE FUNCTION set_class() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  LOOP
    SELECT number INTO NEW.class FROM asset_classes
      WHERE company = NEW.company AND country = NEW.country AND region IS NOT DISTINCT FROM NEW.region
        AND city IS NOT DISTINCT FROM NEW.city AND (media_type, format, status) = (NEW.media_type, NEW.format, NEW.status)
      FOR KEY SHARE;
    IF FOUND THEN RETURN NEW; END IF;
    INSERT INTO asset_classes (company, ${ATTRIBUTE_COLUMNS})
      VALUES (NEW.company, ${ATTRIBUTES.map(name => `NEW.${name}`).join(', ')}) ON CONFLICT DO NOTHING;
  END LOOP;
END $$;
CREATE TRIGGER set_class BEFORE INSERT OR UPDATE OF company, ${ATTRIBUTE_COLUMNS} ON assets
  FOR EACH ROW EXECUTE FUNCTION set_class();

CREATE FUNCTION delete_unused_classes(candidates integer[]) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- A class to which another transaction is adding an asset is skipped.
  candidates = ARRAY(SELECT number FROM asset_classes c
    WHERE number = ANY (candidates) AND NOT EXISTS (SELECT FROM assets WHERE class = c.number) FOR UPDATE SKIP LOCKED);
  -- Nothing can be added to a locked class. This statement sees what was added just before.
  DELETE FROM asset_classes c WHERE number = ANY (candidates) AND NOT EXISTS (SELECT FROM assets WHERE class = c.number);
END $$;

CREATE FUNCTION classes_left() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM delete_unused_classes(ARRAY(SELECT DISTINCT class FROM before));
  RETURN NULL;
END $$;
COMMENT ON FUNCTION classes_left() IS 'Deletes classes without assets.';
CREATE TRIGGER classes_left AFTER DELETE ON assets REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION classes_left();
`)
}

export { down } from '../migrate/forward-only'
