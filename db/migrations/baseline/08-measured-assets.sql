-- Counts over many assets without reading them: bitmaps of the assets that have data on a day, and the sensors that are
-- installed on the assets of a class.

CREATE TABLE measured_assets (
  kind text NOT NULL,
  company integer NOT NULL,
  date date NOT NULL,
  block integer NOT NULL,
  assets bit(2048) NOT NULL,
  PRIMARY KEY (kind, company, date, block)
-- Room for new versions of rows beside the old ones.
) WITH (fillfactor = 50);
COMMENT ON TABLE measured_assets IS 'The assets that have data of a kind on a local day, as bits: bit N of block B is the asset with the number B * 2048 + N.';

CREATE TABLE class_sensors (
  company integer NOT NULL,
  class integer NOT NULL,
  rules integer NOT NULL,
  native_minutes smallint NOT NULL,
  sensors integer NOT NULL,
  PRIMARY KEY (company, class, rules, native_minutes)
) WITH (fillfactor = 70);
COMMENT ON TABLE class_sensors IS 'Sensors that are installed on the assets of a class, or on all assets of a company.';
COMMENT ON COLUMN class_sensors.class IS '0: all assets of the company.';
COMMENT ON COLUMN class_sensors.native_minutes IS 'Of their installations.';
