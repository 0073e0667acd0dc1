-- Stores home cities as two arrays.
ALTER TABLE origin_days DISABLE TRIGGER USER;
INSERT INTO origin_places (company, region, city) SELECT DISTINCT company, region, city FROM former_origins ORDER BY 1, 2, 3;
INSERT INTO origin_days (asset, company, date, places, impressions)
  SELECT asset, company, date, array_agg(number ORDER BY number), array_agg(impressions::integer ORDER BY number)
  FROM former_origins JOIN origin_places USING (company, region, city) GROUP BY asset, company, date;
ALTER TABLE origin_days ENABLE TRIGGER USER;
DROP TABLE former_origins;

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
INSERT INTO class_months SELECT * FROM defined_class_months WHERE class > 0;
INSERT INTO class_months SELECT * FROM defined_class_months WHERE class = 0;
DROP TABLE old_days, former_days, former_installations, installation_revisions, late_days;
DROP POLICY company_scope ON revisions;
DROP TABLE restatements;
DELETE FROM changes WHERE month > 0;
DROP INDEX changes_company_asset_id_expr_kind_month_idx;
ALTER TABLE changes DROP COLUMN earlier_number, DROP COLUMN month, DROP COLUMN from_date, DROP COLUMN to_date, DROP COLUMN earlier_from,
  DROP COLUMN earlier_to, DROP COLUMN previous_number, DROP COLUMN last_from, DROP COLUMN last_to, DROP CONSTRAINT changes_kind_check,
  ADD CONSTRAINT changes_kind_check CHECK (kind IN ('asset', 'notes', 'removed', 'sensors'));
CREATE UNIQUE INDEX ON changes (company, asset_id, (kind <> 'removed'), kind);
COMMENT ON TABLE changes IS 'The records that a copy of the data has to read again, by asset and kind. Days of facts are in asset_months.';
COMMENT ON TABLE revisions IS 'Transactions that changed days that were over. The first one is the beginning of the ledger.';
DELETE FROM feed_transactions WHERE number IS NOT NULL;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['touched', 'touched_installations', 'touched_months', 'origin_places', 'origin_days', 'asset_months', 'class_months', 'former_totals'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true) WITH CHECK (true)', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['touched', 'touched_months', 'origin_places', 'origin_days', 'asset_months', 'class_months', 'former_totals'] LOOP
    EXECUTE format('CREATE POLICY company_scope ON %I FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]))', name);
  END LOOP;
END $$;
CREATE POLICY company_scope ON revisions FOR SELECT USING (EXISTS (
  SELECT FROM former_totals AS other WHERE other.until = number AND other.company = ANY ((SELECT companies_in_scope())::integer[])));
