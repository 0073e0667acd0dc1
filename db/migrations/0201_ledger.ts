/**
 * The tables of the ledger: what the totals of local days were before they changed, when the day was over, and the months that are
 * closed. Triggers note what a transaction overwrites.
 */
import type { Knex } from 'knex'
import { protectTables, showToCompanies, showWhereExists } from '../migrate/row-level-security'

const GROUPS = '12_17 18_24 25_34 35_44 45_54 55_64 65 unknown'
  .split(' ')
  .flatMap(age => ['male', 'female', 'unknown'].map(gender => `coalesce(d.${gender}_${age}, 0)::bigint`))
  .join(' + ')

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE companies ADD COLUMN final_through date;
COMMENT ON COLUMN companies.final_through IS 'The last day of the last closed month; null without one.';

CREATE TABLE revisions (
  number bigint PRIMARY KEY,
  reason text COLLATE "C" NOT NULL CHECK (reason IN ('import', 'deletion', 'set_aside', 'restored', 'move', 'time_zone', 'zone_rules',
    'repair', 'begin')),
  note text CHECK (char_length(note) BETWEEN 1 AND 500),
  note_is_public boolean NOT NULL DEFAULT false,
  operation bigint
);
COMMENT ON TABLE revisions IS 'Transactions that changed days that were over, or installations. The first one is the beginning of the ledger.';
COMMENT ON COLUMN revisions.number IS 'As in feed_transactions, which keeps only the last million.';
COMMENT ON COLUMN revisions.note IS 'The reason that the operator gave.';
COMMENT ON COLUMN revisions.operation IS 'The record in operations; null without one.';
INSERT INTO revisions (number, reason) VALUES (to_microseconds(clock_timestamp()), 'begin');

CREATE TABLE restatements (
  asset integer NOT NULL REFERENCES assets (number) ON DELETE CASCADE,
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  date date NOT NULL,
  revision bigint NOT NULL REFERENCES revisions (number),
  total_before bigint,
  total_after bigint,
  observed_before integer,
  observed_after integer,
  final boolean NOT NULL,
  PRIMARY KEY (asset, kind, date, revision)
);
COMMENT ON TABLE restatements IS 'Changes of the stored total of a local day that was over and had had a value, or of its observed intervals.';
COMMENT ON COLUMN restatements.total_before IS 'Null: nothing, as in the other columns.';
COMMENT ON COLUMN restatements.observed_before IS 'Native intervals with a count; of impressions.';
COMMENT ON COLUMN restatements.final IS 'Whether the month was closed.';
CREATE INDEX ON restatements (company, revision);
CREATE INDEX ON restatements (revision);

CREATE TABLE late_days (
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  from_date date NOT NULL,
  to_date date NOT NULL CHECK (to_date >= from_date),
  revision bigint NOT NULL REFERENCES revisions (number),
  assets int4multirange NOT NULL,
  PRIMARY KEY (company, kind, to_date, from_date, revision)
);
COMMENT ON TABLE late_days IS 'Days whose first value came when they were over already: until then they had none.';
COMMENT ON COLUMN late_days.assets IS 'Their numbers. Those of deleted assets may be among them.';
CREATE INDEX ON late_days (company, revision);
CREATE INDEX ON late_days (revision);

CREATE TABLE installation_revisions (
  asset integer NOT NULL REFERENCES assets (number) ON DELETE CASCADE,
  company integer NOT NULL,
  revision bigint NOT NULL REFERENCES revisions (number),
  installations json NOT NULL,
  rules integer NOT NULL REFERENCES zone_rules (number),
  PRIMARY KEY (asset, revision)
);
COMMENT ON TABLE installation_revisions IS 'The installations of an asset, and the rules of its time zone, until a transaction changed them: as in assets.';
CREATE INDEX ON installation_revisions (company, revision);
CREATE INDEX ON installation_revisions (revision);

CREATE UNLOGGED TABLE former_days (
  kind text NOT NULL,
  asset integer NOT NULL,
  date date NOT NULL,
  total bigint NOT NULL,
  observed integer,
  PRIMARY KEY (kind, asset, date)
);
COMMENT ON TABLE former_days IS 'Totals that the running transaction replaces; empty otherwise.';

