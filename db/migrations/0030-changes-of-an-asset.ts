/**
 * When what an asset's answers are told from changed last stands in the row of the asset, which is looked at anyway: to look
 * at rows of another table, behind a wall of its own, took a quarter of a statement. In microseconds since 1970: `changed`
 * is the last change of any kind, `recounted` what changes every range (installations, the time zone), `months_changed` the
 * changes of each month of local days, by its number (months since year 0). As before an instant stands for one change only,
 * to the second, and all of it is kept by triggers, in the transaction that makes the change.
 */
const microseconds = (instant: string) => `(extract(epoch FROM ${instant}) * 1000000)::bigint`

const NOW = microseconds('statement_timestamp()')

const month = (date: string) => `(extract(year FROM ${date}) * 12 + extract(month FROM ${date}) - 1)::integer`

/** Nobody sees what a transaction has half done: all that it changes has changed at the same instant. */
const at = (asset: string) => `CASE WHEN ${asset}.changed_by = pg_current_xact_id() THEN ${asset}.changed
    ELSE greatest(${NOW}, (${asset}.changed / 1000000 + 1) * 1000000) END`

/**
 * Takes note of what a statement changed, once a transaction.
 *
 * @param touched a query of the numbers of assets, with months or without
 */
const touch = (name: string, touched: string, kept: { set: string; already: string }) => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  numbers integer[];
  months integer[];
BEGIN
  SELECT array_agg(asset ORDER BY asset), array_agg(month ORDER BY asset) INTO numbers, months
    FROM (${touched}) AS t WHERE asset IS NOT NULL;
  PERFORM FROM assets WHERE number = ANY (numbers) ORDER BY number FOR NO KEY UPDATE;
  UPDATE assets AS a SET changed = ${at('a')}, changed_by = pg_current_xact_id(), ${kept.set}
  FROM (SELECT asset, array_agg(month) AS months FROM unnest(numbers, months) AS u (asset, month) GROUP BY asset) AS t
  WHERE a.number = t.asset AND (a.changed_by <> pg_current_xact_id() OR NOT ${kept.already});
  RETURN NULL;
END $$;
`

const touchMonths = (of: 'before' | 'after') =>
  touch(
    `touch_months_${of}`,
    `SELECT DISTINCT asset, ${month('date')} AS month FROM (SELECT DISTINCT asset, date FROM ${of}) AS d`,
    {
      set: `months_changed = months_changed_at(a.months_changed, t.months, ${at('a')})`,
      already: `(SELECT bool_and(coalesce(a.months_changed[m] = a.changed, false)) FROM unnest(t.months) AS m)`,
    },
  )

const touchEveryRange = (name: string, touched: string) =>
  touch(name, `SELECT DISTINCT asset, NULL::integer AS month FROM (${touched}) AS t`, {
    set: `recounted = ${at('a')}`,
    already: `a.recounted = a.changed`,
  })

const AFTER = {
  INSERT: 'NEW TABLE AS after',
  UPDATE: 'OLD TABLE AS before NEW TABLE AS after',
  DELETE: 'OLD TABLE AS before',
}

const trigger = (table: string, event: keyof typeof AFTER, call: string) => `
CREATE TRIGGER touch_on_${event.toLowerCase()} AFTER ${event} ON ${table} REFERENCING ${AFTER[event]}
  FOR EACH STATEMENT EXECUTE FUNCTION ${call}();
`

const FACTS = ['sensor_days', 'origins', 'demographic_days']

/** What of a sensor says where and how it counts; its health does not. */
const COUNTING = ['asset', 'native_minutes', 'counting_from', 'removed_at']

/** The assets of sensors, as they were (b) or are (a), of which one of these columns has changed. */
const recounting = (of: 'a' | 'b') => `
  SELECT ${of}.asset FROM before b JOIN after a USING (number)
  WHERE (${COUNTING.map(column => `b.${column}`)}) IS DISTINCT FROM (${COUNTING.map(column => `a.${column}`)})`

export const up = `
ALTER TABLE assets ADD COLUMN changed bigint NOT NULL DEFAULT ${NOW}, ADD COLUMN recounted bigint NOT NULL DEFAULT ${NOW},
  ADD COLUMN months_changed bigint[] NOT NULL DEFAULT '{}', ADD COLUMN changed_by xid8 NOT NULL DEFAULT pg_current_xact_id();

