/**
 * The functions that find the scope of a key raise no error, whatever they are given. They look a key up by the text of
 * its hash in hex, which needs no conversion that could fail and takes less time than one.
 */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE UNIQUE INDEX api_keys_hash_in_hex ON api_keys (encode(hash, 'hex') COLLATE "C");

CREATE OR REPLACE FUNCTION companies_in_scope() RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  -- Any login can set this to any text, which is compared and never converted.
  hex text = current_setting('partner_metrics.key_hash', true);
  has_all boolean;
  numbers integer[];
BEGIN
  SELECT k.all_companies, k.companies INTO has_all, numbers
    FROM public.api_keys k
    WHERE encode(k.hash, 'hex') = hex COLLATE "C" AND k.deactivated_at IS NULL;
  IF has_all THEN RETURN ARRAY(SELECT c.number FROM public.companies c); END IF;
  RETURN coalesce(numbers, '{}');
END $$;

CREATE OR REPLACE FUNCTION authenticate_key(key_hash bytea) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  claims json;
  has_all boolean;
  numbers integer[];
  setting text;
BEGIN
  SELECT k.claims, k.all_companies, k.companies INTO claims, has_all, numbers
    FROM public.api_keys k WHERE k.hash = key_hash AND k.deactivated_at IS NULL;
  IF has_all THEN numbers := ARRAY(SELECT c.number FROM public.companies c); END IF;
  -- A value that is no hash may be too long to be encoded.
  setting := set_config('partner_metrics.key_hash', CASE octet_length(key_hash) WHEN 32 THEN encode(key_hash, 'hex') END, true);
  setting := set_config('partner_metrics.companies', coalesce(numbers::text, ''), true);
  RETURN claims;
END $$;
`)
}

export { down } from '../migrate/forward-only'
