/** Origins: where the audience lives. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE origins (
  impressions bigint NOT NULL CHECK (impressions >= 0),
  asset integer NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  country text COLLATE "C" NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  region text COLLATE "C" NOT NULL CHECK (region ~ '^[A-Z]{2}-[A-Z0-9]{1,3}$' AND left(region, 2) = country),
  city text COLLATE "C" NOT NULL CHECK (char_length(city) BETWEEN 1 AND 200),
  PRIMARY KEY (asset, date, country, region, city) INCLUDE (company, impressions),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company)
);
COMMENT ON TABLE origins IS 'Impressions of an asset on a local day by home city of the audience. Sums are read from the index of the primary key alone.';
`)
}

export { down } from '../migrate/forward-only'
