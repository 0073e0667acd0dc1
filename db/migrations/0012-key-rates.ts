/** A key may have a rate of its own: so many requests in a window of so many seconds. Without one the usual rate is in force. */
export const up = `
ALTER TABLE api_keys ADD COLUMN rate_requests integer CHECK (rate_requests > 0),
  ADD COLUMN rate_seconds integer CHECK (rate_seconds > 0),
  ADD CHECK ((rate_requests IS NULL) = (rate_seconds IS NULL));

DROP FUNCTION presented_key(bytea);
CREATE FUNCTION presented_key(key_hash bytea)
RETURNS TABLE (id text, label text, scopes text[], reseller boolean, all_companies boolean, rate json)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT k.id, k.label, k.scopes, k.reseller, k.all_companies,
      CASE WHEN k.rate_requests IS NOT NULL
        THEN json_build_object('requests', k.rate_requests, 'seconds', k.rate_seconds) END
    FROM public.api_keys k WHERE k.hash = key_hash AND k.deactivated_at IS NULL;
END $$;
REVOKE ALL ON FUNCTION presented_key(bytea) FROM PUBLIC;
`
