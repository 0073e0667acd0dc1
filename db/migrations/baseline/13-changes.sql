-- The feed of changes: what a copy of the data has to read again. Repeated changes are merged by asset, kind and month, so
-- that the feed never outgrows the data. Every transaction that changes data has a number, which ascends in the order of
-- commits: a reader that remembers the last one misses nothing. The numbers are also the versions of entity tags.

CREATE TABLE feed_transactions (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  number bigint UNIQUE,
  mark uuid NOT NULL DEFAULT gen_random_uuid()
);
COMMENT ON TABLE feed_transactions IS 'Transactions that changed data, at least the last million.';
COMMENT ON COLUMN feed_transactions.number IS 'When the transaction was committed, in microseconds since 1970, and greater than the number of each earlier commit. Null while it is running.';
COMMENT ON COLUMN feed_transactions.mark IS 'Differs between a database and a restored copy of it, where a transaction might have the same number in both.';
CREATE INDEX ON feed_transactions (id) WHERE number IS NULL;
-- The position before the first change.
INSERT INTO feed_transactions (number) VALUES (1);

CREATE TABLE changes (
  number bigint NOT NULL,
  earlier_number bigint,
  created_number bigint,
  company integer NOT NULL,
  month integer NOT NULL,
  from_date date,
  to_date date CHECK (to_date >= from_date),
  earlier_from date,
  earlier_to date,
  previous_number bigint,
  last_from date,
  last_to date,
  asset_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('asset', 'demographics', 'impressions', 'notes', 'origins',
    'removed', 'sensors'))
-- Room for new versions of rows beside the old ones.
) WITH (fillfactor = 70);
COMMENT ON TABLE changes IS 'What a copy of the data has to read again: changes merged by asset, kind and month.';
COMMENT ON COLUMN changes.number IS 'The transaction of the last change.';
COMMENT ON COLUMN changes.created_number IS 'The transaction that created the asset, or the first one of this id; of the kinds asset and removed.';
COMMENT ON COLUMN changes.earlier_number IS 'The last transaction of the earlier changes.';
COMMENT ON COLUMN changes.from_date IS 'All days of the changes after earlier_number.';
COMMENT ON COLUMN changes.earlier_from IS 'All days of the changes up to earlier_number.';
COMMENT ON COLUMN changes.previous_number IS 'The transaction before the last changes, if their days are among those since earlier_number.';
COMMENT ON COLUMN changes.last_from IS 'All days of the changes after previous_number.';
COMMENT ON COLUMN changes.company IS 'Its number. That an asset was removed is listed after its company was deleted, too.';
COMMENT ON COLUMN changes.month IS 'Of local dates, since year 0; 0 for records.';
-- In the order of the feed: what an asset has now comes after its removal.
CREATE UNIQUE INDEX ON changes (company, asset_id, (kind <> 'removed'), kind, month);
CREATE INDEX ON changes (company, number);

