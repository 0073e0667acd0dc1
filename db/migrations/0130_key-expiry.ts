/**
 * Keys that expire at an instant, and the last day on which each was used.
 *
 * Both checks of the scope compare the expiry with the start of the transaction, so that they agree on it for the whole
 * batch of a request. The row is read anyway.
 */
import type { Knex } from 'knex'

const IS_ACTIVE = 'k.deactivated_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE api_keys ADD COLUMN expires_at timestamptz(3), ADD COLUMN last_used_on date;
COMMENT ON COLUMN api_keys.expires_at IS 'The instant from which it is not valid anymore. Null: it does not expire.';
COMMENT ON COLUMN api_keys.last_used_on IS 'The last day (UTC) of a request with it while it was valid. Written once a day.';

CREATE OR REPLACE FUNCTION authenticate_key(key_hash bytea) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  claims json;
  has_all boolean;
  numbers integer[];
  setting text;
BEGIN
  SELECT k.claims, k.all_companies, k.companies INTO claims, has_all, numbers
    FROM public.api_keys k WHERE k.hash = key_hash AND ${IS_ACTIVE};
  IF has_all THEN numbers := ARRAY(SELECT c.number FROM public.companies c); END IF;
  -- A value that is no hash may be too long to be encoded.
  setting := set_config('partner_metrics.key_hash', CASE octet_length(key_hash) WHEN 32 THEN encode(key_hash, 'hex') END, true);
  setting := set_config('partner_metrics.companies', coalesce(numbers::text, ''), true);
  RETURN claims;
END $$;

CREATE OR REPLACE FUNCTION companies_in_scope() RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  -- Any login can set this to any text, which is compared and never converted.
  hex text = current_setting('partner_metrics.key_hash', true);
  has_all boolean;
  numbers integer[];
BEGIN
  SELECT k.all_companies, k.companies INTO has_all, numbers
    FROM public.api_keys k WHERE encode(k.hash, 'hex') = hex COLLATE "C" AND ${IS_ACTIVE};
  IF has_all THEN RETURN ARRAY(SELECT c.number FROM public.companies c); END IF;
  RETURN coalesce(numbers, '{}');
END $$;

CREATE FUNCTION record_key_uses(days date[], keys text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE public.api_keys k SET last_used_on = used.day
  FROM (
    SELECT known.id, used.day FROM unnest($1, $2) AS used (day, key) JOIN public.api_keys known ON known.id = used.key
    WHERE known.last_used_on IS NULL OR known.last_used_on < used.day
    -- In one order, so that processes that record at the same time cannot deadlock.
    ORDER BY known.id FOR NO KEY UPDATE OF known
  ) used WHERE k.id = used.id
$$;
COMMENT ON FUNCTION record_key_uses IS 'Stores days (UTC) as the last ones on which the keys with these ids were used. A privilege of the writer.';
REVOKE ALL ON FUNCTION record_key_uses FROM PUBLIC;
`)
}

export { down } from '../migrate/forward-only'
