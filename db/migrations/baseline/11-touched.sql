-- Records what a transaction touches: days of assets with counts, origins or demographics, and records of assets and sensors.
-- Statements of any program do so, by triggers. What derives from these tables is refreshed once, before the commit.

CREATE UNLOGGED TABLE touched (
  kind text NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics', 'asset', 'removed', 'time_zone',
    'rules', 'installed', 'note', 'set_aside', 'sensors', 'notes')),
  asset integer,
  company integer,
  month integer,
  asset_id text COLLATE "C",
  days integer,
  former_rules integer,
  sensor integer,
  native_minutes smallint,
  periods tstzmultirange,
  dates daterange
);
CREATE INDEX ON touched (asset) WHERE former_rules IS NOT NULL;
CREATE UNIQUE INDEX ON touched (sensor, asset, native_minutes) WHERE kind = 'installed';
COMMENT ON TABLE touched IS 'What the running transaction has touched. Set by trigger, and deleted before the commit, so that no other transaction sees a row.';
COMMENT ON COLUMN touched.kind IS 'A kind of fact, whose days have changed; installed: a sensor was installed at other times; time_zone, rules: the asset has another one; removed: it was deleted; note, set_aside: one of an asset or of a sensor, as it was or is; asset, sensors, notes: the feed lists them.';
COMMENT ON COLUMN touched.company IS 'Set with facts and removed assets.';
COMMENT ON COLUMN touched.month IS 'Months since year 0, of facts.';
COMMENT ON COLUMN touched.asset_id IS 'The id of a removed asset.';
COMMENT ON COLUMN touched.days IS 'Days of the month, as bits: bit 0 is the first day.';
COMMENT ON COLUMN touched.former_rules IS 'The rules of the time zone that the asset had until now.';
COMMENT ON COLUMN touched.asset IS 'Null for notes on sensors and what is set aside.';
COMMENT ON COLUMN touched.periods IS 'In which a sensor was installed and is not now, or the other way round; or the stretch that is set aside.';
COMMENT ON COLUMN touched.dates IS 'Of a note.';

CREATE FUNCTION touch_facts() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO touched (kind, asset, company, month, days)
      SELECT TG_ARGV[0], asset, company, month_number(date), bit_or(1 << date_part('day', date::timestamp)::integer - 1) FROM after GROUP BY 2, 3, 4;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO touched (kind, asset, company, month, days)
      SELECT TG_ARGV[0], asset, company, month_number(date), bit_or(1 << date_part('day', date::timestamp)::integer - 1) FROM before GROUP BY 2, 3, 4;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER touch_facts_on_insert AFTER INSERT ON sensor_days REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('impressions');
CREATE TRIGGER touch_facts_on_update AFTER UPDATE ON sensor_days REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('impressions');
CREATE TRIGGER touch_facts_on_delete AFTER DELETE ON sensor_days REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('impressions');
CREATE TRIGGER touch_facts_on_insert AFTER INSERT ON demographic_days REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('demographics');
CREATE TRIGGER touch_facts_on_update AFTER UPDATE ON demographic_days REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('demographics');
CREATE TRIGGER touch_facts_on_delete AFTER DELETE ON demographic_days REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('demographics');
CREATE TRIGGER touch_facts_on_insert AFTER INSERT ON origin_days REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('origins');
CREATE TRIGGER touch_facts_on_update AFTER UPDATE ON origin_days REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('origins');
CREATE TRIGGER touch_facts_on_delete AFTER DELETE ON origin_days REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_facts('origins');

CREATE FUNCTION touch_assets() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO touched (kind, asset, company, asset_id)
      SELECT 'removed', number, company, id FROM before;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM after;
  ELSE
    -- The columns that the API shows, as in set_asset_columns.
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM (
      SELECT number, «ASSET_COLUMN» FROM after
      EXCEPT
      SELECT number, «ASSET_COLUMN» FROM before) AS c;
    INSERT INTO touched (kind, asset) SELECT 'time_zone', number
      FROM (SELECT number, time_zone FROM after EXCEPT SELECT number, time_zone FROM before) AS c;
    INSERT INTO touched (kind, asset, former_rules) SELECT 'rules', number, rules
      FROM (SELECT number, rules FROM before EXCEPT SELECT number, rules FROM after) AS c;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER touch_assets_on_insert AFTER INSERT ON assets REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_assets();
