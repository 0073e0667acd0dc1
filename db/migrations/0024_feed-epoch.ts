/**
 * Positions in the feed of changes that a restored database recognises as not its own. Every transaction that changes the
 * feed gets a number, in the order of commits, and a random mark. A position is the number and mark of the last transaction
 * that its reader saw: without this mark, the database has lost what the reader has. Later transactions are what has changed.
 */
import type { Knex } from 'knex'
import { RETURN_WITHOUT_ROWS } from '../migrate/statement-triggers'

const KEY = "company, asset_id, (kind <> 'removed'), kind, month"

const IS_SAME = 'c.transaction = excluded.transaction'
const IS_WITHIN = 'c.from_date <= excluded.from_date AND c.to_date >= excluded.to_date'

/** SQL of a column of the last change: days that it extends, or that it repeats. */
const last = (column: string, extend: string): string =>
  `${column} = CASE WHEN ${IS_SAME} THEN ${extend}(c.${column}, excluded.${column}) WHEN ${IS_WITHIN} THEN c.${column} ELSE excluded.${column} END`

/** SQL of a column of the changes before, to which the last one was added. */
const earlier = (column: string, added: string): string =>
  `${column} = CASE WHEN ${IS_SAME} OR ${IS_WITHIN} THEN c.${column} ELSE ${added} END`

/** The columns of an asset that the API shows. */
const RECORD = `number, id, legacy_id, company_id, name, description, media_type, format, venue_type_id, status, indoors,
    facing_degrees, width_m, height_m, latitude, longitude, address, city, region, postal_code, country, time_zone,
    sensor_ids, sensor_minutes`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
INSERT INTO locks VALUES ('feed');
COMMENT ON TABLE locks IS 'Rows that a process locks while it imports, loads the demo, or commits changes of the feed. Only the owner has access, whereas any login can take an advisory lock.';

CREATE TABLE feed_transactions (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  number bigint UNIQUE,
  xid xid8 NOT NULL,
  mark uuid NOT NULL DEFAULT gen_random_uuid()
);
COMMENT ON TABLE feed_transactions IS 'Transactions that changed the feed, at least the last million.';
COMMENT ON COLUMN feed_transactions.number IS 'In the order of commits; set when the transaction commits.';
COMMENT ON COLUMN feed_transactions.xid IS 'Distinguishes transactions that are running. Those of a restored dump have any.';
COMMENT ON COLUMN feed_transactions.mark IS 'Differs between a database and a restored copy of it, where a transaction has the same number in both.';
CREATE UNIQUE INDEX ON feed_transactions (xid) WHERE number IS NULL;
ALTER TABLE feed_transactions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON feed_transactions TO CURRENT_USER USING (true) WITH CHECK (true);

-- All changes before belong to one transaction.
INSERT INTO feed_transactions (number, xid) VALUES (1, pg_current_xact_id());

DROP TRIGGER base_versions_changed ON asset_versions;
DROP FUNCTION base_versions_changed, feed_position, lost_assets, scope_proof, record_changes;
ALTER TABLE changes
  DROP CONSTRAINT changes_pkey,
  DROP COLUMN xid,
  DROP COLUMN earlier_xid,
  ADD COLUMN transaction bigint,
  ADD COLUMN earlier_transaction bigint,
  ADD COLUMN created_in bigint;
UPDATE changes SET transaction = 1, earlier_transaction = CASE WHEN earlier_changed_at IS NOT NULL THEN 1 END,
  created_in = CASE WHEN kind IN ('asset', 'removed') THEN 1 END;
ALTER TABLE changes ALTER COLUMN transaction SET NOT NULL;
COMMENT ON COLUMN changes.transaction IS 'The transaction of the last change.';
COMMENT ON COLUMN changes.earlier_transaction IS 'The last transaction of the changes before.';
COMMENT ON COLUMN changes.created_in IS 'The transaction that created the asset, or the first one of this id; of the kinds asset and removed.';
CREATE INDEX ON changes (company, transaction);
-- In the order of the feed: what an asset has now comes after its removal.
CREATE UNIQUE INDEX ON changes (${KEY});

CREATE FUNCTION feed_transaction() RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  current bigint;
BEGIN
  SELECT t.id INTO current FROM feed_transactions t WHERE xid = pg_current_xact_id() AND number IS NULL;
  IF NOT FOUND THEN
    INSERT INTO feed_transactions (xid) VALUES (pg_current_xact_id()) RETURNING feed_transactions.id INTO current;
  END IF;
  RETURN current;
END $$;
COMMENT ON FUNCTION feed_transaction IS 'The id of this transaction in the feed.';

