/**
 * Stores what the coverage of many assets is made of: native intervals with a count, of classes by day and of everything by
 * month; and the number of days with data.
 */
import type { Knex } from 'knex'

export const offline = 'fills columns of asset_months and class_months'

const DAYS = Array.from({ length: 31 }, (_, i) => i + 1)

const forDays = (sql: (day: number) => string): string => DAYS.map(sql).join(', ')

/** SQL of a value of a day: of `d` if the day was touched, else the stored one of `m`. */
const current = (day: number, column: string): string =>
  `CASE WHEN ${day} BETWEEN t.first AND t.last THEN d.${column} ELSE m.${column} END`

const DAY_COLUMNS = forDays(day => `day_${day}`)

const sumOf = (array: string): string => `(SELECT sum(value) FROM unnest(${array}) AS value)`

const OBSERVED_OF_CLASS = `ARRAY[${forDays(day => `coalesce(sum(m.observed[${day}]), 0)`)}]::bigint[]`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE asset_months ADD COLUMN observed_total integer, ADD COLUMN days_with_data smallint;
UPDATE asset_months SET observed_total = ${sumOf('observed')}, days_with_data = num_nonnulls(${DAY_COLUMNS});
ALTER TABLE asset_months ALTER COLUMN observed_total SET NOT NULL, ALTER COLUMN days_with_data SET NOT NULL;
COMMENT ON COLUMN asset_months.observed_total IS 'Native intervals with a count, of the month.';
DROP INDEX asset_months_company_month_asset_impressions_idx;
CREATE INDEX ON asset_months (company, month) INCLUDE (asset, impressions, observed_total, days_with_data);

CREATE OR REPLACE FUNCTION define_asset_months(asset integer, month integer, first integer DEFAULT 1, last integer DEFAULT 31)
RETURNS SETOF asset_months LANGUAGE sql STABLE AS $$
  SELECT $1, company, $2, sum(impressions)::bigint,
    ${forDays(day => `(sum(impressions) FILTER (WHERE day = ${day}))::bigint`)},
    ARRAY[${forDays(day => `sum(observed) FILTER (WHERE day = ${day})`)}]::integer[],
    sum(observed)::integer, count(DISTINCT day)::smallint
  FROM (
    SELECT d.company, d.impressions, d.observed, d.date - month_start($2) + 1 AS day
    FROM sensor_days d
    WHERE d.asset = $1 AND d.date BETWEEN month_start($2) + $3 - 1 AND least(month_start($2) + $4, month_start($2 + 1)) - 1
  ) AS days
  GROUP BY company
$$;

CREATE OR REPLACE FUNCTION refresh_asset_months() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  WITH months AS (
    SELECT t.asset, t.company, t.month, ${forDays(day => `${current(day, `day_${day}`)} AS day_${day}`)},
      ARRAY[${forDays(day => current(day, `observed[${day}]`))}] AS observed
    FROM (
      SELECT asset, company, month, extract(day FROM min(from_date))::integer AS first, extract(day FROM max(to_date))::integer AS last
      FROM touched WHERE kind = 'impressions' GROUP BY asset, company, month
    ) AS t LEFT JOIN asset_months m USING (asset, month)
      LEFT JOIN LATERAL define_asset_months(t.asset, t.month, t.first, t.last) AS d ON true
  )
  MERGE INTO asset_months AS m USING (
    SELECT *, ${sumOf(`ARRAY[${DAY_COLUMNS}]`)} AS impressions, ${sumOf('observed')} AS observed_total,
      num_nonnulls(${DAY_COLUMNS}) AS days_with_data
    FROM months
  ) AS n ON (m.asset, m.month) = (n.asset, n.month)
  WHEN MATCHED AND n.impressions IS NULL THEN DELETE
  WHEN MATCHED THEN UPDATE SET (impressions, observed, observed_total, days_with_data, ${DAY_COLUMNS})
    = ROW (n.impressions, n.observed, n.observed_total, n.days_with_data, ${forDays(day => `n.day_${day}`)})
  WHEN NOT MATCHED AND n.impressions IS NOT NULL THEN
    INSERT VALUES (n.asset, n.company, n.month, n.impressions, ${forDays(day => `n.day_${day}`)}, n.observed, n.observed_total,
      n.days_with_data)
$$;

ALTER TABLE class_months ADD COLUMN observed_total bigint, ADD COLUMN observed bigint[];
UPDATE class_months c SET (observed_total, observed) = (
  SELECT sum(m.observed_total)::bigint, ${OBSERVED_OF_CLASS}
  FROM assets a JOIN asset_months m ON m.asset = a.number AND m.month = c.month
  WHERE a.company = c.company AND (a.class = c.class OR c.class = 0)
);
ALTER TABLE class_months ALTER COLUMN observed_total SET NOT NULL, ALTER COLUMN observed SET NOT NULL;
COMMENT ON COLUMN class_months.observed_total IS 'Native intervals with a count, of the month.';
COMMENT ON COLUMN class_months.observed IS 'Native intervals with a count, by day.';

CREATE OR REPLACE FUNCTION define_class_months(company integer, class integer, month integer)
RETURNS SETOF class_months LANGUAGE sql STABLE AS $$
  SELECT a.company, a.class, m.month, sum(m.impressions)::bigint, ${forDays(day => `coalesce(sum(m.day_${day}), 0)::bigint`)},
    sum(m.observed_total)::bigint, ${OBSERVED_OF_CLASS}
  FROM assets a JOIN asset_months m ON m.asset = a.number AND m.month = $3
  WHERE a.class = $2 AND a.company = $1
  GROUP BY a.company, a.class, m.month
  UNION ALL
  SELECT m.company, 0, m.month, sum(m.impressions)::bigint, ${forDays(day => `sum(m.day_${day})::bigint`)},
    sum(m.observed_total)::bigint, ${OBSERVED_OF_CLASS}
  FROM class_months m WHERE $2 = 0 AND m.company = $1 AND m.class > 0 AND m.month = $3
  GROUP BY m.company, m.month
$$;
`)
}

export { down } from '../migrate/forward-only'
