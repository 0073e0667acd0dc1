/**
 * Row-level security: every statement sees rows of the companies of the authenticated key only. It works
 * independently of the scope predicates that all statements carry, from the hash of the key alone.
 */
import type { Knex } from 'knex'

/** The tables whose rows belong to companies, with the column that has the number of the company. */
const TABLES_OF_COMPANIES = {
  companies: 'number',
  assets: 'company',
  sensors: 'company',
  former_installations: 'company',
  sensor_days: 'company',
  origins: 'company',
  demographic_days: 'company',
}

const OTHER_TABLES = ['vendors', 'api_keys', 'service', 'legacy_calls']

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION companies_in_scope() RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  has_all boolean;
  numbers integer[];
BEGIN
  SELECT k.all_companies, k.companies INTO has_all, numbers
    FROM public.api_keys k
    -- A setting that was never set is '' after its first use in a session, not null.
    WHERE k.hash = decode(nullif(current_setting('partner_metrics.key_hash', true), ''), 'hex') AND k.deactivated_at IS NULL;
  IF has_all THEN RETURN ARRAY(SELECT c.number FROM public.companies c); END IF;
  RETURN coalesce(numbers, '{}');
END $$;
COMMENT ON FUNCTION companies_in_scope() IS 'Numbers of the companies of the key whose hash is set in the transaction; none without an active key.';
REVOKE ALL ON FUNCTION companies_in_scope() FROM PUBLIC;

${[...Object.keys(TABLES_OF_COMPANIES), ...OTHER_TABLES]
  .map(
    table => `
-- Forced, so that a login which owns the table is subject to it too; the policy lets the owner of today see all rows.
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true);`,
  )
  .join('')}

${Object.entries(TABLES_OF_COMPANIES)
  .map(
    ([table, company]) => `
-- The sub-select makes PostgreSQL evaluate the function once per statement instead of once per row.
CREATE POLICY company_scope ON ${table} FOR SELECT USING (${company} = ANY ((SELECT companies_in_scope())::integer[]));`,
  )
  .join('')}
CREATE POLICY everybody ON vendors FOR SELECT USING (true);
`)
}

export { down } from '../migrate/forward-only'
