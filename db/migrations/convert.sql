-- Brings the data of a database of the version before to the tables of the added subjects. Functions, triggers, comments and policies
-- follow.

-- Home cities were packed by month.
INSERT INTO origin_places (company, region, city) SELECT DISTINCT company, region, city FROM origins ORDER BY 1, 2, 3;
INSERT INTO origin_days (asset, company, date, places, impressions)
  SELECT asset, company, date, array_agg(number ORDER BY number), array_agg(impressions::integer ORDER BY number)
  FROM origins JOIN origin_places USING (company, region, city) GROUP BY asset, company, date;
DROP VIEW origins;
DROP TABLE origin_months;
DROP FUNCTION touch_origins, note_former_origins, are_packed_origins, sum_of_origins;

-- Only the version before called them.
DROP FUNCTION dates_set_aside(integer[], date, date), days_set_aside(integer[], date, date), find_set_aside_assets(), assets_with_sensor,
  count_legacy_calls, record_key_uses, report_running;

-- Counts that are set aside are in set_aside_days.
DROP TABLE set_aside_counts;

-- A new database has these constraints valid.
ALTER TABLE assets VALIDATE CONSTRAINT venue_taxonomy_is_known, VALIDATE CONSTRAINT external_ids_are_an_object;

-- Fills the record of what is served from the former ledger, with its restatements.
--
-- A day has been as it is since its last restatement; else since its first value, if that came when the day was over; else since the
-- ledger began. Positions in the feed from before are no longer known: followers make a new copy.
CREATE TABLE old_days AS
  WITH late AS (
    SELECT a.number AS asset, l.kind, day::date AS date, max(l.revision) AS revision
    FROM late_days l CROSS JOIN unnest(l.assets) AS r JOIN assets a ON a.number >= lower(r) AND a.number < upper(r) AND a.company = l.company
      CROSS JOIN generate_series(l.from_date, l.to_date, interval '1 day') AS day
    GROUP BY 1, 2, 3
  ), last AS (
    SELECT asset, kind, date, max(revision) AS revision FROM restatements GROUP BY 1, 2, 3
  )
  SELECT asset, kind, date, d.total, d.observed,
    greatest(last.revision, late.revision, (SELECT min(number) FROM revisions)) AS since, late.revision AS late
  FROM (SELECT kind COLLATE "C" AS kind, asset, date, total, observed FROM defined_days) AS d
    FULL JOIN last USING (asset, kind, date) LEFT JOIN late USING (asset, kind, date);
CREATE INDEX ON old_days (asset, kind, date);
INSERT INTO asset_months
  SELECT m.asset, m.company, m.kind, m.month, coalesce(sum(d.total), 0), coalesce(sum(d.observed), 0), count(d.total), max(d.since), min(d.since),
    array_agg(d.total ORDER BY day), CASE kind WHEN 'impressions' THEN array_agg(d.observed ORDER BY day) END, array_agg(d.since ORDER BY day)
  FROM (SELECT DISTINCT d.asset, a.company, d.kind, month_number(d.date) AS month FROM old_days d JOIN assets a ON a.number = d.asset) AS m
    CROSS JOIN generate_series(1, 31) AS day
    LEFT JOIN (SELECT *, month_number(date) AS month, extract(day FROM date)::integer AS day FROM old_days) AS d USING (asset, kind, month, day)
  GROUP BY m.asset, m.company, m.kind, m.month;
INSERT INTO former_totals
  SELECT r.asset, r.company, r.kind, r.date, greatest(
      lag(r.revision) OVER (PARTITION BY r.asset, r.kind, r.date ORDER BY r.revision), d.late, (SELECT min(number) FROM revisions)),
    r.revision, r.total_before, r.observed_before, r.total_after, r.observed_after, r.final, a.id
  FROM restatements r JOIN assets a ON a.number = r.asset LEFT JOIN old_days d USING (asset, kind, date);
INSERT INTO class_months
  SELECT d.* FROM (SELECT DISTINCT a.company, a.class, m.month FROM assets a JOIN asset_months m ON m.asset = a.number) AS k
    CROSS JOIN LATERAL defined_class_month(k.company, k.class, k.month) AS d;
INSERT INTO class_months
  SELECT d.* FROM (SELECT DISTINCT company, month FROM class_months) AS k CROSS JOIN LATERAL defined_class_month(k.company, 0, k.month) AS d;
DROP TABLE old_days, former_days, former_installations, installation_revisions, late_days;
DROP TABLE restatements CASCADE;
DELETE FROM changes WHERE month > 0;
DROP INDEX changes_company_asset_id_expr_kind_month_idx;
ALTER TABLE changes DROP COLUMN earlier_number, DROP COLUMN month, DROP COLUMN from_date, DROP COLUMN to_date, DROP COLUMN earlier_from,
  DROP COLUMN earlier_to, DROP COLUMN previous_number, DROP COLUMN last_from, DROP COLUMN last_to, DROP CONSTRAINT changes_kind_check,
  ADD CONSTRAINT changes_kind_check CHECK (kind IN ('asset', 'notes', 'removed', 'sensors'));
CREATE UNIQUE INDEX ON changes (company, asset_id, (kind <> 'removed'), kind);
DELETE FROM transactions;
INSERT INTO transactions (number, reason, note, note_is_public, operation)
  SELECT number, reason, note, note_is_public, operation FROM revisions ORDER BY number;
INSERT INTO transactions (number) SELECT max(number) FROM feed_transactions ON CONFLICT DO NOTHING;
DROP TABLE revisions, feed_transactions;

-- The last run of doctor had a table of its own.
ALTER TABLE service ADD COLUMN doctor_ran_at timestamptz(3), ADD COLUMN doctor_judged integer CHECK (doctor_judged >= 0),
  ADD COLUMN doctor_not_judged integer CHECK (doctor_not_judged >= 0);
UPDATE service SET (doctor_ran_at, doctor_judged, doctor_not_judged) = (SELECT ran_at, judged, not_judged FROM doctor_runs);
DROP TABLE doctor_runs;

-- Policies are made anew.
DO $$
DECLARE
  policy record;
BEGIN
  FOR policy IN SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'public' LOOP
    EXECUTE format('DROP POLICY %I ON %I', policy.policyname, policy.tablename);
  END LOOP;
END $$;
