-- Counts that are set aside: they are kept, and are in no number. They have a table of their own, so that no statement
-- that reads counts has to leave them out, and no trigger (see 11), as what is served stays the same.

CREATE TABLE set_aside_days (
  LIKE sensor_days INCLUDING CONSTRAINTS INCLUDING STORAGE,
  set_aside integer NOT NULL REFERENCES set_asides (id) ON DELETE CASCADE,
  PRIMARY KEY (sensor, date, asset, set_aside),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company)
);
COMMENT ON TABLE set_aside_days IS
  'Counts that are set aside, with the columns of sensor_days: one row per period and local day of an asset. '
  'Corrections of installations and time zones move them like all others.';
COMMENT ON COLUMN set_aside_days.set_aside IS
  'The period in which the intervals began when they were set aside. A daily count keeps its date when the zone is '
  'corrected: its interval may begin outside of the period then.';
CREATE INDEX ON set_aside_days (asset, date);
CREATE INDEX ON set_aside_days (set_aside);
