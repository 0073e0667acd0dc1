/**
 * At its commit, a transaction that changed the feed records the days whose coverage is changed by the installations that it
 * changed, and takes its number.
 */
import type { Knex } from 'knex'
import { RETURN_WITHOUT_ROWS, statementTriggers } from '../migrate/statement-triggers'

/** Positions that are more transactions old than this are no longer recognised. */
const MAX_TRANSACTIONS = 1_000_000

/** SQL that adds the periods of a transition table of installations to those that the transaction has changed. */
const addPeriods = (table: string): string => `
    INSERT INTO changed_installations AS c (transaction, asset, sensor, native_minutes, periods)
    SELECT current, asset, sensor, native_minutes, range_agg(tstzrange(installed_at, removed_at)) FROM ${table} GROUP BY 2, 3, 4
    ON CONFLICT (transaction, asset, sensor, native_minutes)
      -- A period that is taken away and added again is no change.
      DO UPDATE SET periods = (c.periods - excluded.periods) + (excluded.periods - c.periods);`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE changed_installations (
  transaction bigint NOT NULL,
  asset integer NOT NULL,
  sensor integer NOT NULL,
  native_minutes smallint NOT NULL,
  periods tstzmultirange NOT NULL,
  PRIMARY KEY (transaction, asset, sensor, native_minutes)
);
COMMENT ON TABLE changed_installations IS 'Periods in which sensors were added or taken away, within a transaction. Empty when it has committed.';
ALTER TABLE changed_installations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON changed_installations TO CURRENT_USER USING (true) WITH CHECK (true);

CREATE FUNCTION record_changed_installations() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  current bigint;
BEGIN
  ${RETURN_WITHOUT_ROWS}
  current = feed_transaction();
  IF TG_OP IN ('UPDATE', 'DELETE') THEN${addPeriods('before')}
  END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN${addPeriods('after')}
  END IF;
  RETURN NULL;
END $$;
${statementTriggers('installations', 'record_changed_installations')}

CREATE FUNCTION record_coverage_changes(changed_in bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM record_changes('impressions', array_agg(asset), array_agg(date)) FROM (
    SELECT changed.asset, unnest(ARRAY[greatest(first, begins), least(last, (begins + interval '1 month')::date - 1)]) AS date
    FROM (
      SELECT a.number AS asset, (lower(period) AT TIME ZONE a.time_zone)::date AS first,
        ((upper(period) - interval '1 millisecond') AT TIME ZONE a.time_zone)::date AS last
      FROM changed_installations c CROSS JOIN unnest(c.periods) AS period JOIN assets a ON a.number = c.asset
      WHERE c.transaction = changed_in
    ) AS changed
    -- A bucket without counts has the coverage 0 whatever is installed. Weeks and quarters with counts include days of
    -- months without.
    JOIN LATERAL (
      SELECT DISTINCT near.month FROM asset_months c CROSS JOIN generate_series(c.month - 2, c.month + 2) AS near (month)
      WHERE c.asset = changed.asset AND c.impressions IS NOT NULL
        AND (near.month / 3 = c.month / 3 OR abs(near.month - c.month) <= 1)
    ) AS m ON m.month >= month_number(first) AND (last IS NULL OR m.month <= month_number(last))
    CROSS JOIN make_date(m.month / 12, m.month % 12 + 1, 1) AS begins
  ) AS days;
  DELETE FROM changed_installations WHERE transaction = changed_in;
END $$;
COMMENT ON FUNCTION record_coverage_changes IS 'Records the days whose coverage is changed by the installations that a transaction has changed.';

CREATE FUNCTION number_feed_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  next bigint;
BEGIN
  PERFORM record_coverage_changes(NEW.id);
  -- Until the transaction has committed, so that numbers are in the order of commits. Nothing may wait behind this lock.
  PERFORM FROM locks WHERE name = 'feed' FOR UPDATE;
  next = (SELECT max(number) FROM feed_transactions) + 1;
  UPDATE feed_transactions SET number = next WHERE id = NEW.id;
  DELETE FROM feed_transactions WHERE number <= next - ${MAX_TRANSACTIONS};
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER number_feed_transaction AFTER INSERT ON feed_transactions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION number_feed_transaction();
`)
}

export { down } from '../migrate/forward-only'
