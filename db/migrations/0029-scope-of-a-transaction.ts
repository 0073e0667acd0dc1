/**
 * To present a key tells both walls of it, for its transaction alone: the second its hash, which that resolves itself for
 * each table, and the first the companies, so that what stands in each statement's own predicate need not resolve it once
 * more. What else is told of a key stands in its row as it is told, since that was most of the work of presenting one.
 */
export const up = `
CREATE FUNCTION tell_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.presented = json_build_object('id', NEW.id, 'label', NEW.label, 'scopes', NEW.scopes, 'reseller', NEW.reseller,
    'all_companies', NEW.all_companies, 'rate', CASE WHEN NEW.rate_requests IS NOT NULL
      THEN json_build_object('requests', NEW.rate_requests, 'seconds', NEW.rate_seconds) END);
  RETURN NEW;
END $$;
CREATE TRIGGER tell_key BEFORE INSERT OR UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION tell_key();
ALTER TABLE api_keys ADD COLUMN presented json;
UPDATE api_keys SET id = id;
ALTER TABLE api_keys ALTER COLUMN presented SET NOT NULL;

CREATE OR REPLACE FUNCTION presented_key(key_hash bytea) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  told json;
  has_all boolean;
  numbers integer[];
  setting text;
BEGIN
  SELECT k.presented, k.all_companies, k.companies INTO told, has_all, numbers
    FROM public.api_keys k WHERE k.hash = key_hash AND k.deactivated_at IS NULL;
  IF has_all THEN numbers := ARRAY(SELECT c.number FROM public.companies c); END IF;
  setting := set_config('partner_metrics.key_hash', encode(key_hash, 'hex'), true);
  setting := set_config('partner_metrics.companies', coalesce(numbers::text, ''), true);
  RETURN told;
END $$;
`
