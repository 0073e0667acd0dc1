/**
 * When what an asset's impressions, origins and demographics are told from changed last. One row an asset and month of
 * local days, and two besides: month '-infinity' for what changes every range (installations, the time zone), 'infinity'
 * for a change of any kind, which is never older than the others. Kept by triggers, in the transaction that makes the change, so that no way of writing can
 * forget it. An instant stands for one change only, to the second: two changes within a second are told a second apart.
 */
const touch = (month: string, touched: string) => `
  WITH touched AS MATERIALIZED (
    SELECT DISTINCT asset, company, ${month} AS month FROM (${touched}) AS t WHERE asset IS NOT NULL
  ), change AS (
    INSERT INTO asset_versions AS v (asset, company, month, changed_at)
    SELECT DISTINCT asset, company, 'infinity'::date, statement_timestamp() FROM touched ORDER BY asset
    ON CONFLICT (asset, month) DO UPDATE SET changed_by = DEFAULT, changed_at = CASE
      WHEN v.changed_by = pg_current_xact_id() THEN greatest(excluded.changed_at, v.changed_at)
      ELSE greatest(excluded.changed_at, date_trunc('second', v.changed_at) + interval '1 second') END
    RETURNING asset, changed_at
  )
  INSERT INTO asset_versions (asset, company, month, changed_at)
  SELECT asset, company, month, changed_at FROM touched JOIN change USING (asset) ORDER BY asset, month
  ON CONFLICT (asset, month) DO UPDATE SET changed_at = excluded.changed_at;
`

const fn = (name: string, body: string) => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  ${body}
  RETURN NULL;
END $$;
`

const AFTER = {
  INSERT: 'NEW TABLE AS after',
  UPDATE: 'OLD TABLE AS before NEW TABLE AS after',
  DELETE: 'OLD TABLE AS before',
}

type Event = keyof typeof AFTER

const trigger = (table: string, event: Event, call: string) => `
CREATE TRIGGER touch_on_${event.toLowerCase()} AFTER ${event} ON ${table} REFERENCING ${AFTER[event]}
  FOR EACH STATEMENT EXECUTE FUNCTION ${call}();
`

const EVERY_RANGE = `'-infinity'::date`

const MONTH = `date_trunc('month', date)::date`

/** A table of facts by day: each change touches the month of its day. */
const facts = ['sensor_days', 'origins', 'demographic_days']
  .map(
    table =>
      trigger(table, 'INSERT', 'touch_months_after') +
      trigger(table, 'UPDATE', 'touch_months_after') +
      trigger(table, 'DELETE', 'touch_months_before'),
  )
  .join('')

/** What of a sensor says where and how it counts; its health does not. */
const COUNTING = ['asset', 'native_minutes', 'counting_from', 'removed_at']

/** The assets of rows, as they were (b) or are (a), in which one of these columns has changed. */
const changed = (of: 'a' | 'b', columns: string[], asset = 'asset') => `
  SELECT ${asset === 'number' ? asset : `${of}.${asset}`} AS asset, ${of}.company FROM before b JOIN after a USING (number)
  WHERE (${columns.map(column => `b.${column}`)}) IS DISTINCT FROM (${columns.map(column => `a.${column}`)})`

export const up = `
CREATE TABLE asset_versions (
  asset integer NOT NULL,
  month date NOT NULL,
  company integer NOT NULL,
  changed_at timestamptz NOT NULL,
  changed_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (asset, month),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company)
);
ALTER TABLE asset_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE asset_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON asset_versions TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY presented_key ON asset_versions FOR SELECT
  USING (company = ANY ((SELECT companies_of_presented_key())::integer[]));

${fn('touch_months_after', touch(MONTH, 'SELECT DISTINCT asset, company, date FROM after'))}
${fn('touch_months_before', touch(MONTH, 'SELECT DISTINCT asset, company, date FROM before'))}
${facts}

${fn('touch_after', touch(EVERY_RANGE, 'SELECT asset, company FROM after'))}
${fn('touch_before', touch(EVERY_RANGE, 'SELECT asset, company FROM before'))}
${fn('touch_recounting', touch(EVERY_RANGE, `${changed('b', COUNTING)} UNION ALL ${changed('a', COUNTING)}`))}
${trigger('sensors', 'INSERT', 'touch_after')}
${trigger('sensors', 'UPDATE', 'touch_recounting')}
${trigger('sensors', 'DELETE', 'touch_before')}
${trigger('former_installations', 'INSERT', 'touch_after')}
${trigger('former_installations', 'UPDATE', 'touch_after')}
${trigger('former_installations', 'DELETE', 'touch_before')}

${fn('touch_new_asset', touch(EVERY_RANGE, 'SELECT number AS asset, company FROM after'))}
${fn('touch_rezoned_asset', touch(EVERY_RANGE, changed('a', ['time_zone'], 'number')))}
${trigger('assets', 'INSERT', 'touch_new_asset')}
${trigger('assets', 'UPDATE', 'touch_rezoned_asset')}

INSERT INTO asset_versions (asset, company, month, changed_at)
  SELECT number, company, month, now() FROM assets, (VALUES ('-infinity'::date), ('infinity')) AS m (month);
`
