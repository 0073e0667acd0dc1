-- The feed of changes: what a copy of the data has to read again. Repeated changes are merged, so that the feed never
-- outgrows the data. A reader that remembers the number of the last transaction misses nothing. A mark says that the
-- database still has that transaction, an epoch that it is the same database.

CREATE TABLE changes (
  commit_number bigint NOT NULL,
  created_commit bigint,
  company integer NOT NULL,
  asset_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('asset', 'notes', 'removed', 'sensors'))
) WITH (fillfactor = 70);
COMMENT ON TABLE changes IS
  'The records that a copy of the data has to read again, by asset and kind. Days of facts are in asset_months.';
COMMENT ON COLUMN changes.created_commit IS
  'The transaction that created the asset; in rows of the kind removed, the one that created the first asset of this '
  'id. Null for other kinds.';
COMMENT ON COLUMN changes.company IS
  'Its number. That an asset was removed is listed after its company was deleted, too.';
-- An id that came back has a row of its removal beside those of what it has now.
CREATE UNIQUE INDEX ON changes (company, asset_id, kind);
-- In the order of the feed: one transaction may change all records.
CREATE INDEX ON changes (company, commit_number, ((kind <> 'removed')::integer), asset_id, kind);

CREATE FUNCTION record_changes(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM touched WHERE kind = 'removed') THEN
    WITH deleted AS (
      DELETE FROM changes c USING touched t
      WHERE t.kind = 'removed' AND c.company = t.company AND c.asset_id = t.asset_id AND c.kind <> 'removed'
      RETURNING c.company, c.asset_id, c.kind, c.created_commit
    )
    INSERT INTO changes (company, asset_id, kind, commit_number, created_commit)
      SELECT company, asset_id, 'removed', current, created_commit FROM deleted WHERE kind = 'asset'
      ON CONFLICT (company, asset_id, kind) DO UPDATE SET commit_number = excluded.commit_number;
    DELETE FROM asset_months m USING touched t WHERE t.kind = 'removed' AND m.asset = t.asset;
    DELETE FROM former_totals f USING touched t WHERE t.kind = 'removed' AND f.asset = t.asset;
    DELETE FROM asset_demographics d USING touched t WHERE t.kind = 'removed' AND d.asset = t.asset;
    DELETE FROM asset_versions v USING touched t WHERE t.kind = 'removed' AND v.asset = t.asset;
  END IF;
  -- Notes, and what is set aside, that were added, changed or removed: at the assets where their sensors are, or were
  -- before the transaction.
  INSERT INTO touched (kind, asset)
    SELECT 'notes', asset FROM touched WHERE kind = 'changed_note' AND asset IS NOT NULL
    UNION
    SELECT 'notes', i.asset
    FROM touched t JOIN (
      SELECT sensor, asset, tstzrange(installed_at, removed_at) AS period FROM installations
      UNION ALL
      SELECT sensor, asset, unnest(periods) FROM touched WHERE kind = 'installation'
    ) AS i ON i.sensor = t.sensor JOIN assets a ON a.number = i.asset
    WHERE t.kind = 'changed_note' AND has_dates(a.rules, i.period, lower(t.dates), upper(t.dates) - 1)
      OR t.kind = 'set_aside' AND t.periods && i.period;
  -- Sensors that were installed or removed, or whose times read otherwise now; and the notes on these.
  IF EXISTS (SELECT FROM touched WHERE kind IN ('installation', 'rules')) THEN
    INSERT INTO touched (kind, asset)
      SELECT 'sensors', asset FROM touched WHERE kind = 'installation' AND periods <> '{}'
      UNION
      SELECT 'sensors', i.asset
      FROM touched t JOIN installations i ON i.asset = t.asset JOIN assets a ON a.number = t.asset
      WHERE t.kind = 'rules' AND (local_time(t.former_rules, installed_at), local_time(t.former_rules, removed_at))
        IS DISTINCT FROM (local_time(a.rules, installed_at), local_time(a.rules, removed_at));
    INSERT INTO touched (kind, asset)
      SELECT DISTINCT 'notes', i.asset
      FROM (
        SELECT asset, sensor, periods FROM touched WHERE kind = 'installation'
        UNION ALL
        SELECT i.asset, i.sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM touched t JOIN installations i ON i.asset = t.asset WHERE t.kind = 'rules'
        UNION ALL
        -- All assets of the company where the sensor was: notes there name it only while its last_company is that one.
        SELECT i.asset, i.sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM (
          SELECT t.sensor, a.company FROM touched t JOIN assets a ON a.number = t.asset WHERE t.kind = 'installation'
          UNION
          SELECT t.sensor, r.company FROM touched r JOIN touched t ON t.asset = r.asset AND t.kind = 'installation'
          WHERE r.kind = 'removed'
        ) AS t JOIN installations i ON i.sensor = t.sensor AND i.company = t.company
      ) AS i CROSS JOIN LATERAL unnest(periods) AS period
      WHERE EXISTS (SELECT FROM set_asides s WHERE s.sensor = i.sensor AND tstzrange(s.from_time, s.to_time) && period)
        OR EXISTS (
          SELECT FROM notes n CROSS JOIN (
            SELECT rules FROM assets WHERE number = i.asset
            UNION
            SELECT former_rules FROM touched t WHERE t.asset = i.asset AND t.kind = 'rules') AS r
          WHERE n.sensor = i.sensor AND NOT n.is_internal AND has_dates(r.rules, period, n.from_date, n.to_date));
  END IF;
  INSERT INTO changes (company, asset_id, kind, commit_number, created_commit)
    SELECT DISTINCT a.company, a.id, t.kind, current, CASE t.kind WHEN 'asset' THEN current END
    FROM touched t JOIN assets a ON a.number = t.asset WHERE t.kind IN ('asset', 'sensors', 'notes')
    -- The number of the creation stays.
    ON CONFLICT (company, asset_id, kind) DO UPDATE SET commit_number = excluded.commit_number;
