/** The tables, and columns of tables, that the database derives from other rows, and what says how a damaged row was. */
import { DAYS } from '../calendar/month-ranges'
import type { DerivedTable, Part } from './compare'
import { ASSET, DERIVED_RECORDS } from './derived-records'

const MONTH = `to_char(month_start(month), 'YYYY-MM')`

const DAY = `concat(kind, ' of ', ${ASSET}, ' on ', date)`

const replace = (table: string, key: string) => (different: string, definition: string) =>
  `
  DELETE FROM ${table} WHERE (${key}) IN (${different});
  INSERT INTO ${table} SELECT * FROM (${definition}) AS d WHERE (${key}) IN (${different})`

/**
 * Returns the SQL that stores the days of a month again where its sums are those of what is defined and not of what is stored, and touches
 * the days of months that are lost. Where stored days and sums agree, what they were added up from may be lost or damaged.
 */
const mendDays = (different: string): string => `
  WITH different AS MATERIALIZED (${different}), lost AS (
    INSERT INTO touched (kind, asset, company, month, days)
      SELECT d.kind, d.asset, a.company, d.month, bit_or(day_bit(d.date))
      FROM different d JOIN assets a ON a.number = d.asset LEFT JOIN asset_months m USING (asset, kind, month)
      WHERE m.asset IS NULL GROUP BY d.kind, d.asset, a.company, d.month
  )
  UPDATE asset_months m SET company = a.company,
    ${DAYS.map(day => `day_${day} = d.totals[${day}], observed_${day} = d.observed[${day}]`).join(', ')}
  FROM (SELECT DISTINCT asset, kind, month FROM different) AS k JOIN assets a ON a.number = k.asset
    JOIN asset_month_arrays s ON (s.asset, s.kind, s.month) = (k.asset, k.kind, k.month) CROSS JOIN LATERAL (
      SELECT array_agg(d.total ORDER BY day) AS totals, array_agg(d.observed ORDER BY day) AS observed,
        ROW (coalesce(sum(d.total), 0)::bigint, coalesce(sum(d.observed), 0), count(d.total)) AS sums,
        ROW (coalesce(sum(s.totals[day]), 0), coalesce(sum(s.observed[day]), 0), count(s.totals[day])) AS stored_sums,
        bool_and((d.total, d.observed) IS NOT DISTINCT FROM (s.totals[day], s.observed[day])) AS are_same
      FROM generate_series(1, 31) AS day LEFT JOIN LATERAL (
        SELECT total, observed FROM defined_days
        WHERE asset = k.asset AND kind = k.kind AND date = month_start(k.month) + day - 1 AND date < month_start(k.month + 1)) AS d ON true
    ) AS d
  WHERE (m.asset, m.kind, m.month) = (k.asset, k.kind, k.month)
    AND ROW (m.total, m.observed_total::bigint, m.days_with_data::bigint) = d.sums AND (d.are_same OR d.stored_sums <> d.sums)`

/** Returns the SQL of what was served of days with a history, and of what is served, each with what follows it. */
const history = ({ stored }: Part): string => `
  SELECT *, lead(since) OVER history AS next_since, lead(total) OVER history AS following, lead(observed) OVER history AS following_observed,
    lead(is_former) OVER history AS is_followed
  FROM (
    SELECT asset, kind, month_number(date) AS month, date, since, until, total, observed, next_total, next_observed, true AS is_former
    FROM former_totals WHERE date ${stored.dayOfMonth}
    UNION ALL
    SELECT f.asset, f.kind, m.month, f.date, m.since[day], NULL, m.totals[day], m.observed[day], NULL, NULL, false
    FROM (SELECT DISTINCT asset, kind, date, extract(day FROM date)::integer AS day FROM former_totals WHERE date ${stored.dayOfMonth}) AS f
      JOIN asset_month_arrays m ON m.asset = f.asset AND m.kind = f.kind AND m.month = month_number(f.date)
  ) AS d WINDOW history AS (PARTITION BY asset, kind, date ORDER BY until)`