CREATE UNLOGGED TABLE former_installations (
  asset integer PRIMARY KEY,
  installations json NOT NULL,
  rules integer NOT NULL
);
COMMENT ON TABLE former_installations IS 'Installations and rules of time zones that the running transaction replaces; empty otherwise. Set by trigger.';

CREATE FUNCTION ledger_begins() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT min(number) FROM public.revisions WHERE reason = 'begin'
$$;
COMMENT ON FUNCTION ledger_begins IS 'The number of the transaction from which on the ledger knows what was.';
REVOKE ALL ON FUNCTION ledger_begins FROM PUBLIC;

CREATE FUNCTION first_open_day(rules integer, instant timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT coalesce(local_date(rules, instant - interval '6 hours'), ((instant - interval '6 hours') AT TIME ZONE 'UTC')::date)
$$;
COMMENT ON FUNCTION first_open_day IS 'The first local day that is not over at an instant by rules of a time zone, or by those of UTC without any: a day is over six hours after its end.';

CREATE FUNCTION sum_of_groups(d demographic_days) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT ${GROUPS}
$$;
COMMENT ON FUNCTION sum_of_groups IS 'The total of a day of demographics.';

CREATE FUNCTION sum_of_origins(packed bytea) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT sum(('x' || lpad(encode(substring(packed FROM at + place_width FOR count_width), 'hex'), 16, '0'))::bit(64)::bigint)::bigint
  FROM (SELECT get_byte(packed, 0) / 16, get_byte(packed, 0) % 16) AS w (place_width, count_width),
    generate_series(2, octet_length(packed), place_width + count_width) AS at
$$;
COMMENT ON FUNCTION sum_of_origins IS 'The total of a day of origins, as it is packed.';

CREATE OR REPLACE FUNCTION touch_facts() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO touched (kind, asset, company, month, from_date, to_date)
      SELECT TG_ARGV[0], asset, company, month_number(date), min(date), max(date)
      FROM after GROUP BY asset, company, month_number(date);
  END IF;
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    INSERT INTO touched (kind, asset, company, month, from_date, to_date)
      SELECT TG_ARGV[0], asset, company, month_number(date), min(date), max(date)
      FROM before GROUP BY asset, company, month_number(date);
    IF TG_ARGV[0] = 'demographics' THEN
      INSERT INTO former_days (kind, asset, date, total)
        SELECT 'demographics', asset, date, sum_of_groups(ROW (before.*)::demographic_days) FROM before
        ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION note_former_origins() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
-- As in touch_origins.
SET enable_nestloop = off AS $$
BEGIN
  INSERT INTO former_days (kind, asset, date, total)
    SELECT 'origins', asset, month + day::integer - 1, sum_of_origins(packed)
    FROM before, unnest(days) WITH ORDINALITY AS d (packed, day)
    WHERE packed IS NOT NULL AND EXISTS (SELECT FROM touched t WHERE t.kind = 'origins' AND t.asset = before.asset
      AND before.month + day::integer - 1 BETWEEN from_date AND to_date)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION note_former_origins IS 'Notes the totals of touched days. By its name it runs after touch_origins.';
CREATE TRIGGER touched_origins_on_update AFTER UPDATE ON origin_months REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_origins();
CREATE TRIGGER touched_origins_on_delete AFTER DELETE ON origin_months REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_origins();

CREATE FUNCTION note_former_installations() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Not by a join, as in touch_sensors.
  INSERT INTO former_installations
    SELECT number, installations::json, rules FROM (
      SELECT number, installations::text, rules FROM before EXCEPT SELECT number, installations::text, rules FROM after) AS changed
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_former_installations AFTER UPDATE ON assets REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_installations();

${protectTables('revisions', 'restatements', 'late_days', 'installation_revisions', 'former_days', 'former_installations')}
${showToCompanies('restatements', 'late_days', 'installation_revisions')}
${showWhereExists('revisions', 'restatements', 'other.revision = number')}`)
}

export { down } from '../migrate/forward-only'
