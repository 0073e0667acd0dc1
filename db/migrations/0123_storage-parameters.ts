/** Storage parameters of tables that grow every day. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- A month grows every night. With full pages, 3 % of its updates stay on their page, and the table takes twice the space.
ALTER TABLE origin_months SET (fillfactor = 70);

-- Five years of days would have to grow by a year before the next VACUUM, which then has a year of rows to freeze, and by half a
-- year before the next ANALYZE.
ALTER TABLE sensor_days SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE demographic_days SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- A night updates a row of each asset, a sixtieth of five years. Totals of companies are read from an index alone, but for
-- rows on pages that were updated since the last VACUUM.
ALTER TABLE asset_months SET (autovacuum_vacuum_scale_factor = 0.01);
`)
}

export { down } from '../migrate/forward-only'
