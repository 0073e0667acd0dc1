-- Row-level security: every statement sees rows of the companies of the authenticated key only. It works independently
-- of the scope predicates that all statements carry, from the hash of the key alone.

DO $$
DECLARE
  name text;
BEGIN
  FOR name IN
    SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname NOT LIKE 'knex\_%' ORDER BY oid
  LOOP
    -- Forced, so that a login which owns the table is subject to it too; the policy lets the owner of today see all
    -- rows.
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true) WITH CHECK (true)', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['assets', 'sensors', 'installations', 'sensor_days', 'set_aside_days', 'origin_places',
    'origin_days', 'demographic_days', 'asset_months', 'asset_demographics', 'measured_assets', 'asset_versions',
    'changes', 'touched_rows', 'touched_month_rows', 'former_totals', 'asset_external_ids']
  LOOP
    -- The sub-select makes PostgreSQL evaluate the function once per statement instead of once per row.
    EXECUTE format('CREATE POLICY company_scope ON %I FOR SELECT
      USING (company = ANY ((SELECT companies_in_scope())::integer[]))', name);
  END LOOP;
END $$;
CREATE POLICY company_scope ON companies FOR SELECT USING (number = ANY ((SELECT companies_in_scope())::integer[]));
CREATE POLICY everybody ON vendors FOR SELECT USING (true);
CREATE POLICY everybody ON zone_rules FOR SELECT USING (true);

-- Rows of other tables belong to those of the assets or sensors that they are about.
CREATE POLICY company_scope ON sensor_health FOR SELECT USING (EXISTS (
  SELECT FROM installations AS other
  WHERE other.sensor = sensor_health.sensor
    AND tstzrange(other.installed_at, other.removed_at) && tstzrange(from_time, to_time, '[]')
    AND other.company = ANY ((SELECT companies_in_scope())::integer[])));
CREATE POLICY company_scope ON set_asides FOR SELECT USING (EXISTS (
  SELECT FROM installations AS other
  WHERE other.sensor = set_asides.sensor
    AND tstzrange(other.installed_at, other.removed_at) && tstzrange(from_time, to_time)
    AND other.company = ANY ((SELECT companies_in_scope())::integer[])));
CREATE POLICY company_scope ON notes FOR SELECT USING (
  EXISTS (SELECT FROM assets a
    WHERE a.number = notes.asset AND a.company = ANY ((SELECT companies_in_scope())::integer[]))
  OR EXISTS (SELECT FROM installations i
    WHERE i.sensor = notes.sensor AND i.company = ANY ((SELECT companies_in_scope())::integer[])));
CREATE POLICY company_scope ON transactions FOR SELECT USING (
  (reason = 'begin' AND (SELECT companies_in_scope()) IS NOT NULL) OR EXISTS (
  SELECT FROM former_totals AS other
  WHERE other.until = transactions.commit_number AND other.company = ANY ((SELECT companies_in_scope())::integer[])));
