/**
 * Data versions: triggers that record in an asset which of its months change, so that an answer can be revalidated
 * without reading counts. They run in the transaction of the change, whichever program makes it.
 */
import type { Knex } from 'knex'
import { statementTriggers } from '../migrate/statement-triggers'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION month_number(date) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(year FROM $1) * 12 + extract(month FROM $1) - 1)::integer
$$;
COMMENT ON FUNCTION month_number IS 'Months since year 0: the subscript of assets.month_versions.';

CREATE FUNCTION set_month_versions(versions bigint[], months integer[], version bigint) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  month integer;
BEGIN
  FOREACH month IN ARRAY months LOOP versions[month] = version; END LOOP;
  -- A month without changes between two others: 0, because a comparison with all elements must not meet a null.
  RETURN array_replace(versions, NULL, 0);
END $$;

CREATE FUNCTION record_month_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  numbers integer[];
  months integer[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(asset), array_agg(month) INTO numbers, months FROM (
      SELECT DISTINCT asset, month_number(date) AS month FROM (SELECT DISTINCT asset, date FROM after) AS days) AS changed;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(asset), array_agg(month) INTO numbers, months FROM (
      SELECT DISTINCT asset, month_number(date) AS month FROM (SELECT DISTINCT asset, date FROM before) AS days) AS changed;
  ELSE
    SELECT array_agg(asset), array_agg(month) INTO numbers, months FROM (
      SELECT DISTINCT asset, month_number(date) AS month
      FROM (SELECT asset, date FROM before UNION SELECT asset, date FROM after) AS days) AS changed;
  END IF;
  -- Always in this order, so that concurrent transactions do not deadlock.
  PERFORM FROM assets WHERE number = ANY (numbers) ORDER BY number FOR NO KEY UPDATE;
  UPDATE assets AS a SET
    data_version = next_data_version(a.data_version, a.version_xid),
    month_versions = set_month_versions(a.month_versions, c.months, next_data_version(a.data_version, a.version_xid)),
    version_xid = pg_current_xact_id()
  FROM (
    SELECT asset, array_agg(month) AS months FROM unnest(numbers, months) AS u (asset, month) GROUP BY asset
  ) AS c
  WHERE a.number = c.asset AND NOT (a.version_xid = pg_current_xact_id()
    AND (SELECT bool_and(coalesce(a.month_versions[month] = a.data_version, false)) FROM unnest(c.months) AS month));
  RETURN NULL;
END $$;
COMMENT ON FUNCTION record_month_change() IS 'Records which months of which assets a statement changed, once per transaction.';
${['sensor_days', 'origins', 'demographic_days'].map(table => statementTriggers(table, 'record_month_change')).join('')}
`)
}

export { down } from '../migrate/forward-only'