const FORMER_TOTALS = {
  ...{ table: 'former_totals', row: DAY },
  // By dates, which the index has.
  stored: ({ stored }: Part) =>
    `(SELECT *, month_number(date) AS month FROM former_totals WHERE date ${stored.dayOfMonth}) AS f`,
  time: 'month',
} as const

/** In the order in which they are mended. */
export const DERIVED_TABLES: readonly DerivedTable[] = [
  ...DERIVED_RECORDS,
  {
    ...{ table: 'asset_months', row: DAY, key: 'asset, kind, month, date', time: 'month' },
    stored: () =>
      '(SELECT asset, company, kind, month, date, total, observed FROM asset_days WHERE total IS NOT NULL) AS d',
    definition: ({ month }) => `
      SELECT d.asset, a.company, d.kind, ${month} AS month, d.date, d.total, d.observed FROM assets a CROSS JOIN LATERAL (
        SELECT * FROM defined_days WHERE asset = a.number AND date >= month_start(${month}) AND date < month_start(${month} + 1) OFFSET 0) AS d`,
    mend: different => `${mendDays(different)}; ${REFRESH}`,
  },
  {
    // The history has no hole: what was served until a transaction is followed by what is served since then.
    ...{ ...FORMER_TOTALS, key: 'asset, kind, month, date, since' },
    columns: 'asset, kind, month, date, since, until',
    definition: part =>
      `SELECT asset, kind, month, date, since, next_since AS until FROM (${history(part)}) AS d WHERE is_former`,
    // The last former total says since when the day is served, where the sums of the month agree with it and not with what is stored.
    mend: (different, _definition, part) => `
      WITH lasts AS MATERIALIZED (
        SELECT asset, kind, month, extract(day FROM date)::integer AS day, until FROM (${history(part)}) AS d
        WHERE is_former AND NOT is_followed AND (next_total, next_observed) IS NOT DISTINCT FROM (following, following_observed)
      )
      UPDATE asset_months m SET since = s.since
      FROM (
        SELECT asset, kind, month, array_agg(since ORDER BY day) AS since, max(since) AS newest, min(since) AS oldest,
          max(stored) AS stored_newest, min(stored) AS stored_oldest
        FROM (
          SELECT m.asset, m.kind, m.month, day, coalesce(l.until, m.since[day]) AS since, m.since[day] AS stored
          FROM (SELECT DISTINCT asset, kind, month FROM (${different}) AS d) AS k JOIN asset_months m USING (asset, kind, month)
            CROSS JOIN generate_series(1, 31) AS day LEFT JOIN lasts l USING (asset, kind, month, day)
        ) AS d GROUP BY asset, kind, month
      ) AS s
      WHERE (m.asset, m.kind, m.month, m.newest, m.oldest) = (s.asset, s.kind, s.month, s.newest, s.oldest)
        AND (s.stored_newest, s.stored_oldest) <> (s.newest, s.oldest)`,
  },
  {
    ...{ table: 'asset_months', row: DAY, key: 'asset, kind, month, date', time: 'month' },
    ...{ columns: 'asset, kind, month, date, since', stored: () => 'asset_days' },
    definition: ({ stored }) => `SELECT d.asset, d.kind, d.month, d.date, d.since
      FROM asset_days d JOIN transactions t ON t.commit_number = d.since WHERE d.month ${stored.month}`,
  },
  {
    ...{
      table: 'asset_months',
      row: `concat(kind, ' of ', ${ASSET}, ' in ', ${MONTH})`,
      key: 'asset, kind, month',
      time: 'month',
    },
    columns: 'asset, company, kind, month, total, observed_total, days_with_data, newest, oldest',
    definition: ({ stored }) => `
      SELECT asset, company, kind, month, coalesce(sum(total), 0)::bigint AS total, coalesce(sum(observed), 0)::integer AS observed_total,
        count(total)::smallint AS days_with_data, max(since) AS newest, min(since) AS oldest
      FROM asset_days WHERE month ${stored.month} GROUP BY asset, company, kind, month`,
    // One that is the transaction of a day says that the days are damaged.
    mend: (different, definition) => `
      UPDATE asset_months m SET total = d.total, observed_total = d.observed_total, days_with_data = d.days_with_data, newest = d.newest,
        oldest = d.oldest
      FROM (${definition}) AS d
      WHERE (m.asset, m.kind, m.month) = (d.asset, d.kind, d.month) AND (m.asset, m.kind, m.month) IN (${different})
        AND (m.newest = d.newest OR m.oldest = d.oldest)
        AND (m.newest = d.newest OR m.newest = ANY (m.since) IS NOT TRUE) AND (m.oldest = d.oldest OR m.oldest = ANY (m.since) IS NOT TRUE)`,
  },
  {
    // Numbers have no gap, and the instants beside them never fall.
    ...{ table: 'transactions', row: `'number ' || commit_number`, key: 'commit_number' },
    columns: 'commit_number, committed_at',
    stored: () => '(SELECT * FROM transactions WHERE commit_number IS NOT NULL) AS t',
    definition: () => `
      SELECT lag(commit_number, 1, 0::bigint) OVER commits + 1 AS commit_number, max(committed_at) OVER commits AS committed_at
      FROM transactions WHERE commit_number IS NOT NULL WINDOW commits AS (ORDER BY commit_number)`,
  },
  {
    ...{ ...FORMER_TOTALS, key: 'asset, kind, month, date, until' },
    definition: part => `
      SELECT d.asset, kind, month, date, until, a.company, a.id AS asset_id, following AS next_total, following_observed AS next_observed
      FROM (${history(part)}) AS d JOIN assets a ON a.number = d.asset WHERE is_former
        AND EXISTS (SELECT FROM transactions t WHERE t.commit_number = d.since) AND EXISTS (SELECT FROM transactions t WHERE t.commit_number = d.until)`,
    columns: 'asset, kind, month, date, until, company, asset_id, next_total, next_observed',
    // Between two former totals, either may be damaged.
    mend: (different, definition) => `
      UPDATE former_totals f SET company = d.company, asset_id = d.asset_id, next_total = d.next_total, next_observed = d.next_observed
      FROM (${definition}) AS d
      WHERE (f.asset, f.kind, f.date, f.until) = (d.asset, d.kind, d.date, d.until)
        AND (f.asset, f.kind, month_number(f.date), f.date, f.until) IN (${different})
        AND ((f.next_total, f.next_observed) IS NOT DISTINCT FROM (d.next_total, d.next_observed) OR NOT EXISTS (
          SELECT FROM former_totals n WHERE (n.asset, n.kind, n.date) = (f.asset, f.kind, f.date) AND n.until > f.until))`,
  },
  {
    ...{ table: 'asset_demographics', row: `${ASSET} || ' in ' || ${MONTH}`, key: 'asset, month', time: 'month' },
    definition: ({ month }) => `SELECT * FROM defined_asset_demographics WHERE month = ${month}`,
    mend: replace('asset_demographics', 'asset, month'),
  },
  {
    ...{ table: 'measured_assets', key: 'kind, company, date, block', time: 'date' },
    row: `concat_ws(' ', kind, 'of company', company, 'block', block, 'on', date)`,
    definition: ({ stored }) => `SELECT * FROM defined_measured_assets WHERE date ${stored.date}`,
    mend: replace('measured_assets', 'kind, company, date, block'),
  },
  {
    ...{ table: 'asset_versions', row: ASSET, key: 'asset' },
    definition: () => 'SELECT * FROM defined_asset_versions',
    mend: replace('asset_versions', 'asset'),
  },
]

/** Refreshes what derives from what was touched, as the commit would. */
export const REFRESH = 'SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED'
