/**
 * API keys, as SHA-256 only, and what each may read. The two functions are the only way in for the service's reading
 * login: what a presented key is, and which companies it sees. A key that is unknown or deactivated is nothing and sees
 * nothing. They run as their owner with a pinned search_path, and are plpgsql because that keeps its plans.
 */
export const up = `
CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  environment text NOT NULL CHECK (environment IN ('dev', 'production')),
  label text CHECK (char_length(label) BETWEEN 1 AND 200),
  scopes text[] NOT NULL CHECK (scopes <@ ARRAY['partner:metrics:legacy:read', 'internal:graphql:read']),
  reseller boolean NOT NULL DEFAULT false,
  all_companies boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  deactivated_at timestamptz(3),
  replaces text COLLATE "C" UNIQUE REFERENCES api_keys (id),
  CONSTRAINT all_companies_for_analysts_only CHECK (NOT all_companies OR scopes @> ARRAY['internal:graphql:read'])
);
CREATE TABLE api_key_companies (
  api_key text COLLATE "C" NOT NULL REFERENCES api_keys (id),
  company integer NOT NULL REFERENCES companies (number),
  PRIMARY KEY (api_key, company)
);

CREATE FUNCTION presented_key(key_hash bytea)
RETURNS TABLE (id text, label text, scopes text[], reseller boolean, all_companies boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT k.id, k.label, k.scopes, k.reseller, k.all_companies
    FROM public.api_keys k WHERE k.hash = key_hash AND k.deactivated_at IS NULL;
END $$;

CREATE FUNCTION companies_of_key(key_hash bytea) RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE presented record;
BEGIN
  SELECT k.id, k.all_companies INTO presented
    FROM public.api_keys k WHERE k.hash = key_hash AND k.deactivated_at IS NULL;
  IF presented.id IS NULL THEN RETURN '{}'; END IF;
  IF presented.all_companies THEN RETURN ARRAY(SELECT c.number FROM public.companies c); END IF;
  RETURN ARRAY(SELECT c.company FROM public.api_key_companies c WHERE c.api_key = presented.id);
END $$;

CREATE FUNCTION companies_of_presented_key() RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- A setting that was never set reads '' after its first use in a session, not NULL.
  RETURN public.companies_of_key(decode(nullif(current_setting('partner_metrics.key_hash', true), ''), 'hex'));
END $$;

REVOKE ALL ON FUNCTION presented_key(bytea), companies_of_key(bytea), companies_of_presented_key() FROM PUBLIC;
`