CREATE TABLE asset_versions (
  asset integer PRIMARY KEY,
  company integer NOT NULL,
  measured_from date,
  measured_to date CHECK (measured_to >= measured_from),
  CHECK ((measured_from IS NULL) = (measured_to IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE asset_versions IS 'The range of the data of assets: a narrow row beside that of assets, because imports change it.';
COMMENT ON COLUMN asset_versions.measured_from IS 'First and last local date with counts.';

CREATE VIEW asset_spans WITH (security_invoker = true) AS
  SELECT a.number AS asset, a.company, d.measured_from, d.measured_to
  FROM assets a CROSS JOIN LATERAL (
    SELECT min(date) AS measured_from, max(date) AS measured_to FROM sensor_days WHERE asset = a.number
  ) AS d;
COMMENT ON VIEW asset_spans IS 'The definition of asset_versions.';

CREATE FUNCTION record_versions(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM asset_versions WHERE asset IN (SELECT asset FROM touched WHERE kind = 'removed');
  INSERT INTO asset_versions AS v (asset, company)
    SELECT number, company FROM assets WHERE number IN (SELECT asset FROM touched WHERE kind = 'asset')
    ON CONFLICT (asset) DO UPDATE SET company = excluded.company WHERE v.company <> excluded.company;
  UPDATE asset_versions v SET (measured_from, measured_to) = (d.measured_from, d.measured_to)
  FROM (
    SELECT asset, min(from_date) AS first, max(to_date) AS last FROM touched
    WHERE kind IN ('impressions', 'rules', 'installations') GROUP BY asset
  ) AS t CROSS JOIN LATERAL (SELECT * FROM asset_spans s WHERE s.asset = t.asset OFFSET 0) AS d
  WHERE t.asset = v.asset
    -- Neither has changed unless it was touched.
    AND (first > v.measured_from AND last < v.measured_to) IS NOT TRUE
    AND (v.measured_from, v.measured_to) IS DISTINCT FROM (d.measured_from, d.measured_to);
END $$;
COMMENT ON FUNCTION record_versions IS 'Records the first and last dates with counts of the touched assets.';

CREATE FUNCTION record_changes(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  WITH deleted AS (
    DELETE FROM changes WHERE (company, asset_id) IN (SELECT company,
      asset_id FROM touched WHERE kind = 'removed') AND kind <> 'removed'
    RETURNING company, asset_id, kind, created_number
  )
  INSERT INTO changes (company, asset_id, kind, month, number, created_number)
    SELECT company, asset_id, 'removed', 0, current, created_number FROM deleted WHERE kind = 'asset'
    ON CONFLICT (company, asset_id, (kind <> 'removed'), kind, month) DO UPDATE SET number = excluded.number;
  -- All days that have changed before.
  UPDATE changes SET number = current, from_date = least(from_date, earlier_from), to_date = greatest(to_date,
    earlier_to),
    earlier_number = NULL, earlier_from = NULL, earlier_to = NULL, previous_number = NULL, last_from = NULL,
      last_to = NULL
  WHERE kind = 'impressions' AND (company, asset_id) IN (
    SELECT company, id FROM assets WHERE number IN (SELECT asset FROM touched WHERE kind = 'time_zone'));
  -- Coverage, and notes on sensors, follow from installations and time zone rules.
  IF EXISTS (SELECT FROM touched_installations) OR EXISTS (SELECT FROM touched WHERE kind = 'rules') THEN
    INSERT INTO touched (asset, kind, month, from_date, to_date)
      SELECT asset, 'impressions', month, from_date, to_date FROM touched_coverage
      UNION ALL
      -- The notes on sensors that were installed or removed, or whose local days are others.
      SELECT i.asset, 'notes', NULL, NULL, NULL
      FROM (
        SELECT asset, sensor, periods FROM touched_installations
        UNION ALL
        SELECT asset, sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM touched t JOIN installations USING (asset) WHERE t.kind = 'rules'
        UNION ALL
        -- Of the same company: a sensor that left it is no longer named in its notes on the assets where it was before.
        SELECT i.asset, i.sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM installations i JOIN assets a ON a.number = i.asset
        WHERE (i.sensor, a.company) IN (
          SELECT sensor, company FROM touched_installations JOIN assets ON number = asset
          UNION ALL
          SELECT sensor, company FROM touched_installations JOIN touched USING (asset) WHERE kind = 'removed')
      ) AS i CROSS JOIN LATERAL unnest(periods) AS period
      WHERE EXISTS (
          SELECT FROM set_asides s WHERE s.sensor = i.sensor AND tstzrange(from_time, to_time) && period)
        OR EXISTS (
          SELECT FROM notes n CROSS JOIN (
            SELECT rules FROM assets WHERE number = i.asset
            UNION
            SELECT rules FROM former_installations f WHERE f.asset = i.asset) AS r
          WHERE n.sensor = i.sensor AND NOT is_internal AND has_dates(rules, period, from_date, to_date));
  END IF;
  INSERT INTO changes AS c (company, asset_id, kind, month, from_date, to_date, number, created_number)
    SELECT a.company, a.id, t.kind, t.month, min(from_date), max(to_date), current,
      CASE t.kind WHEN 'asset' THEN current END
    FROM (
      SELECT asset, kind, coalesce(month, 0) AS month, from_date, to_date FROM touched
        WHERE kind IN ('asset', 'sensors', 'notes', 'impressions', 'origins', 'demographics')
    ) AS t JOIN assets a ON a.number = t.asset
    GROUP BY a.company, a.id, t.kind, t.month
  ON CONFLICT (company, asset_id, (kind <> 'removed'), kind, month) DO UPDATE SET
    (number, from_date, to_date, earlier_number, earlier_from, earlier_to, previous_number, last_from, last_to) = (
      SELECT excluded.number,
        CASE WHEN is_same THEN least(c.from_date, excluded.from_date)
          WHEN is_within THEN c.from_date ELSE excluded.from_date END,
        CASE WHEN is_same THEN greatest(c.to_date, excluded.to_date)
          WHEN is_within THEN c.to_date ELSE excluded.to_date END,
        CASE WHEN is_same OR is_within OR is_around THEN c.earlier_number ELSE c.number END,
        CASE WHEN is_same OR is_within OR is_around THEN c.earlier_from ELSE least(c.from_date, c.earlier_from) END,
        CASE WHEN is_same OR is_within OR is_around THEN c.earlier_to ELSE greatest(c.to_date, c.earlier_to) END,
        CASE WHEN is_same OR is_within IS NOT TRUE THEN NULL
          WHEN excluded.from_date <= c.last_from AND excluded.to_date >= c.last_to THEN c.previous_number ELSE c.number END,
        CASE WHEN NOT is_same AND is_within THEN excluded.from_date END,
        CASE WHEN NOT is_same AND is_within THEN excluded.to_date END
      FROM (SELECT c.number = excluded.number AS is_same,
        c.from_date <= excluded.from_date AND c.to_date >= excluded.to_date AS is_within,
        excluded.from_date <= c.from_date AND excluded.to_date >= c.to_date AS is_around) AS days
    );
END $$;
COMMENT ON FUNCTION record_changes IS 'Merges what was touched into the feed.';

CREATE FUNCTION key_in_scope() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT k.id FROM public.api_keys k
  WHERE encode(k.hash, 'hex') = current_setting('partner_metrics.key_hash', true) COLLATE "C"
    AND k.deactivated_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
$$;
COMMENT ON FUNCTION key_in_scope IS 'The id of the active key whose hash is set in the transaction.';
REVOKE ALL ON FUNCTION key_in_scope FROM PUBLIC;

CREATE FUNCTION scope_proof(key text, companies integer[], number bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT key || ' ' || encode(substr(sha256(cursor_secret || sha256(cursor_secret
    || convert_to(concat_ws(' ', key, companies, number), 'UTF8'))), 1, 18), 'base64')
  FROM service
$$;

REVOKE ALL ON FUNCTION scope_proof FROM PUBLIC;

CREATE FUNCTION feed_position(OUT epoch text, OUT number bigint, OUT mark uuid, OUT companies integer[], OUT proof text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Not the setting itself, which a login can change for its own sessions.
  SELECT concat_ws('.', s.system_identifier, d.oid, (
      SELECT split_part(setting, '=', 2) FROM pg_db_role_setting r CROSS JOIN unnest(r.setconfig) AS setting
      WHERE r.setdatabase = d.oid AND r.setrole = 0 AND setting LIKE 'partner_metrics.epoch=%'
    )) INTO epoch
    FROM pg_control_system() s, pg_database d WHERE d.datname = current_database();
  SELECT t.number, t.mark INTO number,
    mark FROM public.feed_transactions t WHERE t.number IS NOT NULL ORDER BY t.number DESC LIMIT 1;
  companies = ARRAY(SELECT unnest(public.companies_in_scope()) ORDER BY 1);
  proof = public.scope_proof(public.key_in_scope(), companies, number);
END $$;
COMMENT ON FUNCTION feed_position IS 'Up to where the feed of changes can be read now, and a proof of the key and its scope.';
REVOKE ALL ON FUNCTION feed_position FROM PUBLIC;

CREATE FUNCTION has_feed_position(number bigint, mark uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM public.feed_transactions t WHERE (t.number, t.mark) = ($1, $2))
$$;
COMMENT ON FUNCTION has_feed_position IS 'Whether the database has what the reader of a position has seen.';
REVOKE ALL ON FUNCTION has_feed_position FROM PUBLIC;

CREATE FUNCTION may_follow(companies integer[], number bigint, proof text) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF companies <@ public.companies_in_scope() THEN RETURN true; END IF;
  RETURN EXISTS (
    WITH RECURSIVE keys AS (
      SELECT k.id, k.replaces FROM public.api_keys k WHERE k.id = public.key_in_scope()
      UNION SELECT k.id, k.replaces FROM keys JOIN public.api_keys k ON k.id = keys.replaces
    )
    SELECT FROM keys WHERE may_follow.proof = public.scope_proof(keys.id, companies, number)
  );
END $$;
COMMENT ON FUNCTION may_follow IS 'Whether the key reads all companies of a position, or is the one that the proof of the position names, or took over from that one.';
REVOKE ALL ON FUNCTION may_follow FROM PUBLIC;

CREATE FUNCTION lost_assets(companies integer[], number bigint, proof text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost integer[] = ARRAY(SELECT unnest(companies) EXCEPT SELECT unnest(public.companies_in_scope()));
BEGIN
  IF lost = '{}' OR public.may_follow(companies, number, proof) IS NOT TRUE THEN RETURN; END IF;
  RETURN QUERY
    SELECT DISTINCT c.asset_id FROM public.changes c
    WHERE c.company = ANY (lost) AND c.created_number <= lost_assets.number
      -- What was removed before the position is known.
      AND (c.kind = 'asset' OR c.kind = 'removed' AND c.number > lost_assets.number);
END $$;
COMMENT ON FUNCTION lost_assets IS 'Assets that existed at a position, of companies that were in the scope of its key, and no longer are in that of the key, which may follow it.';
REVOKE ALL ON FUNCTION lost_assets FROM PUBLIC;
