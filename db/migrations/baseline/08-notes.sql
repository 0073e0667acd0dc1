-- The remarks of operators on data: periods of a sensor whose counts are set aside, and notes for readers. Both are by
-- sensor and instant, or by local date, so that moves change none of their rows.

CREATE TABLE set_asides (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sensor integer NOT NULL REFERENCES sensors (number) ON DELETE CASCADE,
  from_time timestamptz(3) NOT NULL,
  to_time timestamptz(3) NOT NULL,
  reason text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
  is_public boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (to_time > from_time),
  -- Of ranges alone, because an index of integers in GiST needs an extension.
  CONSTRAINT set_aside_once EXCLUDE USING gist (
    int4range(sensor, sensor, '[]') WITH &&, tstzrange(from_time, to_time) WITH &&)
);
COMMENT ON TABLE set_asides IS
  'Periods of a sensor whose counts cannot be used, as an operator says. Its command and imports, not a trigger, '
  'put the counts into set_aside_days.';
COMMENT ON COLUMN set_asides.to_time IS 'Exclusive.';
COMMENT ON COLUMN set_asides.is_public IS 'Whether partners read the reason.';
CREATE INDEX ON set_asides (sensor, from_time);

CREATE TABLE notes (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  asset integer REFERENCES assets (number) ON DELETE CASCADE,
  sensor integer REFERENCES sensors (number) ON DELETE CASCADE,
  from_date date NOT NULL,
  to_date date CHECK (to_date >= from_date),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('caveat', 'break')),
  text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 2000),
  is_internal boolean NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT of_an_asset_or_a_sensor CHECK (num_nonnulls(asset, sensor) = 1)
);
COMMENT ON TABLE notes IS 'Remarks for readers of the data of an asset, or of the assets of a sensor.';
COMMENT ON COLUMN notes.sensor IS
  'A note on a sensor is shown at the assets on which it was installed within the dates of the note.';
COMMENT ON COLUMN notes.kind IS 'A break: the numbers before and after it cannot be compared.';
COMMENT ON COLUMN notes.from_date IS 'Local dates at the asset, as is to_date: inclusive, null for no end.';
COMMENT ON COLUMN notes.is_internal IS 'Whether only analysts see it.';
CREATE UNIQUE INDEX note_once ON notes (asset, sensor, from_date, kind, md5(text)) NULLS NOT DISTINCT;
CREATE INDEX ON notes (sensor);

CREATE FUNCTION has_dates(rules integer, period tstzrange, from_date date, to_date date) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT local_time(rules, lower(period))::date <= coalesce(to_date, 'infinity')
    AND coalesce(local_time(rules, upper(period) - interval '1 millisecond')::date, 'infinity') >= from_date
$$;
COMMENT ON FUNCTION has_dates IS
  'Whether a period includes a time of one of these dates, by the rules of a time zone; no last date: all later ones.';
