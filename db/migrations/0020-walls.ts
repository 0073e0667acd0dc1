/**
 * Row-level security on what belongs to no company too, so that no table stands open: vendors are everybody's, what is
 * left is the owner's. And the one way in for the login that counts legacy calls: it can add to them, and nothing else.
 */
const walled = ['vendors', 'service', 'legacy_calls']

export const up = `
${walled
  .map(
    table => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true);
`,
  )
  .join('')}
CREATE POLICY everybody ON vendors FOR SELECT USING (true);

CREATE FUNCTION count_legacy_calls(at timestamptz[], api_key text[], route text[], calls bigint[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO public.legacy_calls AS known (date, api_key, route, calls, last_called_at)
  SELECT (counted.at AT TIME ZONE 'UTC')::date, counted.api_key, counted.route, counted.calls, counted.at
  FROM unnest($1, $2, $3, $4) AS counted (at, api_key, route, calls)
  ON CONFLICT (date, api_key, route) DO UPDATE SET calls = known.calls + excluded.calls,
    last_called_at = greatest(known.last_called_at, excluded.last_called_at)
$$;
REVOKE ALL ON FUNCTION count_legacy_calls(timestamptz[], text[], text[], bigint[]) FROM PUBLIC;
`
