-- State that all processes of the service share: secrets, locks, the history of operations, running processes, and the
-- calls of the legacy interface, counted to learn when it can be retired.

CREATE TABLE service (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  cursor_secret bytea NOT NULL CHECK (octet_length(cursor_secret) = 32),
  demo_loaded_at timestamptz(3),
  legacy_counted_from timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON COLUMN service.cursor_secret IS 'Signs the cursors of lists.';
INSERT INTO service (cursor_secret) VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

CREATE TABLE locks (
  name text COLLATE "C" PRIMARY KEY
);
COMMENT ON TABLE locks IS
  'Rows that a process locks: import before all else, where it imports; feed when it commits (finish_transaction). '
  'Only the owner has access, whereas any login can take an advisory lock.';
INSERT INTO locks (name) VALUES ('import'), ('feed');

CREATE TABLE operations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  account text NOT NULL CHECK (char_length(account) BETWEEN 1 AND 200),
  command text COLLATE "C" NOT NULL CHECK (char_length(command) BETWEEN 1 AND 50),
  details json NOT NULL,
  figures json NOT NULL
);
CREATE INDEX ON operations (command, id);
COMMENT ON TABLE operations IS
  'What operators changed: imports, deletions, repairs, keys. Written in the transaction that made the change. Only '
  'the owner has access.';
COMMENT ON COLUMN operations.account IS 'The account of the operating system that ran the command.';

CREATE TABLE service_processes (
  id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL CHECK (char_length(host) BETWEEN 1 AND 255),
  pid integer NOT NULL,
  url text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 500),
  version text NOT NULL CHECK (char_length(version) BETWEEN 1 AND 50),
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE service_processes IS
  'The running services. One that was killed leaves its row, which the next start deletes.';

CREATE TABLE legacy_calls (
  date date NOT NULL,
  api_key text COLLATE "C" REFERENCES api_keys (id),
  route text COLLATE "C" NOT NULL CHECK (char_length(route) BETWEEN 1 AND 200),
  calls bigint NOT NULL CHECK (calls > 0),
  last_called_at timestamptz(3) NOT NULL,
  UNIQUE NULLS NOT DISTINCT (date, api_key, route)
);
COMMENT ON TABLE legacy_calls IS 'Calls of the legacy interface by day (UTC), key and route.';
COMMENT ON COLUMN legacy_calls.api_key IS
  'Deactivated keys too. Null: without a key, or with one that was never issued.';
-- Without a primary key, logical replication needs it.
ALTER TABLE legacy_calls REPLICA IDENTITY FULL;
