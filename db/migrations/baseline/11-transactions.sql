-- Every transaction that changes what is served gets a number at its commit, which counts up by one, and beside it the
-- instant of the commit, which never falls from one number to the next. Until then triggers write down what it touches,
-- whichever program makes it: days of facts (impressions, origins, demographics), and records (assets, sensors, notes).
-- What derives from these is refreshed once, before the commit.

CREATE TABLE transactions (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  commit_number bigint UNIQUE,
  committed_at timestamptz,
  mark uuid NOT NULL DEFAULT gen_random_uuid(),
  reason text COLLATE "C" CHECK (reason IN ('import', 'deletion', 'set_aside', 'restored', 'move', 'time_zone',
    'zone_rules', 'repair', 'begin')),
  note text CHECK (char_length(note) BETWEEN 1 AND 500),
  note_is_public boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE transactions IS
  'All transactions that changed data. The first one is the beginning: what was served before is not known.';
COMMENT ON COLUMN transactions.commit_number IS
  'In the order of commits, without gaps. Null while the transaction is running: the row is seen by itself alone.';
COMMENT ON COLUMN transactions.committed_at IS
  'When the transaction began to commit. A later commit whose clock is behind lowers it to its own instant.';
COMMENT ON COLUMN transactions.mark IS
  'Differs between a database and a restored copy of it, where a transaction might have the same number in both.';
COMMENT ON COLUMN transactions.reason IS
  'Why it changed facts of a month with days that are over (see first_open_day); else null, as for retention, which '
  'deletes all data before a date. restored: a set-aside was ended; repair: verify mended stored data.';
COMMENT ON COLUMN transactions.note IS 'The reason that the operator gave.';
CREATE INDEX ON transactions (id) WHERE commit_number IS NULL;
CREATE INDEX ON transactions (committed_at, commit_number);
CREATE UNIQUE INDEX ON transactions (reason) WHERE reason = 'begin';
INSERT INTO transactions (commit_number, committed_at, reason) VALUES (1, clock_timestamp(), 'begin');

-- Row-level security hides most transactions from a key, but its data have their numbers. These functions tell the
-- instants.
CREATE FUNCTION number_at(instant timestamptz) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT commit_number FROM public.transactions
  WHERE committed_at <= instant ORDER BY committed_at DESC, commit_number DESC LIMIT 1
$$;
COMMENT ON FUNCTION number_at IS 'The number of the last commit made by an instant; null before the first one.';
REVOKE ALL ON FUNCTION number_at FROM PUBLIC;

CREATE FUNCTION instants_of(numbers bigint[]) RETURNS TABLE (commit_number bigint, committed_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT t.commit_number, t.committed_at FROM public.transactions t WHERE t.commit_number = ANY (numbers)
$$;
REVOKE ALL ON FUNCTION instants_of FROM PUBLIC;

CREATE UNLOGGED TABLE touched_rows (
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  kind text NOT NULL,
  asset integer,
  company integer,
  month integer,
  days integer,
  asset_id text COLLATE "C",
  former_rules integer,
  sensor integer,
  native_minutes smallint,
  periods tstzmultirange,
  dates daterange,
  CONSTRAINT columns_of_kinds CHECK (CASE
    WHEN kind IN ('impressions', 'origins', 'demographics') THEN num_nulls(asset, company, month, days) = 0
    WHEN kind IN ('asset', 'sensors', 'notes', 'time_zone') THEN asset IS NOT NULL
    WHEN kind = 'rules' THEN num_nulls(asset, former_rules) = 0
    WHEN kind = 'removed' THEN num_nulls(asset, company, asset_id) = 0
    WHEN kind = 'installation' THEN num_nulls(asset, sensor, native_minutes, periods) = 0
    WHEN kind = 'changed_note' THEN num_nonnulls(asset, sensor) = 1 AND dates IS NOT NULL
    ELSE kind = 'set_aside' AND num_nulls(sensor, periods) = 0
  END)
);
-- Rows that were deleted remain while somebody has an older snapshot. Looked up by transaction, they are not read.
CREATE INDEX ON touched_rows (transaction, kind, asset);
CREATE UNIQUE INDEX ON touched_rows (transaction, sensor, asset, native_minutes) WHERE kind = 'installation';
COMMENT ON TABLE touched_rows IS
  'What transactions have touched. Set by trigger, and deleted before the commit, so that no other transaction sees a'
  ' row.';
COMMENT ON COLUMN touched_rows.kind IS
  'impressions, origins, demographics (the kinds of facts): days of an asset; time_zone, rules: those of an asset; '
  'removed: an asset that is deleted; installation: a sensor was installed on an asset at other times; changed_note, '
  'set_aside: a note or a period, as it was and as it is. asset, sensors, notes: what the feed will list again of an '
  'asset.';
COMMENT ON COLUMN touched_rows.days IS 'Days of the month: the sum of their day_bit.';
COMMENT ON COLUMN touched_rows.former_rules IS 'The rules that the asset had until now.';
COMMENT ON COLUMN touched_rows.periods IS
  'When a sensor was installed and is not now, or the other way round; or the period that is set aside.';

CREATE VIEW touched WITH (security_invoker = true) AS
  SELECT * FROM touched_rows WHERE transaction = pg_current_xact_id();

CREATE FUNCTION begin_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Statements that add no row run this, too.
  IF EXISTS (SELECT 1 FROM after) AND NOT EXISTS (SELECT 1 FROM transactions WHERE commit_number IS NULL) THEN
    -- Plans that the connection has kept were made for tables of another size (see finish_transaction).
    DISCARD PLANS;
    INSERT INTO transactions DEFAULT VALUES;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION begin_transaction() IS
  'Adds a row to transactions, once, whose deferred trigger runs finish_transaction (in 14-commit) before the commit.';
CREATE TRIGGER begin_transaction AFTER INSERT ON touched_rows REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION begin_transaction();

CREATE FUNCTION touch_facts() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO touched (kind, asset, company, month, days)
      SELECT TG_ARGV[0], asset, company, month_number(date), bit_or(day_bit(date)) FROM after GROUP BY 2, 3, 4;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO touched (kind, asset, company, month, days)
      SELECT TG_ARGV[0], asset, company, month_number(date), bit_or(day_bit(date)) FROM before GROUP BY 2, 3, 4;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_facts() IS 'Touches the days of added, changed and deleted rows of facts of a kind.';
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
    INSERT INTO asset_external_ids (company, key, asset)
      SELECT company, system || ':' || ids.id, number
      FROM after CROSS JOIN jsonb_each_text(external_ids) AS ids (system, id);
  ELSE
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM (
      SELECT number, «ASSET_COLUMN» FROM after
      EXCEPT
      SELECT number, «ASSET_COLUMN» FROM before) AS c;
    INSERT INTO touched (kind, asset) SELECT 'time_zone', number
      FROM (SELECT number, time_zone FROM after EXCEPT SELECT number, time_zone FROM before) AS c;
    INSERT INTO touched (kind, asset, former_rules) SELECT 'rules', number, rules
      FROM (SELECT number, rules FROM before EXCEPT SELECT number, rules FROM after) AS c;
    DELETE FROM asset_external_ids WHERE asset = ANY (ARRAY(SELECT number FROM (
      SELECT number, company, external_ids FROM before
      EXCEPT
      SELECT number, company, external_ids FROM after) AS c));
    INSERT INTO asset_external_ids (company, key, asset)
      SELECT company, system || ':' || ids.id, number
      FROM (
        SELECT number, company, external_ids FROM after
        EXCEPT
        SELECT number, company, external_ids FROM before) AS c
        CROSS JOIN jsonb_each_text(external_ids) AS ids (system, id);
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_assets() IS 'Touches assets, and copies their ids in other systems.';
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
      AND (a.sensor_ids, a.sensor_minutes, a.installations::text)
        IS DISTINCT FROM (i.sensor_ids, i.sensor_minutes, i.installations::text);
END $$;

CREATE FUNCTION touch_sensors() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed_assets integer[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    changed_assets = ARRAY(SELECT asset FROM after WHERE asset IS NOT NULL);
  ELSIF TG_OP = 'DELETE' THEN
    changed_assets = ARRAY(SELECT asset FROM before WHERE asset IS NOT NULL);
  ELSE
    -- No joins of before and after: plans are kept until something is touched, and may be for a single row.
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
  IF TG_OP = 'UPDATE' THEN
    -- On all assets of the company that is shown the serial, and of the one that was.
    INSERT INTO touched (kind, asset)
      SELECT DISTINCT 'sensors', i.asset
      FROM (
        (SELECT number, serial, last_company FROM before EXCEPT SELECT number, serial, last_company FROM after)
        UNION ALL
        (SELECT number, serial, last_company FROM after EXCEPT SELECT number, serial, last_company FROM before)
      ) AS c JOIN installations i ON i.sensor = c.number AND i.company = c.last_company;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_sensors() IS
  'Touches the assets where changed sensors are, or were until now, and copies the sensors to these.';
CREATE TRIGGER touch_sensors_on_insert AFTER INSERT ON sensors REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_sensors();
CREATE TRIGGER touch_sensors_on_update AFTER UPDATE ON sensors REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_sensors();
CREATE TRIGGER touch_sensors_on_delete AFTER DELETE ON sensors REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_sensors();

CREATE FUNCTION touch_vendors() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- On assets where its sensors were; those that they are on are touched with the sensors.
  INSERT INTO touched (kind, asset)
    SELECT DISTINCT 'sensors', i.asset
    FROM (SELECT number, name FROM before EXCEPT SELECT number, name FROM after) AS c
      JOIN installations i ON i.vendor = c.number;
  RETURN NULL;
END $$;
CREATE TRIGGER touch_vendors_on_update AFTER UPDATE ON vendors REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_vendors();

CREATE FUNCTION touch_installations() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed_sensors integer[] = '{}';
  changed_assets integer[] = '{}';
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO touched AS t (kind, asset, sensor, native_minutes, periods)
      SELECT 'installation', asset, sensor, native_minutes, range_agg(tstzrange(installed_at, removed_at))
      FROM before GROUP BY asset, sensor, native_minutes
      -- A period that is taken away and added again is no change.
      ON CONFLICT (transaction, sensor, asset, native_minutes) WHERE kind = 'installation'
        DO UPDATE SET periods = (t.periods - excluded.periods) + (excluded.periods - t.periods);
    SELECT array_agg(sensor), array_agg(asset) INTO changed_sensors, changed_assets FROM before;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO touched AS t (kind, asset, sensor, native_minutes, periods)
      SELECT 'installation', asset, sensor, native_minutes, range_agg(tstzrange(installed_at, removed_at))
      FROM after GROUP BY asset, sensor, native_minutes
      ON CONFLICT (transaction, sensor, asset, native_minutes) WHERE kind = 'installation'
        DO UPDATE SET periods = (t.periods - excluded.periods) + (excluded.periods - t.periods);
    SELECT changed_sensors || array_agg(sensor), changed_assets || array_agg(asset) INTO changed_sensors, changed_assets
      FROM after;
  END IF;
  UPDATE sensors s SET asset = p.asset, company = p.company, last_company = p.last_company,
      installed_at = p.installed_at, removed_at = p.removed_at
    FROM sensor_places p
    WHERE s.number = ANY (changed_sensors) AND p.sensor = s.number
      AND (s.asset, s.company, s.last_company, s.installed_at, s.removed_at)
        IS DISTINCT FROM (p.asset, p.company, p.last_company, p.installed_at, p.removed_at);
  PERFORM copy_installations(changed_assets);
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_installations() IS
  'Touches installations, and copies them to their sensors (see sensor_places) and assets.';
CREATE TRIGGER touch_installations_on_insert AFTER INSERT ON installations REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_installations();
CREATE TRIGGER touch_installations_on_update AFTER UPDATE ON installations
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION touch_installations();
CREATE TRIGGER touch_installations_on_delete AFTER DELETE ON installations REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_installations();

-- Notes and what is set aside say what they are about; record_changes finds their assets once, before the commit. All
-- columns of OLD are null on INSERT, and those of NEW on DELETE: such a row is left out by its conditions.

CREATE FUNCTION touch_notes() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO touched (kind, asset, sensor, dates)
    SELECT 'changed_note', asset, sensor, daterange(from_date, to_date, '[]')
    FROM (
      VALUES (OLD.asset, OLD.sensor, OLD.from_date, OLD.to_date, OLD.is_internal),
        (NEW.asset, NEW.sensor, NEW.from_date, NEW.to_date, NEW.is_internal)
    ) AS n (asset, sensor, from_date, to_date, is_internal)
    WHERE NOT is_internal;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_notes() IS
  'Adds a note to what the transaction has touched, but no internal one: the feed does not show that there are any.';
CREATE TRIGGER touch_notes AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION touch_notes();

CREATE FUNCTION touch_set_asides() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO touched (kind, sensor, periods)
    SELECT 'set_aside', sensor, tstzmultirange(tstzrange(from_time, to_time))
    FROM (
      VALUES (OLD.sensor, OLD.from_time, OLD.to_time), (NEW.sensor, NEW.from_time, NEW.to_time)
    ) AS s (sensor, from_time, to_time)
    WHERE sensor IS NOT NULL;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION touch_set_asides() IS
  'Adds a period to what the transaction has touched: what is set aside is a note.';
CREATE TRIGGER touch_set_asides AFTER INSERT OR UPDATE OR DELETE ON set_asides
  FOR EACH ROW EXECUTE FUNCTION touch_set_asides();
