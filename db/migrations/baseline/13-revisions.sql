-- The transactions that changed days that were over: why, and who.

CREATE TABLE revisions (
  number bigint PRIMARY KEY,
  reason text COLLATE "C" NOT NULL CHECK (reason IN ('import', 'deletion', 'set_aside', 'restored', 'move', 'time_zone', 'zone_rules',
    'repair', 'begin')),
  note text CHECK (char_length(note) BETWEEN 1 AND 500),
  note_is_public boolean NOT NULL DEFAULT false,
  operation bigint
);
COMMENT ON TABLE revisions IS 'Transactions that changed days that were over. The first one is the beginning of the ledger.';
COMMENT ON COLUMN revisions.number IS 'As in feed_transactions, which keeps only the last million.';
COMMENT ON COLUMN revisions.note IS 'The reason that the operator gave.';
COMMENT ON COLUMN revisions.operation IS 'The record in operations; null without one.';
INSERT INTO revisions (number, reason) VALUES (to_microseconds(clock_timestamp()), 'begin');

CREATE FUNCTION ledger_begins() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT min(number) FROM public.revisions WHERE reason = 'begin'
$$;
COMMENT ON FUNCTION ledger_begins IS 'The number of the transaction from which on the ledger knows what was.';
REVOKE ALL ON FUNCTION ledger_begins FROM PUBLIC;

CREATE FUNCTION first_open_day(rules integer, instant timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT coalesce(local_date(rules, instant - interval '6 hours'), ((instant - interval '6 hours') AT TIME ZONE 'UTC')::date)
$$;
COMMENT ON FUNCTION first_open_day IS 'The first local day that is not over at an instant by rules of a time zone, or by those of UTC without any: a day is over six hours after its end.';
