-- Brings a database of the version before to the schema of `baseline/`, with its data.

-- Only the version before called it.
DROP FUNCTION dates_set_aside(integer[], date, date);

-- A new database has these constraints valid.
ALTER TABLE assets VALIDATE CONSTRAINT venue_taxonomy_is_known, VALIDATE CONSTRAINT external_ids_are_an_object;
ALTER TABLE set_aside_counts VALIDATE CONSTRAINT set_aside_counts_asset_fkey;

-- What is served was recorded in other tables. The files of `baseline/` that follow make the new ones.
DROP VIEW touched_coverage, touched_classes, asset_days, defined_measured_assets;
DROP TABLE asset_months, class_months CASCADE;
DROP TRIGGER note_former_installations ON assets;
DROP TRIGGER touch_facts_on_insert ON sensor_days;
DROP TRIGGER touch_facts_on_update ON sensor_days;
DROP TRIGGER touch_facts_on_delete ON sensor_days;
DROP TRIGGER touch_facts_on_insert ON demographic_days;
DROP TRIGGER touch_facts_on_update ON demographic_days;
DROP TRIGGER touch_facts_on_delete ON demographic_days;
DROP FUNCTION touch_facts, note_former_installations, note_former_impressions, record_restatements,
  record_changes, record_versions, refresh_measured_assets, replace_rows, refresh_asset_months;
DROP FUNCTION define_asset_demographics, define_class_demographic_days, define_class_demographics, define_class_sensors;
CREATE TABLE former_origins AS SELECT asset, company, date, region, city, impressions FROM origins;
DROP VIEW origins;
DROP TABLE origin_months;
DROP FUNCTION touch_origins, note_former_origins, are_packed_origins, sum_of_origins;
DROP TABLE touched, touched_installations CASCADE;
DROP FUNCTION touch_assets, touch_sensors, touch_installations, copy_installations, finish_transaction, begin_transaction CASCADE;
