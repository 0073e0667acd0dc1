/** Where an asset's audience lives: impressions of an asset-day by home city. */
export const up = `
CREATE TABLE origins (
  impressions bigint NOT NULL CHECK (impressions >= 0),
  asset integer NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  country text COLLATE "C" NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  region text COLLATE "C" NOT NULL CHECK (region ~ '^[A-Z]{2}-[A-Z0-9]{1,3}$' AND left(region, 2) = country),
  city text COLLATE "C" NOT NULL CHECK (char_length(city) BETWEEN 1 AND 200),
  PRIMARY KEY (asset, date, country, region, city),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company)
);
`
