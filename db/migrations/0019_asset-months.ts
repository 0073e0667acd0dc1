/**
 * Totals by asset and month, with a column for each local day. Triggers maintain them in the transaction that changes
 * sensor-days, whichever program makes it.
 */
import type { Knex } from 'knex'
import { statementTriggers } from '../migrate/statement-triggers'

const DAYS = Array.from({ length: 31 }, (_, i) => i + 1)

const forDays = (sql: (day: number) => string, separator = ', '): string => DAYS.map(sql).join(separator)

const DAY_COLUMNS = forDays(day => `day_${day}`)

/** SQL of a value of a day: the new one if the day has changed, else the stored one. */
const merged = (day: number, changed: string, stored: string): string =>
  `CASE WHEN c.days & ${1 << (day - 1)} > 0 THEN ${changed} ELSE ${stored} END`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
COMMENT ON FUNCTION month_number IS 'Months since year 0.';

CREATE TABLE asset_months (
  asset integer NOT NULL,
  company integer NOT NULL,
  class integer NOT NULL REFERENCES asset_classes (number),
  month integer NOT NULL,
  impressions bigint,
  ${forDays(day => `day_${day} bigint`)},
  observed integer[] NOT NULL,
  PRIMARY KEY (asset, month),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company) ON DELETE CASCADE
);
COMMENT ON TABLE asset_months IS 'Impressions of assets by month of local dates, summed over sensors. Set by trigger.';
COMMENT ON COLUMN asset_months.class IS 'Copy of assets.class.';
COMMENT ON COLUMN asset_months.month IS 'Months since year 0.';
COMMENT ON COLUMN asset_months.impressions IS 'Of the month; null without counts, as are the columns of days.';
COMMENT ON COLUMN asset_months.observed IS 'Native intervals with a count, by day.';
CREATE INDEX ON asset_months (company, month) INCLUDE (asset, impressions);
ALTER TABLE asset_months ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON asset_months TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON asset_months FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));

CREATE FUNCTION refresh_asset_months(changed_assets integer[], changed_dates date[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Always in this order, so that concurrent transactions do not deadlock. After waiting for another transaction here,
  -- the next statement sees its counts.
  PERFORM FROM assets WHERE number = ANY (changed_assets) ORDER BY number FOR NO KEY UPDATE;
  INSERT INTO asset_months (asset, company, class, month, impressions, observed, ${DAY_COLUMNS})
  SELECT m.asset, m.company, m.class, m.month, (SELECT sum(day) FROM unnest(ARRAY[${DAY_COLUMNS}]) AS day), m.observed, ${DAY_COLUMNS}
  FROM (
    SELECT c.asset, a.company, a.class, c.month,
      ARRAY[${forDays(day => merged(day, `c.observed_${day}`, `t.observed[${day}]`))}] AS observed,
      ${forDays(day => `${merged(day, `c.day_${day}`, `t.day_${day}`)} AS day_${day}`)}
    FROM (
      SELECT asset, month, bit_or(1 << (day - 1)) AS days,
        ${forDays(day => `max(impressions) FILTER (WHERE day = ${day}) AS day_${day}`)},
        ${forDays(day => `max(observed) FILTER (WHERE day = ${day}) AS observed_${day}`)}
      FROM (
        SELECT asset, month_number(date) AS month, extract(day FROM date)::integer AS day,
          sum(impressions) AS impressions, sum(observed) AS observed
        FROM (SELECT DISTINCT * FROM unnest(changed_assets, changed_dates) AS d (asset, date)) AS changed
          LEFT JOIN sensor_days USING (asset, date)
        GROUP BY asset, date
      ) AS days
      GROUP BY asset, month
    ) AS c
    JOIN assets a ON a.number = c.asset LEFT JOIN asset_months t ON (t.asset, t.month) = (c.asset, c.month)
  ) AS m
  ON CONFLICT (asset, month) DO UPDATE
    SET (impressions, observed, ${DAY_COLUMNS}) = (excluded.impressions, excluded.observed, ${forDays(day => `excluded.day_${day}`)});
END $$;
COMMENT ON FUNCTION refresh_asset_months IS 'Recomputes days of assets from sensor_days.';

CREATE FUNCTION sensor_days_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM refresh_asset_months(array_agg(asset), array_agg(date)) FROM after;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM refresh_asset_months(array_agg(asset), array_agg(date)) FROM before;
  ELSIF TG_OP = 'TRUNCATE' THEN
    TRUNCATE asset_months;
  ELSE
    PERFORM refresh_asset_months(array_agg(asset), array_agg(date))
      FROM (SELECT asset, date FROM before UNION SELECT asset, date FROM after) AS changed;
  END IF;
  RETURN NULL;
END $$;
${statementTriggers('sensor_days', 'sensor_days_changed')}
CREATE TRIGGER sensor_days_changed_on_truncate AFTER TRUNCATE ON sensor_days
  FOR EACH STATEMENT EXECUTE FUNCTION sensor_days_changed();

CREATE FUNCTION classes_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  moved integer[] = ARRAY(SELECT a.number FROM after a JOIN before b USING (number) WHERE a.class <> b.class);
BEGIN
  IF moved = '{}' THEN RETURN NULL; END IF;
  UPDATE asset_months m SET class = a.class FROM assets a WHERE a.number = ANY (moved) AND m.asset = a.number;
  PERFORM delete_unused_classes(ARRAY(SELECT DISTINCT class FROM before));
  RETURN NULL;
END $$;
COMMENT ON FUNCTION classes_changed() IS 'Moves the months of assets to their new class, and deletes classes without assets.';
CREATE TRIGGER classes_changed AFTER UPDATE ON assets REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION classes_changed();

SELECT refresh_asset_months(array_agg(asset), array_agg(date)) FROM sensor_days;
`)
}

export { down } from '../migrate/forward-only'
