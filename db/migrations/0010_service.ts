/** The state that all processes of the service share. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE service (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  cursor_secret bytea NOT NULL CHECK (octet_length(cursor_secret) = 32),
  demo_loaded_at timestamptz(3),
  legacy_counted_from timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE service IS 'One row of state that all processes of the service share.';
COMMENT ON COLUMN service.cursor_secret IS 'Signs the cursors of lists.';
COMMENT ON COLUMN service.demo_loaded_at IS 'When the demo data set was loaded completely; null: never.';
COMMENT ON COLUMN service.legacy_counted_from IS 'Since when calls of the legacy interface are counted.';
INSERT INTO service (cursor_secret) VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
`)
}

export { down } from '../migrate/forward-only'