CREATE FUNCTION record_changes(changed_kind text, changed_assets integer[], changed_dates date[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  current bigint;
BEGIN
  -- Statements that change no record are no change.
  IF coalesce(changed_assets, '{}') = '{}' THEN RETURN; END IF;
  current = feed_transaction();
  INSERT INTO changes AS c (company, asset_id, kind, month, from_date, to_date, transaction, changed_at, created_in)
    SELECT a.company, a.id, changed_kind, coalesce(month_number(date), 0), min(date), max(date),
      current, statement_timestamp(), CASE changed_kind WHEN 'asset' THEN current END
    FROM unnest(changed_assets, changed_dates) AS changed (asset, date) JOIN assets a ON a.number = asset
    -- Always in this order, so that concurrent transactions do not deadlock.
    GROUP BY 1, 2, 4 ORDER BY 1, 2, 4
  ON CONFLICT (${KEY}) DO UPDATE SET
    transaction = excluded.transaction, changed_at = excluded.changed_at,
    ${last('from_date', 'least')},
    ${last('to_date', 'greatest')},
    ${earlier('earlier_transaction', 'c.transaction')},
    ${earlier('earlier_changed_at', 'c.changed_at')},
    ${earlier('earlier_from', 'least(c.from_date, c.earlier_from)')},
    ${earlier('earlier_to', 'greatest(c.to_date, c.earlier_to)')};
END $$;
COMMENT ON FUNCTION record_changes IS 'Merges changes into the feed: of records, or of days of assets.';

CREATE OR REPLACE FUNCTION record_change_of_all_days(changed_kind text, changed_assets integer[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  current bigint = feed_transaction();
BEGIN
  UPDATE changes SET transaction = current, changed_at = statement_timestamp(),
    from_date = least(from_date, earlier_from), to_date = greatest(to_date, earlier_to),
    earlier_transaction = NULL, earlier_changed_at = NULL, earlier_from = NULL, earlier_to = NULL
  WHERE kind = changed_kind
    AND (company, asset_id) IN (SELECT company, id FROM assets WHERE number = ANY (changed_assets));
END $$;

CREATE OR REPLACE FUNCTION record_time_zone_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM record_base_change(ARRAY[NEW.number]);
  PERFORM record_change_of_all_days('impressions', ARRAY[NEW.number]);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_asset_changes() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  current bigint;
BEGIN
  ${RETURN_WITHOUT_ROWS}
  IF TG_OP = 'DELETE' THEN
    current = feed_transaction();
    WITH deleted AS (
      DELETE FROM changes WHERE (company, asset_id) IN (SELECT company, id FROM before) AND kind <> 'removed'
      RETURNING company, asset_id, kind, created_in
    )
    INSERT INTO changes (company, asset_id, kind, month, transaction, changed_at, created_in)
      SELECT company, asset_id, 'removed', 0, current, statement_timestamp(), created_in FROM deleted WHERE kind = 'asset'
      ORDER BY company, asset_id
    ON CONFLICT (${KEY}) DO UPDATE SET transaction = excluded.transaction, changed_at = excluded.changed_at;
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM record_changes('asset', ARRAY(SELECT number FROM after), NULL);
  ELSE
    PERFORM record_changes('asset', ARRAY(
      SELECT number FROM (SELECT ${RECORD} FROM after EXCEPT SELECT ${RECORD} FROM before) AS after_only), NULL);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION scope_proof(companies integer[], number bigint) RETURNS text LANGUAGE sql SET search_path = public, pg_temp AS $$
  SELECT encode(substr(sha256(cursor_secret || sha256(cursor_secret || convert_to(companies::text || number, 'UTF8'))), 1, 18), 'base64')
  FROM service
$$;
REVOKE ALL ON FUNCTION scope_proof FROM PUBLIC;

CREATE FUNCTION feed_position(OUT epoch text, OUT number bigint, OUT mark uuid, OUT companies integer[], OUT proof text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Not the setting itself, which a login can change for its own sessions.
  SELECT concat_ws('.', s.system_identifier, d.oid, (
      SELECT split_part(setting, '=', 2) FROM pg_db_role_setting r CROSS JOIN unnest(r.setconfig) AS setting
      WHERE r.setdatabase = d.oid AND r.setrole = 0 AND setting LIKE 'partner_metrics.epoch=%'
    )) INTO epoch
    FROM pg_control_system() s, pg_database d WHERE d.datname = current_database();
  SELECT t.number, t.mark INTO number, mark FROM public.feed_transactions t WHERE t.number IS NOT NULL ORDER BY t.number DESC LIMIT 1;
  companies = ARRAY(SELECT unnest(public.companies_in_scope()) ORDER BY 1);
  proof = public.scope_proof(companies, number);
END $$;
COMMENT ON FUNCTION feed_position IS 'Up to where the feed of changes can be read now, and a proof of the key''s scope.';
REVOKE ALL ON FUNCTION feed_position FROM PUBLIC;

CREATE FUNCTION has_feed_position(number bigint, mark uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM public.feed_transactions t WHERE (t.number, t.mark) = ($1, $2))
$$;
COMMENT ON FUNCTION has_feed_position IS 'Whether the database has what the reader of a position has seen.';
REVOKE ALL ON FUNCTION has_feed_position FROM PUBLIC;

CREATE FUNCTION feed_transactions_after(number bigint) RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT t.id FROM public.feed_transactions t WHERE t.number > $1
$$;
REVOKE ALL ON FUNCTION feed_transactions_after FROM PUBLIC;

CREATE FUNCTION lost_assets(companies integer[], number bigint, proof text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost integer[] = ARRAY(SELECT unnest(companies) EXCEPT SELECT unnest(public.companies_in_scope()));
BEGIN
  IF lost = '{}' OR proof IS DISTINCT FROM public.scope_proof(companies, number) THEN RETURN; END IF;
  RETURN QUERY
    WITH later AS MATERIALIZED (SELECT t AS id FROM public.feed_transactions_after(lost_assets.number) AS t),
    existing AS (
      SELECT c.asset_id, c.created_in FROM public.assets a
        JOIN public.changes c ON (c.company, c.asset_id, c.kind, c.month) = (a.company, a.id, 'asset', 0)
        WHERE a.company = ANY (lost)
      UNION ALL
      SELECT c.asset_id, c.created_in FROM public.changes c
        WHERE c.company = ANY (lost) AND c.kind = 'removed' AND c.transaction IN (SELECT later.id FROM later)
    )
    SELECT DISTINCT asset_id FROM existing WHERE created_in NOT IN (SELECT later.id FROM later);
END $$;
COMMENT ON FUNCTION lost_assets IS 'Assets that existed at a position, of companies that were in the scope of its key, by the proof of that, and no longer are.';
REVOKE ALL ON FUNCTION lost_assets FROM PUBLIC;
`)
}

export { down } from '../migrate/forward-only'
