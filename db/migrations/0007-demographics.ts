/**
 * Who an asset's audience is: one row an asset-day with 24 cells, age band by gender, ages first (cell = age × 3 + gender,
 * in the order of schema/demographic-groups.ts). NULL is a group that nobody reported.
 */
export const up = `
CREATE TABLE demographic_days (
  asset integer NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  impressions bigint[] NOT NULL CHECK (array_ndims(impressions) = 1 AND cardinality(impressions) = 24
    AND array_lower(impressions, 1) = 1 AND 0 <= ALL (array_remove(impressions, NULL))),
  PRIMARY KEY (asset, date),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company)
);
`
