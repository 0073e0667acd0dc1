/**
 * Counts: one row a sensor and local day. The key's index carries the totals and how many intervals were observed, so
 * that a year of days is read from the index alone; hours are a small list of their own beside the packed native
 * intervals, and a day of minutes is one row. packing.ts tells how hours and counts are packed.
 */
export const up = `
CREATE TABLE sensor_days (
  impressions bigint NOT NULL CHECK (impressions >= 0),
  asset integer NOT NULL,
  sensor integer NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  native_minutes smallint NOT NULL,
  observed smallint NOT NULL CHECK (observed BETWEEN 1 AND 2880),
  hours bytea NOT NULL CHECK (octet_length(hours) > 0),
  counts bytea NOT NULL CHECK (octet_length(counts) >= observed),
  PRIMARY KEY (asset, date, sensor) INCLUDE (company, native_minutes, observed, impressions),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  FOREIGN KEY (sensor, native_minutes) REFERENCES sensors (number, native_minutes)
);
ALTER TABLE sensor_days ALTER COLUMN hours SET STORAGE MAIN;
CREATE INDEX sensor_days_of_sensor ON sensor_days (sensor, date);
`