CREATE TRIGGER touch_assets_on_update AFTER UPDATE ON assets REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_assets();
CREATE TRIGGER touch_assets_on_delete AFTER DELETE ON assets REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_assets();

CREATE FUNCTION copy_installations(changed_assets integer[]) RETURNS void LANGUAGE plpgsql SET search_path = public,
  pg_temp AS $$
BEGIN
  -- Always in this order, so that concurrent transactions do not deadlock. After waiting for another transaction here,
  -- the next statement sees its sensors.
  PERFORM FROM assets WHERE number = ANY (changed_assets) ORDER BY number FOR NO KEY UPDATE;
  UPDATE assets a SET sensor_ids = i.sensor_ids, sensor_minutes = i.sensor_minutes, installations = i.installations
    FROM asset_installations i
    WHERE a.number = ANY (changed_assets) AND i.asset = a.number
      AND (a.sensor_ids, a.sensor_minutes, a.installations::text) IS DISTINCT FROM (i.sensor_ids, i.sensor_minutes, i.installations::text);
END $$;
COMMENT ON FUNCTION copy_installations IS 'Copies the sensors and installations of assets to their columns.';

CREATE FUNCTION touch_sensors() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed_assets integer[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    changed_assets = ARRAY(SELECT asset FROM after WHERE asset IS NOT NULL);
  ELSIF TG_OP = 'DELETE' THEN
    changed_assets = ARRAY(SELECT asset FROM before WHERE asset IS NOT NULL);
  ELSE
    changed_assets = ARRAY(
      SELECT asset FROM (
        SELECT number, «SENSOR_COLUMN» FROM after
        EXCEPT
        SELECT number, «SENSOR_COLUMN» FROM before) AS c WHERE asset IS NOT NULL
      UNION
      SELECT asset FROM (
        SELECT number, «SENSOR_COLUMN» FROM before
        EXCEPT
        SELECT number, «SENSOR_COLUMN» FROM after) AS c WHERE asset IS NOT NULL);
  END IF;
  INSERT INTO touched (kind, asset) SELECT 'sensors', unnest(changed_assets);
  PERFORM copy_installations(changed_assets);
  RETURN NULL;
END $$;

CREATE TRIGGER touch_sensors_on_insert AFTER INSERT ON sensors REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_sensors();
CREATE TRIGGER touch_sensors_on_update AFTER UPDATE ON sensors REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_sensors();
CREATE TRIGGER touch_sensors_on_delete AFTER DELETE ON sensors REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_sensors();

CREATE FUNCTION touch_installations() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    INSERT INTO touched AS t (kind, asset, sensor, native_minutes, periods)
      SELECT 'installed', asset, sensor, native_minutes, range_agg(tstzrange(installed_at, removed_at)) FROM before GROUP BY 2, 3, 4
      -- A period that is taken away and added again is no change.
      ON CONFLICT (sensor, asset, native_minutes) WHERE kind = 'installed'
        DO UPDATE SET periods = (t.periods - excluded.periods) + (excluded.periods - t.periods);
    PERFORM copy_installations(ARRAY(SELECT DISTINCT asset FROM before));
  END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO touched AS t (kind, asset, sensor, native_minutes, periods)
      SELECT 'installed', asset, sensor, native_minutes, range_agg(tstzrange(installed_at, removed_at)) FROM after GROUP BY 2, 3, 4
      ON CONFLICT (sensor, asset, native_minutes) WHERE kind = 'installed'
        DO UPDATE SET periods = (t.periods - excluded.periods) + (excluded.periods - t.periods);
    PERFORM copy_installations(ARRAY(SELECT DISTINCT asset FROM after));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER touch_installations_on_insert AFTER INSERT ON installations REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_installations();
CREATE TRIGGER touch_installations_on_update AFTER UPDATE ON installations REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_installations();
CREATE TRIGGER touch_installations_on_delete AFTER DELETE ON installations REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_installations();
