-- The feed of changes: what a copy of the data has to read again. Repeated changes are merged, so that the feed never outgrows the data.
-- A reader that remembers the number of the last transaction misses nothing.

CREATE TABLE changes (
  number bigint NOT NULL,
  created_number bigint,
  company integer NOT NULL,
  asset_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('asset', 'notes', 'removed', 'sensors'))
-- Room for new versions of rows beside the old ones.
) WITH (fillfactor = 70);
COMMENT ON TABLE changes IS 'The records that a copy of the data has to read again, by asset and kind. Days of facts are in asset_months.';
COMMENT ON COLUMN changes.number IS 'The transaction of the last change.';
COMMENT ON COLUMN changes.created_number IS 'The transaction that created the asset; in rows of the kind removed, the one that created the first asset of this id. Null for other kinds.';
COMMENT ON COLUMN changes.company IS 'Its number. That an asset was removed is listed after its company was deleted, too.';
-- Removed or not: an id that came back has a row of its removal beside those of what it has now.
CREATE UNIQUE INDEX ON changes (company, asset_id, (kind <> 'removed'), kind);
-- In the order of the feed: one transaction may change all records.
CREATE INDEX ON changes (company, number, ((kind <> 'removed')::integer), asset_id, kind);

CREATE TABLE asset_versions (
  asset integer PRIMARY KEY,
  company integer NOT NULL,
  measured_from date,
  measured_to date CHECK (measured_to >= measured_from),
  CHECK ((measured_from IS NULL) = (measured_to IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE asset_versions IS 'The range of the data of assets, by the view defined_asset_versions: a narrow row beside that of assets, because imports change it.';
COMMENT ON COLUMN asset_versions.measured_from IS 'First and last local date with counts.';

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

CREATE FUNCTION feed_position(reached bigint, reached_mark uuid,
  OUT epoch text, OUT number bigint, OUT mark uuid, OUT companies integer[], OUT proof text, OUT has_reached boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Not the setting itself, which a login can change for its own sessions.
  SELECT concat_ws('.', s.system_identifier, d.oid, (
      SELECT split_part(setting, '=', 2) FROM pg_db_role_setting r CROSS JOIN unnest(r.setconfig) AS setting
      WHERE r.setdatabase = d.oid AND r.setrole = 0 AND setting LIKE 'partner_metrics.epoch=%'
    )) INTO epoch
    FROM pg_control_system() s, pg_database d WHERE d.datname = current_database();
  SELECT t.number, t.mark INTO number, mark
    FROM public.transactions t WHERE t.number IS NOT NULL ORDER BY t.number DESC LIMIT 1;
  has_reached = EXISTS (SELECT FROM public.transactions t WHERE (t.number, t.mark) = (reached, reached_mark));
  companies = ARRAY(SELECT unnest(public.companies_in_scope()) ORDER BY 1);
  proof = public.scope_proof(public.key_in_scope(), companies, number);
END $$;
COMMENT ON FUNCTION feed_position IS 'Up to where the feed of changes can be read now, a proof of the key and its scope, and whether the database has what the reader of another position has seen.';
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
