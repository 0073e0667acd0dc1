/**
 * The feed of changes: what a copy of the data has to read again. Repeated changes are merged by asset, kind and month, so
 * that the feed never outgrows the data. Each row has the transaction that changed it last: a reader that remembers its
 * snapshot misses nothing, in whatever order transactions commit.
 */
import type { Knex } from 'knex'
import { RETURN_WITHOUT_ROWS, statementTriggers } from '../migrate/statement-triggers'

/** The columns of the records that the API shows. The health of a sensor is not part of its record. */
const RECORDS = {
  assets:
    `id legacy_id company_id name description media_type format venue_type_id status indoors facing_degrees width_m
    height_m latitude longitude address city region postal_code country time_zone sensor_ids sensor_minutes`.split(
      /\s+/,
    ),
  sensors: 'id serial model vendor_name native_minutes asset billable_state installed_at removed_at'.split(' '),
}

/** Kinds of changes with days, by table. */
const DATED = { sensor_days: 'impressions', origins: 'origins', demographic_days: 'demographics' }

/** Fires after the triggers that set columns: triggers of one event fire in the order of their names. */
const setUpdated = (table: keyof typeof RECORDS): string => {
  const record = (version: string) => RECORDS[table].map(column => `${version}.${column}`).join(', ')
  return `
COMMENT ON COLUMN ${table}.updated_at IS 'When the record last changed. Set by trigger.';
CREATE TRIGGER updated BEFORE UPDATE ON ${table}
  FOR EACH ROW WHEN ((${record('OLD')}) IS DISTINCT FROM (${record('NEW')})) EXECUTE FUNCTION set_updated_at();`
}

/** SQL of the rows of a transition table whose records are not the same in the other. */
const changedRecords = (column: string, table: keyof typeof RECORDS, side: string, other: string): string => {
  const columns = ['number', ...RECORDS[table]].join(', ')
  return `SELECT ${column} FROM (SELECT ${columns} FROM ${side} EXCEPT SELECT ${columns} FROM ${other}) AS ${side}_only`
}

const IS_SAME = 'c.xid = excluded.xid'
const IS_WITHIN = 'c.from_date <= excluded.from_date AND c.to_date >= excluded.to_date'

/** SQL of a column of the last change: days that it extends, or that it repeats. */
const last = (column: string, extend: string): string =>
  `${column} = CASE WHEN ${IS_SAME} THEN ${extend}(c.${column}, excluded.${column}) WHEN ${IS_WITHIN} THEN c.${column} ELSE excluded.${column} END`

/** SQL of a column of the changes before, to which the last one was added. */
const earlier = (column: string, added: string): string =>
  `${column} = CASE WHEN ${IS_SAME} OR ${IS_WITHIN} THEN c.${column} ELSE ${added} END`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE sensors ADD COLUMN updated_at timestamptz(3) NOT NULL DEFAULT now();
CREATE FUNCTION set_updated_at() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.updated_at = now();
  RETURN NEW;
END $$;
${setUpdated('assets')}
${setUpdated('sensors')}

CREATE TABLE changes (
  xid xid8 NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  earlier_xid xid8,
  earlier_changed_at timestamptz(3),
  company integer NOT NULL,
  month integer NOT NULL,
  from_date date,
  to_date date CHECK (to_date >= from_date),
  earlier_from date,
  earlier_to date,
  asset_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('asset', 'demographics', 'impressions', 'origins', 'removed', 'sensors')),
  PRIMARY KEY (company, asset_id, kind, month)
