/** The running services with their addresses, for `partner-metrics status`. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE service_processes (
  id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL CHECK (char_length(host) BETWEEN 1 AND 255),
  pid integer NOT NULL,
  url text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 500),
  version text NOT NULL CHECK (char_length(version) BETWEEN 1 AND 50),
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE service_processes IS 'The running services. One that was killed leaves its row, which the next start deletes.';
COMMENT ON COLUMN service_processes.host IS 'Name of the machine.';
COMMENT ON COLUMN service_processes.url IS 'Where it listens, as http://HOST:PORT.';
COMMENT ON COLUMN service_processes.seen_at IS 'The service renews it while it runs.';
ALTER TABLE service_processes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON service_processes TO CURRENT_USER USING (true) WITH CHECK (true);

CREATE FUNCTION report_running(service text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE public.service_processes SET seen_at = clock_timestamp() WHERE id = service
$$;
COMMENT ON FUNCTION report_running IS 'Reports that a service is running, with its id. A privilege of the writer.';
REVOKE ALL ON FUNCTION report_running FROM PUBLIC;
COMMENT ON FUNCTION count_legacy_calls IS 'Adds to the counts of calls. api_key is the id of a key, its SHA-256 in hex, or null. A privilege of the writer.';
`)
}

export { down } from '../migrate/forward-only'
