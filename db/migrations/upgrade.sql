-- Brings a database of the version before to the schema of `baseline/`, with its data. The added subjects are there already; functions,
-- triggers and comments follow.

-- Home cities were packed by month.
ALTER TABLE origin_places ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE origin_days ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON origin_places TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner ON origin_days TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON origin_places FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));
CREATE POLICY company_scope ON origin_days FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));

INSERT INTO origin_places (company, region, city) SELECT DISTINCT company, region, city FROM origins ORDER BY 1, 2, 3;
INSERT INTO origin_days (asset, company, date, places, impressions)
  SELECT asset, company, date, array_agg(number ORDER BY number), array_agg(impressions::integer ORDER BY number)
  FROM origins JOIN origin_places USING (company, region, city) GROUP BY asset, company, date;

DROP VIEW origins;
DROP TABLE origin_months;
DROP FUNCTION touch_origins, note_former_origins, are_packed_origins, sum_of_origins;

-- Only the version before called them.
DROP FUNCTION dates_set_aside(integer[], date, date), find_set_aside_assets();

-- A new database has these constraints valid.
ALTER TABLE touched VALIDATE CONSTRAINT touched_kind_check;
ALTER TABLE changes VALIDATE CONSTRAINT changes_kind_check;
ALTER TABLE assets VALIDATE CONSTRAINT venue_taxonomy_is_known, VALIDATE CONSTRAINT external_ids_are_an_object;
ALTER TABLE set_aside_counts VALIDATE CONSTRAINT set_aside_counts_asset_fkey;
