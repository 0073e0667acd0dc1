/**
 * The companies of a key stand in its row, kept by triggers, so that to resolve a key is one look at one row: it is done
 * for each walled table that a statement reads. The functions are what they were, but look there; the key comes as JSON,
 * which is cheaper than a row of a function.
 */
const keep = (name: string, touched: string) => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE api_keys AS k
  SET companies = ARRAY(SELECT company FROM api_key_companies WHERE api_key = k.id ORDER BY company)
  WHERE id IN (${touched});
  RETURN NULL;
END $$;
`

const trigger = (event: string, referencing: string, call: string) => `
CREATE TRIGGER keep_companies_on_${event.toLowerCase()} AFTER ${event} ON api_key_companies REFERENCING ${referencing}
  FOR EACH STATEMENT EXECUTE FUNCTION ${call}();
`

/** What both functions are. A function that called the other would cost one more call for each table. */
const companiesOf = (key: string) => `
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  has_all boolean;
  numbers integer[];
BEGIN
  SELECT k.all_companies, k.companies INTO has_all, numbers
    FROM public.api_keys k WHERE k.hash = ${key} AND k.deactivated_at IS NULL;
  IF has_all THEN RETURN ARRAY(SELECT c.number FROM public.companies c); END IF;
  RETURN coalesce(numbers, '{}');
END $$;
`

export const up = `
ALTER TABLE api_keys ADD COLUMN companies integer[] NOT NULL DEFAULT '{}';
UPDATE api_keys AS k
  SET companies = ARRAY(SELECT company FROM api_key_companies WHERE api_key = k.id ORDER BY company);
${keep('keep_companies_after', 'SELECT api_key FROM after')}
${keep('keep_companies_before', 'SELECT api_key FROM before')}
${keep('keep_companies_changed', 'SELECT api_key FROM before UNION ALL SELECT api_key FROM after')}
${trigger('INSERT', 'NEW TABLE AS after', 'keep_companies_after')}
${trigger('UPDATE', 'OLD TABLE AS before NEW TABLE AS after', 'keep_companies_changed')}
${trigger('DELETE', 'OLD TABLE AS before', 'keep_companies_before')}

CREATE OR REPLACE FUNCTION companies_of_key(key_hash bytea) RETURNS integer[] ${companiesOf('key_hash')}
-- A setting that was never set reads '' after its first use in a session, not NULL.
CREATE OR REPLACE FUNCTION companies_of_presented_key() RETURNS integer[]
${companiesOf(`decode(nullif(current_setting('partner_metrics.key_hash', true), ''), 'hex')`)}

DROP FUNCTION presented_key(bytea);
CREATE FUNCTION presented_key(key_hash bytea) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  presented json;
BEGIN
  SELECT json_build_object('id', k.id, 'label', k.label, 'scopes', k.scopes, 'reseller', k.reseller,
      'all_companies', k.all_companies, 'rate', CASE WHEN k.rate_requests IS NOT NULL
        THEN json_build_object('requests', k.rate_requests, 'seconds', k.rate_seconds) END) INTO presented
    FROM public.api_keys k WHERE k.hash = key_hash AND k.deactivated_at IS NULL;
  RETURN presented;
END $$;
REVOKE ALL ON FUNCTION presented_key(bytea) FROM PUBLIC;
`
