/**
 * Row-level security: every statement sees rows of the companies of the authenticated key only. It works independently of
 * the scope predicates that all statements carry, from the hash of the key alone.
 */
import type { Knex } from 'knex'

/** The tables whose rows belong to companies, with the column that has the number of the company. */
const TABLES_OF_COMPANIES = {
  companies: 'number',
  assets: 'company',
  asset_classes: 'company',
  sensors: 'company',
  installations: 'company',
  sensor_days: 'company',
  origins: 'company',
  demographic_days: 'company',
  asset_months: 'company',
  class_months: 'company',
  asset_demographics: 'company',
  class_demographic_days: 'company',
  class_demographics: 'company',
  measured_assets: 'company',
  asset_versions: 'company',
  changes: 'company',
  touched: 'company',
}

const OTHER_TABLES = [
  'vendors',
  'api_keys',
  'service',
  'locks',
  'operations',
  'service_processes',
  'legacy_calls',
  'touched_installations',
  'feed_transactions',
]

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
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
