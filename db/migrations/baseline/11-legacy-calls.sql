-- Calls of the legacy interface, counted to learn when it can be retired.

CREATE TABLE legacy_calls (
  date date NOT NULL,
  api_key text COLLATE "C" REFERENCES api_keys (id),
  route text COLLATE "C" NOT NULL CHECK (char_length(route) BETWEEN 1 AND 200),
  calls bigint NOT NULL CHECK (calls > 0),
  last_called_at timestamptz(3) NOT NULL,
  UNIQUE NULLS NOT DISTINCT (date, api_key, route)
);
COMMENT ON TABLE legacy_calls IS 'Calls of the legacy interface by day (UTC), key and route.';
COMMENT ON COLUMN legacy_calls.api_key IS 'Deactivated keys too. Null: without a key, or with one that was never issued.';
-- Without a primary key, logical replication needs it.
ALTER TABLE legacy_calls REPLICA IDENTITY FULL;

CREATE FUNCTION count_legacy_calls(at timestamptz[], api_key text[], route text[], calls bigint[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO public.legacy_calls AS known (date, api_key, route, calls, last_called_at)
  SELECT (counted.at AT TIME ZONE 'UTC')::date AS date, key.id, counted.route, sum(counted.calls), max(counted.at)
  FROM unnest($1, $2, $3, $4) AS counted (at, api_key, route, calls)
  LEFT JOIN LATERAL (
    SELECT k.id FROM public.api_keys k WHERE k.id = counted.api_key
    UNION ALL
    SELECT k.id FROM public.api_keys k WHERE k.hash = CASE WHEN length(counted.api_key) = 64 THEN decode(counted.api_key,
      'hex') END
  ) key ON true
  GROUP BY date, key.id, counted.route
  -- In one order, so that processes that count at the same time cannot deadlock.
  ORDER BY date, key.id, counted.route
  ON CONFLICT (date, api_key, route) DO UPDATE SET calls = known.calls + excluded.calls,
    last_called_at = greatest(known.last_called_at, excluded.last_called_at)
$$;
COMMENT ON FUNCTION count_legacy_calls IS 'Adds to the counts of calls. api_key is the id of a key, its SHA-256 in hex, or null. A privilege of the writer.';
REVOKE ALL ON FUNCTION count_legacy_calls FROM PUBLIC;
