-- Brings a database of the version before to the schema of `baseline/`, with its data.

-- Only the version before called it.
DROP FUNCTION dates_set_aside(integer[], date, date);

-- A new database has these constraints valid.
ALTER TABLE touched VALIDATE CONSTRAINT touched_kind_check;
ALTER TABLE changes VALIDATE CONSTRAINT changes_kind_check;
ALTER TABLE assets VALIDATE CONSTRAINT venue_taxonomy_is_known, VALIDATE CONSTRAINT external_ids_are_an_object;
ALTER TABLE set_aside_counts VALIDATE CONSTRAINT set_aside_counts_asset_fkey;
