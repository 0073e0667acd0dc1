-- Impressions: the counts of sensors by local day; and which assets have data of a day, as bits, so that they are
-- counted without being read.

CREATE TABLE sensor_days (
  impressions bigint NOT NULL CHECK (impressions >= 0),
  asset integer NOT NULL,
  sensor integer NOT NULL REFERENCES sensors (number),
  company integer NOT NULL,
  date date NOT NULL,
  native_minutes smallint NOT NULL,
  observed smallint NOT NULL CHECK (observed BETWEEN 1 AND 2880),
  hours bytea NOT NULL CHECK (octet_length(hours) > 0),
  counts bytea NOT NULL CHECK (octet_length(counts) >= observed),
  PRIMARY KEY (asset, date, sensor) INCLUDE (company, native_minutes, observed, impressions),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company)
-- Five years of days would have to grow by a year before the next VACUUM, which then has a year of rows to freeze, and
-- by half a year before the next ANALYZE.
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- CREATE TABLE takes a storage only since PostgreSQL 16.
ALTER TABLE sensor_days ALTER hours SET STORAGE MAIN;
COMMENT ON TABLE sensor_days IS
  'Counts: one row per sensor and local day. Totals of days are read from the index of the primary key alone.';
COMMENT ON COLUMN sensor_days.impressions IS
  'Total of the day. First, as the widest column: rows have no padding this way.';
COMMENT ON COLUMN sensor_days.native_minutes IS 'That of the installation.';
COMMENT ON COLUMN sensor_days.observed IS
  'Number of native intervals with a count: up to 2880 on a date that a zone repeats, which crossed the date line.';
COMMENT ON COLUMN sensor_days.hours IS
  'Observed intervals and impressions of each hour: small enough to stay in the row. counts are the impressions of '
  'each native interval. Both are packed as in db/calendar/packed-counts.ts.';
CREATE INDEX ON sensor_days (sensor, date);

CREATE TABLE measured_assets (
  kind text COLLATE "C" NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  block integer NOT NULL,
  assets bit(2048) NOT NULL,
  PRIMARY KEY (kind, company, date, block)
-- Room for new versions of rows beside the old ones, as in other tables with a fillfactor.
) WITH (fillfactor = 50);
COMMENT ON TABLE measured_assets IS
  'The assets that have data of a kind (impressions or demographics) on a local day, as bits: bit N of block B is the '
  'asset with the number B * 2048 + N. Assets are not counted by origins.';
