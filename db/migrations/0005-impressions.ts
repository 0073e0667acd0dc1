/**
 * Counts: one row a sensor and local day. Totals, the number of observed intervals and the hours are small and stand in
 * the row; the native intervals are packed in one value which is moved aside (TOAST) when it is large, so that reading a
 * year of days does not read its minutes. packing.ts tells how hours and counts are packed.
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
  PRIMARY KEY (asset, date, sensor),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company),
  FOREIGN KEY (sensor, native_minutes) REFERENCES sensors (number, native_minutes)
) WITH (toast_tuple_target = 256);
ALTER TABLE sensor_days ALTER COLUMN hours SET STORAGE MAIN;
CREATE INDEX sensor_days_of_sensor ON sensor_days (sensor, date);
`
