/** Counts calls of the legacy interface without an active key too. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE legacy_calls
  DROP CONSTRAINT legacy_calls_pkey,
  ALTER api_key DROP NOT NULL,
  ADD UNIQUE NULLS NOT DISTINCT (date, api_key, route),
  -- Without a primary key, logical replication needs it.
  REPLICA IDENTITY FULL;
COMMENT ON COLUMN legacy_calls.api_key IS 'Deactivated keys too. Null: without a key, or with one that was never issued.';

CREATE OR REPLACE FUNCTION count_legacy_calls(at timestamptz[], api_key text[], route text[], calls bigint[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO public.legacy_calls AS known (date, api_key, route, calls, last_called_at)
  SELECT (counted.at AT TIME ZONE 'UTC')::date AS date, key.id, counted.route, sum(counted.calls), max(counted.at)
  FROM unnest($1, $2, $3, $4) AS counted (at, api_key, route, calls)
  LEFT JOIN LATERAL (
    SELECT k.id FROM public.api_keys k WHERE k.id = counted.api_key
    UNION ALL
    SELECT k.id FROM public.api_keys k WHERE k.hash = CASE WHEN length(counted.api_key) = 64 THEN decode(counted.api_key, 'hex') END
  ) key ON true
  GROUP BY date, key.id, counted.route
  -- In one order, so that processes that count at the same time cannot deadlock.
  ORDER BY date, key.id, counted.route
  ON CONFLICT (date, api_key, route) DO UPDATE SET calls = known.calls + excluded.calls,
    last_called_at = greatest(known.last_called_at, excluded.last_called_at)
$$;
COMMENT ON FUNCTION count_legacy_calls IS 'Adds to the counts of calls. api_key is the id of a key, its SHA-256 in hex, or null. The only privilege of the writer.';

-- Calls with keys that are not active have not been counted before.
UPDATE service SET legacy_counted_from = now();
`)
}

export { down } from '../migrate/forward-only'