-- Room for new versions of rows beside the old ones.
) WITH (fillfactor = 70);
COMMENT ON TABLE changes IS 'What a copy of the data has to read again: changes merged by asset, kind and month. Set by trigger.';
COMMENT ON COLUMN changes.company IS 'Its number. That an asset was removed is listed after its company was deleted, too.';
COMMENT ON COLUMN changes.month IS 'Of local dates, since year 0; 0 for records.';
COMMENT ON COLUMN changes.xid IS 'The transaction of the last change.';
COMMENT ON COLUMN changes.from_date IS 'The days of the last change.';
COMMENT ON COLUMN changes.earlier_xid IS 'The last transaction of the changes before.';
COMMENT ON COLUMN changes.earlier_from IS 'All days of the changes before.';
CREATE INDEX ON changes (company, xid);
ALTER TABLE changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON changes TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON changes FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));

CREATE FUNCTION record_changes(changed_kind text, changed_assets integer[], changed_dates date[]) RETURNS void
LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO changes AS c (company, asset_id, kind, month, from_date, to_date, xid, changed_at)
    SELECT a.company, a.id, changed_kind, coalesce(month_number(date), 0), min(date), max(date),
      pg_current_xact_id(), statement_timestamp()
    FROM unnest(changed_assets, changed_dates) AS changed (asset, date) JOIN assets a ON a.number = asset
    -- Always in this order, so that concurrent transactions do not deadlock.
    GROUP BY 1, 2, 4 ORDER BY 1, 2, 4
  ON CONFLICT (company, asset_id, kind, month) DO UPDATE SET
    xid = excluded.xid, changed_at = excluded.changed_at,
    ${last('from_date', 'least')},
    ${last('to_date', 'greatest')},
    ${earlier('earlier_xid', 'c.xid')},
    ${earlier('earlier_changed_at', 'c.changed_at')},
    ${earlier('earlier_from', 'least(c.from_date, c.earlier_from)')},
    ${earlier('earlier_to', 'greatest(c.to_date, c.earlier_to)')}
$$;
COMMENT ON FUNCTION record_changes IS 'Merges changes into the feed: of records, or of days of assets.';

CREATE FUNCTION record_change_of_all_days(changed_kind text, changed_assets integer[]) RETURNS void
LANGUAGE sql SET search_path = public, pg_temp AS $$
  UPDATE changes SET xid = pg_current_xact_id(), changed_at = statement_timestamp(),
    from_date = least(from_date, earlier_from), to_date = greatest(to_date, earlier_to),
    earlier_xid = NULL, earlier_changed_at = NULL, earlier_from = NULL, earlier_to = NULL
  WHERE kind = changed_kind AND (company, asset_id) IN (SELECT company, id FROM assets WHERE number = ANY (changed_assets))
$$;
COMMENT ON FUNCTION record_change_of_all_days IS 'Records a change of all days of assets that have changed before.';

CREATE FUNCTION days_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  ${RETURN_WITHOUT_ROWS}
  IF TG_OP = 'TRUNCATE' THEN
    PERFORM record_change_of_all_days(TG_ARGV[0], ARRAY(SELECT number FROM assets));
  END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    PERFORM record_changes(TG_ARGV[0], array_agg(asset), array_agg(date)) FROM after;
  END IF;
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    PERFORM record_changes(TG_ARGV[0], array_agg(asset), array_agg(date)) FROM before;
  END IF;
  RETURN NULL;
END $$;
${Object.entries(DATED)
  .map(
    ([table, kind]) => `${statementTriggers(table, 'days_changed', `'${kind}'`)}
CREATE TRIGGER days_changed_on_truncate AFTER TRUNCATE ON ${table}
  FOR EACH STATEMENT EXECUTE FUNCTION days_changed('${kind}');`,
  )
  .join('')}

CREATE FUNCTION base_versions_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed_assets integer[] = ARRAY(SELECT asset FROM (
    SELECT asset, base_version FROM after EXCEPT SELECT asset, base_version FROM before) AS changed);
BEGIN
  IF changed_assets <> '{}' THEN PERFORM record_change_of_all_days('impressions', changed_assets); END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION base_versions_changed() IS 'A change of installations or of the time zone changes the coverage of any day.';
CREATE TRIGGER base_versions_changed AFTER UPDATE ON asset_versions REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION base_versions_changed();

