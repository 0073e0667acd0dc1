/**
 * Positions in the feed belong to the key that reached them: only that key, and those that it was rotated to, are told which
 * assets have left its scope. The proof of a position names its key. Positions from before name none, and tell nobody.
 */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
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
REVOKE ALL ON FUNCTION scope_proof(text, integer[], bigint) FROM PUBLIC;

CREATE OR REPLACE FUNCTION feed_position(OUT epoch text, OUT number bigint, OUT mark uuid, OUT companies integer[], OUT proof text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Not the setting itself, which a login can change for its own sessions.
  SELECT concat_ws('.', s.system_identifier, d.oid, (
      SELECT split_part(setting, '=', 2) FROM pg_db_role_setting r CROSS JOIN unnest(r.setconfig) AS setting
      WHERE r.setdatabase = d.oid AND r.setrole = 0 AND setting LIKE 'partner_metrics.epoch=%'
    )) INTO epoch
    FROM pg_control_system() s, pg_database d WHERE d.datname = current_database();
  SELECT t.number, t.mark INTO number, mark FROM public.feed_transactions t WHERE t.number IS NOT NULL ORDER BY t.number DESC LIMIT 1;
  companies = ARRAY(SELECT unnest(public.companies_in_scope()) ORDER BY 1);
  proof = public.scope_proof(public.key_in_scope(), companies, number);
END $$;
COMMENT ON FUNCTION feed_position IS 'Up to where the feed of changes can be read now, and a proof of the key and its scope.';

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

CREATE OR REPLACE FUNCTION lost_assets(companies integer[], number bigint, proof text) RETURNS SETOF text
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

DROP FUNCTION scope_proof(integer[], bigint);
`)
}

export { down } from '../migrate/forward-only'
