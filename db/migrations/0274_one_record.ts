/** Keeps one record of what is served: totals with the transaction since which they are served, and what was served before. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { protectTables, showToCompanies } from '../migrate/row-level-security'
import { expand } from './0200_baseline'

const DIRECTORY = join(__dirname, 'one-record')

export async function up(knex: Knex): Promise<void> {
  for (const file of readdirSync(DIRECTORY).sort()) {
    await knex.raw(expand(readFileSync(join(DIRECTORY, file), 'utf8')))
  }
  await knex.raw(`
${['asset_months', 'former_totals', 'class_months', 'touched_months'].map(table => protectTables(table)).join('\n')}
${['asset_months', 'former_totals', 'class_months', 'touched_months'].map(table => showToCompanies(table)).join('\n')}
CREATE POLICY company_scope ON revisions FOR SELECT USING (EXISTS (SELECT FROM former_totals f
  WHERE f.until = revisions.number AND f.company = ANY ((SELECT companies_in_scope())::integer[])))`)
}

export { down } from '../migrate/forward-only'