CREATE FUNCTION record_asset_changes() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM changes WHERE (company, asset_id) IN (SELECT company, id FROM before);
    INSERT INTO changes (company, asset_id, kind, month, xid, changed_at)
      SELECT company, id, 'removed', 0, pg_current_xact_id(), statement_timestamp() FROM before
      ORDER BY company, id;
  ELSIF TG_OP = 'INSERT' THEN
    DELETE FROM changes WHERE kind = 'removed' AND (company, asset_id) IN (SELECT company, id FROM after);
    PERFORM record_changes('asset', ARRAY(SELECT number FROM after), NULL);
  ELSE
    PERFORM record_changes('asset', ARRAY(${changedRecords('number', 'assets', 'after', 'before')}), NULL);
  END IF;
  RETURN NULL;
END $$;
${statementTriggers('assets', 'record_asset_changes')}

CREATE FUNCTION record_sensor_changes() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM record_changes('sensors', ARRAY(SELECT asset FROM before), NULL);
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM record_changes('sensors', ARRAY(SELECT asset FROM after), NULL);
  ELSE
    PERFORM record_changes('sensors', ARRAY(
      ${changedRecords('asset', 'sensors', 'after', 'before')} UNION ALL
      ${changedRecords('asset', 'sensors', 'before', 'after')}), NULL);
  END IF;
  RETURN NULL;
END $$;
${statementTriggers('sensors', 'record_sensor_changes')}

CREATE FUNCTION scope_proof(companies integer[], at bigint) RETURNS text LANGUAGE sql SET search_path = public, pg_temp AS $$
  SELECT encode(substr(sha256(cursor_secret || sha256(cursor_secret || convert_to(companies::text || at, 'UTF8'))), 1, 18), 'base64')
  FROM service
$$;
REVOKE ALL ON FUNCTION scope_proof FROM PUBLIC;

CREATE FUNCTION feed_position(OUT cluster text, OUT snapshot text, OUT at bigint, OUT companies integer[], OUT proof text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  cluster = (SELECT system_identifier FROM pg_control_system()) || '.' || (SELECT timeline_id FROM pg_control_checkpoint());
  snapshot = pg_current_snapshot();
  at = public.to_microseconds(statement_timestamp());
  companies = ARRAY(SELECT unnest(public.companies_in_scope()) ORDER BY 1);
  proof = public.scope_proof(companies, at);
END $$;
COMMENT ON FUNCTION feed_position IS 'Up to where the feed of changes can be read now, and a proof of the key''s scope.';
REVOKE ALL ON FUNCTION feed_position FROM PUBLIC;

CREATE FUNCTION lost_assets(companies integer[], at bigint, proof text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost integer[] = ARRAY(SELECT unnest(companies) EXCEPT SELECT unnest(public.companies_in_scope()));
BEGIN
  IF lost = '{}' OR proof IS DISTINCT FROM public.scope_proof(companies, at) THEN RETURN; END IF;
  RETURN QUERY
    SELECT a.id FROM public.assets a WHERE a.company = ANY (lost) AND public.to_microseconds(a.created_at) <= at
    UNION
    SELECT c.asset_id FROM public.changes c WHERE c.company = ANY (lost) AND c.kind = 'removed';
END $$;
COMMENT ON FUNCTION lost_assets IS 'Assets of companies that were in the scope of a key at an instant, by the proof of that, and no longer are.';
REVOKE ALL ON FUNCTION lost_assets FROM PUBLIC;

SELECT record_changes('asset', array_agg(number), NULL) FROM assets;
SELECT record_changes('sensors', array_agg(asset), NULL) FROM sensors;
${Object.entries(DATED)
  .map(
    ([table, kind]) =>
      `SELECT record_changes('${kind}', array_agg(asset), array_agg(date)) FROM ${table} GROUP BY asset / 100;`,
  )
  .join('\n')}
`)
}

export { down } from '../migrate/forward-only'