DROP FUNCTION touch_months_after, touch_months_before, touch_after, touch_before, touch_recounting, touch_new_asset,
  touch_rezoned_asset CASCADE;

UPDATE assets AS a SET changed = v.changed, recounted = v.recounted
FROM (
  SELECT asset, max(at) FILTER (WHERE month = 'infinity') AS changed, max(at) FILTER (WHERE month = '-infinity') AS recounted
  FROM (SELECT asset, month, ${microseconds('changed_at')} AS at FROM asset_versions) AS v GROUP BY asset
) AS v
WHERE a.number = v.asset;
-- A month without changes between others has a 0, not null: with that no comparison with all of them could be made.
UPDATE assets AS a SET months_changed = m.changed
FROM (
  SELECT asset, format('[%s:%s]={%s}', min(month), max(month), string_agg(coalesce(at, 0)::text, ',' ORDER BY month))::bigint[] AS changed
  FROM (
    SELECT asset, generate_series(min(${month('month')}), max(${month('month')})) AS month
    FROM asset_versions WHERE isfinite(month) GROUP BY asset
  ) AS every LEFT JOIN (
    SELECT asset, ${month('month')} AS month, ${microseconds('changed_at')} AS at FROM asset_versions WHERE isfinite(month)
  ) AS v USING (asset, month)
  GROUP BY asset
) AS m
WHERE a.number = m.asset;

CREATE FUNCTION months_changed_at(known bigint[], months integer[], at bigint) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  month integer;
BEGIN
  FOREACH month IN ARRAY months LOOP known[month] = at; END LOOP;
  RETURN array_replace(known, NULL, 0);
END $$;

${touchMonths('before')}
${touchMonths('after')}
${FACTS.map(
  table =>
    trigger(table, 'INSERT', 'touch_months_after') +
    trigger(table, 'UPDATE', 'touch_months_after') +
    trigger(table, 'DELETE', 'touch_months_before'),
).join('')}

${touchEveryRange('touch_after', 'SELECT asset FROM after')}
${touchEveryRange('touch_before', 'SELECT asset FROM before')}
${touchEveryRange('touch_recounting', `${recounting('b')} UNION ALL ${recounting('a')}`)}
${trigger('sensors', 'INSERT', 'touch_after')}
${trigger('sensors', 'UPDATE', 'touch_recounting')}
${trigger('sensors', 'DELETE', 'touch_before')}
${trigger('former_installations', 'INSERT', 'touch_after')}
${trigger('former_installations', 'UPDATE', 'touch_after')}
${trigger('former_installations', 'DELETE', 'touch_before')}

CREATE FUNCTION touch_rezoned_asset() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.changed = ${at('OLD')};
  NEW.changed_by = pg_current_xact_id();
  NEW.recounted = NEW.changed;
  RETURN NEW;
END $$;
CREATE TRIGGER touch_rezoned_asset BEFORE UPDATE OF time_zone ON assets
  FOR EACH ROW WHEN (OLD.time_zone IS DISTINCT FROM NEW.time_zone) EXECUTE FUNCTION touch_rezoned_asset();

-- Processes of the version before look here until they have been replaced.
DROP TABLE asset_versions;
CREATE VIEW asset_versions WITH (security_invoker) AS
SELECT a.number AS asset, v.month, a.company, timestamptz 'epoch' + v.at * interval '1 microsecond' AS changed_at
FROM assets a CROSS JOIN LATERAL (
  SELECT date 'infinity' AS month, a.changed AS at
  UNION ALL SELECT date '-infinity', a.recounted
  UNION ALL SELECT make_date(m / 12, m % 12 + 1, 1), a.months_changed[m] FROM generate_subscripts(a.months_changed, 1) AS m
) AS v
WHERE v.at > 0;
`
