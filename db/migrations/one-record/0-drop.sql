ALTER TABLE asset_months RENAME TO old_asset_months;
ALTER INDEX asset_months_pkey RENAME TO old_asset_months_pkey;
DROP VIEW touched_coverage, touched_classes, asset_days, defined_measured_assets;
DROP TABLE class_months CASCADE;
DROP TRIGGER touch_origins_on_insert ON origin_months;
DROP TRIGGER touch_origins_on_update ON origin_months;
DROP TRIGGER touch_origins_on_delete ON origin_months;
DROP TRIGGER touched_origins_on_update ON origin_months;
DROP TRIGGER touched_origins_on_delete ON origin_months;
DROP TRIGGER note_former_installations ON assets;
DROP TRIGGER touch_facts_on_insert ON sensor_days;
DROP TRIGGER touch_facts_on_update ON sensor_days;
DROP TRIGGER touch_facts_on_delete ON sensor_days;
DROP TRIGGER touch_facts_on_insert ON demographic_days;
DROP TRIGGER touch_facts_on_update ON demographic_days;
DROP TRIGGER touch_facts_on_delete ON demographic_days;
DROP FUNCTION touch_facts, touch_origins, note_former_origins, note_former_installations, note_former_impressions, record_restatements,
  record_changes, record_versions, refresh_measured_assets, replace_rows, refresh_asset_months;
DROP FUNCTION define_asset_months, define_asset_demographics, define_class_demographic_days, define_class_demographics, define_class_sensors;
