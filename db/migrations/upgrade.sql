-- Makes room in a database of the version before for the added subjects of `baseline/`. `convert.sql` follows them.

-- What is served was recorded in other tables.
DROP VIEW touched_coverage, touched_classes, asset_days, asset_spans, defined_measured_assets;
ALTER TABLE measured_assets ALTER kind TYPE text COLLATE "C";
DROP TABLE asset_months, class_months, touched_installations CASCADE;
DROP TRIGGER note_former_installations ON assets;
DROP FUNCTION note_former_installations, note_former_impressions, record_restatements, record_versions, refresh_measured_assets,
  replace_rows, refresh_asset_months, define_asset_demographics, define_class_demographic_days, define_class_demographics,
  define_class_sensors, feed_position, has_feed_position, ledger_begins, sum_of_groups, asset_bit;
ALTER TABLE touched DROP COLUMN from_date, DROP COLUMN to_date, ADD COLUMN days integer, ADD COLUMN former_rules integer,
  ADD COLUMN sensor integer, ADD COLUMN native_minutes smallint, ADD COLUMN periods tstzmultirange, DROP CONSTRAINT touched_kind_check,
  ADD CONSTRAINT touched_kind_check CHECK (kind IN ('impressions', 'origins', 'demographics', 'asset', 'removed', 'class', 'time_zone',
    'rules', 'installations', 'installed', 'sensors', 'notes'));
CREATE INDEX ON touched (asset) WHERE former_rules IS NOT NULL;
CREATE UNIQUE INDEX ON touched (asset, sensor, native_minutes) WHERE kind = 'installed';

DROP TRIGGER touch_notes_on_insert ON notes;
DROP TRIGGER touch_notes_on_update ON notes;
DROP TRIGGER touch_notes_on_delete ON notes;
DROP TRIGGER touch_set_asides_on_insert ON set_asides;
DROP TRIGGER touch_set_asides_on_update ON set_asides;
DROP TRIGGER touch_set_asides_on_delete ON set_asides;