END $$;
COMMENT ON FUNCTION record_changes IS
  'Adds touched records to the feed, and deletes all that is kept of assets that were deleted.';

CREATE FUNCTION key_in_scope() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT k.id FROM public.api_keys k
  WHERE encode(k.hash, 'hex') = current_setting('partner_metrics.key_hash', true) COLLATE "C"
    AND k.deactivated_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
$$;
REVOKE ALL ON FUNCTION key_in_scope FROM PUBLIC;

CREATE FUNCTION scope_proof(key text, companies integer[], number bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT key || ' ' || encode(substr(sha256(cursor_secret || sha256(cursor_secret
    || convert_to(concat_ws(' ', key, companies, number), 'UTF8'))), 1, 18), 'base64')
  FROM service
$$;
COMMENT ON FUNCTION scope_proof IS
  'A signature: a keyed hash, nested so that its text cannot be extended, cut to 24 characters. Null without a key.';
REVOKE ALL ON FUNCTION scope_proof FROM PUBLIC;

CREATE FUNCTION feed_position(reached bigint, reached_mark uuid,
  OUT epoch text, OUT number bigint, OUT mark uuid, OUT companies integer[], OUT proof text, OUT has_reached boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- A restore sets another epoch for the database. Not current_setting, which a login can change for its own sessions.
  SELECT concat_ws('.', s.system_identifier, d.oid, (
      SELECT split_part(setting, '=', 2) FROM pg_db_role_setting r CROSS JOIN unnest(r.setconfig) AS setting
      WHERE r.setdatabase = d.oid AND r.setrole = 0 AND setting LIKE 'partner_metrics.epoch=%'
    )) INTO epoch
    FROM pg_control_system() s, pg_database d WHERE d.datname = current_database();
  SELECT t.commit_number, t.mark INTO number, mark
    FROM public.transactions t WHERE t.commit_number IS NOT NULL ORDER BY t.commit_number DESC LIMIT 1;
  has_reached = EXISTS (SELECT FROM public.transactions t WHERE (t.commit_number, t.mark) = (reached, reached_mark));
  companies = ARRAY(SELECT unnest(public.companies_in_scope()) ORDER BY 1);
  proof = public.scope_proof(public.key_in_scope(), companies, number);
END $$;
COMMENT ON FUNCTION feed_position IS
  'Up to where the feed of changes can be read now, a proof of the key and its scope, and whether the database has '
  'what the reader of another position has seen.';
REVOKE ALL ON FUNCTION feed_position FROM PUBLIC;

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
COMMENT ON FUNCTION may_follow IS
  'Whether the key reads all companies of a position, or is the one that the proof of the position names, or took '
  'over from that one.';
REVOKE ALL ON FUNCTION may_follow FROM PUBLIC;

CREATE FUNCTION lost_assets(companies integer[], number bigint, proof text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost integer[] = ARRAY(SELECT unnest(companies) EXCEPT SELECT unnest(public.companies_in_scope()));
BEGIN
  IF lost = '{}' OR public.may_follow(companies, number, proof) IS NOT TRUE THEN RETURN; END IF;
  RETURN QUERY
    SELECT DISTINCT c.asset_id FROM public.changes c
    WHERE c.company = ANY (lost) AND c.created_commit <= lost_assets.number
      -- What was removed before the position is known.
      AND (c.kind = 'asset' OR c.kind = 'removed' AND c.commit_number > lost_assets.number);
END $$;
COMMENT ON FUNCTION lost_assets IS
  'Assets that existed at a position, of companies that were in the scope of its key, and no longer are in that of '
  'the key, which may follow it.';
REVOKE ALL ON FUNCTION lost_assets FROM PUBLIC;
