-- The rules of time zones by which local days are cut, and the numbers by which months are stored. Rules are data,
-- so that a stored day means the same to every version of Node.js and PostgreSQL: neither is asked about a time zone.
-- The rules of a zone come from the Node.js that imports its first asset, and change by `partner-metrics zones update`
-- only.

CREATE TABLE zone_rules (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  zone text COLLATE "C" NOT NULL CHECK (char_length(zone) BETWEEN 1 AND 64),
  version text COLLATE "C" NOT NULL CHECK (char_length(version) BETWEEN 1 AND 20),
  starts bigint[] NOT NULL,
  offsets integer[] NOT NULL,
  in_force boolean NOT NULL DEFAULT true,
  CHECK (cardinality(starts) = cardinality(offsets) AND cardinality(starts) > 0)
);
COMMENT ON TABLE zone_rules IS
  'The UTC offsets of time zones in use. Rows never change but in in_force: earlier rules of a zone are kept.';
COMMENT ON COLUMN zone_rules.version IS 'Of the tz database from which they are, e.g. 2026c.';
COMMENT ON COLUMN zone_rules.starts IS
  'Seconds since 1970 from which each offset applies, ascending, up to 2100. Before the first one, the first offset '
  'applies.';
COMMENT ON COLUMN zone_rules.offsets IS 'Seconds east of UTC.';
CREATE UNIQUE INDEX ON zone_rules (zone) WHERE in_force;

CREATE FUNCTION local_time(rules integer, instant timestamptz) RETURNS timestamp LANGUAGE sql STABLE STRICT AS $$
  SELECT instant AT TIME ZONE 'UTC' + make_interval(secs =>
    offsets[greatest(1, width_bucket(floor(extract(epoch FROM instant))::bigint, starts))])
  FROM zone_rules WHERE number = $1
$$;
COMMENT ON FUNCTION local_time IS
  'The local date and time of an instant by rules of a zone, which are given by their number.';

CREATE FUNCTION month_number(date) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (date_part('year', $1::timestamp) * 12 + date_part('month', $1::timestamp) - 1)::integer
$$;
COMMENT ON FUNCTION month_number IS 'Months since year 0, as in all columns named month.';

CREATE FUNCTION month_start(integer) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT make_date($1 / 12, $1 % 12 + 1, 1)
$$;
COMMENT ON FUNCTION month_start IS 'The first day of a month, counted since year 0.';

CREATE FUNCTION day_bit(date) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 1 << date_part('day', $1::timestamp)::integer - 1
$$;
COMMENT ON FUNCTION day_bit IS 'The day of the month as a bit: bit 0 is the first day.';

CREATE FUNCTION first_open_day(rules integer, instant timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT local_time(rules, instant - interval '6 hours')::date
$$;
COMMENT ON FUNCTION first_open_day IS
  'The first local day that is not over at an instant by rules of a time zone. A day is over six hours after its end, '
  'since counts come late.';
