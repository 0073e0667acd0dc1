-- Makes room in a database of the version before for the added subjects of `baseline/`. `convert.sql` follows them.

-- What is served was recorded in other tables.
DROP VIEW touched_coverage, touched_classes, asset_days, defined_measured_assets;
DROP TABLE asset_months, class_months CASCADE;
DROP TRIGGER note_former_installations ON assets;
DROP FUNCTION note_former_installations, note_former_impressions, record_restatements, record_versions, refresh_measured_assets,
  replace_rows, refresh_asset_months, define_asset_demographics, define_class_demographic_days, define_class_demographics,
  define_class_sensors;
ALTER TABLE touched DROP COLUMN from_date, DROP COLUMN to_date, ADD COLUMN days integer, ADD COLUMN former_rules integer;
CREATE INDEX ON touched (asset) WHERE former_rules IS NOT NULL;
