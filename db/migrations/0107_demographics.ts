/** Demographics: age and gender of the audience. */
import type { Knex } from 'knex'

const AGE_BANDS = ['12_17', '18_24', '25_34', '35_44', '45_54', '55_64', '65', 'unknown']

const GROUPS = AGE_BANDS.flatMap(age => ['male', 'female', 'unknown'].map(gender => `${gender}_${age}`))

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE demographic_days (
  asset integer NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  ${GROUPS.map(group => `${group} integer`).join(',\n  ')},
  PRIMARY KEY (asset, date),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  CHECK (least(${GROUPS.join(', ')}) >= 0)
);
COMMENT ON TABLE demographic_days IS 'Impressions of an asset on a local day by gender and age band, a column each: summing columns takes half the time of summing a list. Null: not reported.';
`)
}

export { down } from '../migrate/forward-only'
