/** What all processes of the service share: the secret that signs cursors, and whether the demo was loaded. */
export const up = `
CREATE TABLE service (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  cursor_secret bytea NOT NULL CHECK (octet_length(cursor_secret) = 32),
  demo_loaded_at timestamptz(3)
);
INSERT INTO service (cursor_secret) VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
`
