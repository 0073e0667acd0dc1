/** Locks between processes that only the owner can take. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE locks (
  name text COLLATE "C" PRIMARY KEY
);
COMMENT ON TABLE locks IS 'Rows that a process locks while it imports or loads the demo. Only the owner has access, whereas any login can take an advisory lock.';
INSERT INTO locks VALUES ('import'), ('demo');
ALTER TABLE locks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON locks TO CURRENT_USER USING (true) WITH CHECK (true);
`)
}

export { down } from '../migrate/forward-only'
