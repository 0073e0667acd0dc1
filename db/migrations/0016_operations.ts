/** What operators changed: the audit trail that `partner-metrics history` prints. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE operations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  account text NOT NULL CHECK (char_length(account) BETWEEN 1 AND 200),
  command text COLLATE "C" NOT NULL CHECK (char_length(command) BETWEEN 1 AND 50),
  details json NOT NULL,
  figures json NOT NULL
);
CREATE INDEX ON operations (command, id);
COMMENT ON TABLE operations IS 'What operators changed: imports, deletions, repairs, keys. Written in the transaction that made the change. Only the owner has access.';
COMMENT ON COLUMN operations.account IS 'The account of the operating system that ran the command.';
COMMENT ON COLUMN operations.command IS 'The command without its arguments, e.g. import impressions.';
COMMENT ON COLUMN operations.details IS 'The arguments and options of the command.';
COMMENT ON COLUMN operations.figures IS 'How much was changed.';
ALTER TABLE operations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON operations TO CURRENT_USER USING (true) WITH CHECK (true);
`)
}

export { down } from '../migrate/forward-only'
