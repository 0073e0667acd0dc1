/**
 * Brings names into the form of Unicode in which files and requests are read (NFC). Some systems write an accent behind its letter.
 * Names of this kind are few, and in most databases there are none.
 */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
DO $$
DECLARE
  key record;
  found bigint;
  changed boolean = false;
BEGIN
  FOR key IN VALUES ('companies', 'name'), ('vendors', 'name'), ('sensors', 'serial') LOOP
    -- Where several names have the same form, only their ids tell them apart: they stay as they are.
    FOR found IN EXECUTE format('SELECT number FROM %1$I t WHERE %2$I IS NOT NFC NORMALIZED AND NOT EXISTS (
      SELECT FROM %1$I o WHERE o.number <> t.number AND normalize(o.%2$I) = normalize(t.%2$I))', key.column1, key.column2) LOOP
      EXECUTE format('UPDATE %1$I SET %2$I = normalize(%2$I) WHERE number = $1', key.column1, key.column2) USING found;
      changed = true;
    END LOOP;
  END LOOP;
  FOR found IN SELECT number FROM assets
    WHERE concat_ws(' ', name, city, external_ids) IS NOT NFC NORMALIZED LOOP
    UPDATE assets SET name = normalize(name), city = normalize(city), external_ids = normalize(external_ids::text)::jsonb
      WHERE number = found;
    changed = true;
  END LOOP;
  FOR key IN SELECT asset, month FROM origin_months WHERE places::text IS NOT NFC NORMALIZED AND (
    SELECT count(DISTINCT normalize(place)) = count(*) FROM json_array_elements_text(places) AS p (place)) LOOP
    UPDATE origin_months SET places = normalize(places::text)::json WHERE (asset, month) = (key.asset, key.month);
    changed = true;
  END LOOP;
  -- Migrations behind this one may alter the tables.
  IF changed THEN
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
  END IF;
END $$`)
}

export { down } from '../migrate/forward-only'
