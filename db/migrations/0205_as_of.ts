/** What reads of a past instant need of the ledger: its beginning, for every key, and the late days of a company since an instant. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE POLICY beginning ON revisions FOR SELECT USING (reason = 'begin' AND companies_in_scope() IS NOT NULL);
CREATE INDEX ON late_days (company, revision)`)
}

export { down } from '../migrate/forward-only'
