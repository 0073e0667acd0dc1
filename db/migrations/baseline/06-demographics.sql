-- Demographics: age and gender of the audience by local day, and their totals.

CREATE TABLE demographic_days (
  asset integer NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  «GROUP integer»,
  PRIMARY KEY (asset, date),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  CHECK (least(«GROUP») >= 0)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX ON demographic_days (company, date);
COMMENT ON TABLE demographic_days IS
  'Impressions of an asset on a local day by gender and age band, a column each: summing columns takes half the time '
  'of summing a list. Null: not reported.';

CREATE TABLE asset_demographics (
  asset integer NOT NULL,
  company integer NOT NULL,
  month integer NOT NULL,
  «GROUP bigint»,
  PRIMARY KEY (asset, month)
) WITH (fillfactor = 50);
COMMENT ON TABLE asset_demographics IS 'Sums of demographic_days by month.';
CREATE INDEX ON asset_demographics (company, month);
