/** The claims of keys say when they end, which responses tell their callers. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE OR REPLACE FUNCTION set_claims() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  unknown integer[];
BEGIN
  -- A number that is not in use could be given to another company later.
  IF TG_OP = 'INSERT' OR NEW.companies IS DISTINCT FROM OLD.companies THEN
    unknown = ARRAY(SELECT unnest(NEW.companies) EXCEPT SELECT number FROM companies);
    IF unknown <> '{}' THEN
      RAISE foreign_key_violation USING MESSAGE = format('there is no company with the number %s', unknown[1]);
    END IF;
  END IF;
  NEW.claims = json_build_object('id', NEW.id, 'label', NEW.label, 'scopes', NEW.scopes, 'reseller', NEW.reseller,
    'all_companies', NEW.all_companies, 'rate', CASE WHEN NEW.rate_requests IS NOT NULL
      THEN json_build_object('requests', NEW.rate_requests, 'seconds', NEW.rate_seconds) END,
    'expires_at', (to_json(NEW.expires_at AT TIME ZONE 'UTC') #>> '{}') || 'Z');
  RETURN NEW;
END $$;
COMMENT ON COLUMN api_keys.claims IS 'What authenticate_key returns: {id, label, scopes, reseller, all_companies, rate, expires_at}. Set by trigger, since building it is most of the work.';
UPDATE api_keys SET id = id`)
}

export { down } from '../migrate/forward-only'
