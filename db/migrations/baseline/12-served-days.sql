-- Days as they are served, and were. `since` of a day is the commit_number of the last transaction that touched it,
-- also where its total stayed the same; asset_months has it as an array of the days of a month. former_totals has the
-- totals before, but none of a day that is neither over nor in a closed month: from the first that is replaced after
-- that on, all of the day, so that its history has no hole. From these tables are read:
-- * the feed: the months with a `newest` above the last commit_number that its reader has seen (records: 13-changes),
-- * restatements: the former totals that differ from the next one,
-- * the state after transaction N: of each day the row in which since <= N < until, or that of asset_months if
--   since <= N.

-- Columns of a fixed width come first: PostgreSQL walks each row from the first column of a variable one.
CREATE TABLE asset_months (
  total bigint NOT NULL,
  newest bigint NOT NULL,
  oldest bigint NOT NULL,
  asset integer NOT NULL,
  company integer NOT NULL,
  month integer NOT NULL,
  observed_total integer NOT NULL,
  days_with_data smallint NOT NULL,
  «day_DAY integer»,
  «observed_DAY integer»,
  since bigint[] NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  PRIMARY KEY (asset, kind, month)
-- Little room is left for new versions of rows: newest is indexed, so that they always need new entries of indexes.
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.01);
COMMENT ON TABLE asset_months IS
  'What is served of an asset, a kind of fact and a month of local dates: the total of each day, and since which '
  'transaction it is served. Everything that was touched has a row, also when its data are gone: the feed has to say '
  'that. Totals of many assets are sums of these rows.';
COMMENT ON COLUMN asset_months.total IS 'Of the month, as are observed_total and days_with_data.';
COMMENT ON COLUMN asset_months.newest IS
  'The greatest of since; oldest is the smallest: no state before it has days of this row.';
COMMENT ON COLUMN asset_months.day_1 IS
  'The total of the first day of the month, as the columns that follow are those of the other days; null for a day '
  'without data. Adding up columns takes a quarter of the time of adding up arrays.';
COMMENT ON COLUMN asset_months.observed_1 IS
  'Native intervals with a count on the first day, as the columns that follow on the others; null of other kinds than'
  ' impressions.';
COMMENT ON COLUMN asset_months.since IS
  'Since which transaction each day is served; null for a day that none has touched.';
CREATE INDEX ON asset_months (company, newest, asset, kind, month);
CREATE INDEX ON asset_months (company, month, newest) INCLUDE (asset, total, observed_total, days_with_data)
  WHERE kind = 'impressions';

CREATE VIEW asset_month_arrays WITH (security_invoker = true) AS
  SELECT asset, company, kind, month, ARRAY[«day_DAY»] AS totals, ARRAY[«observed_DAY»] AS observed, since
  FROM asset_months;

CREATE VIEW asset_days WITH (security_invoker = true) AS
  SELECT m.asset, m.company, m.kind, m.month, month_start(m.month) + d.day::integer - 1 AS date, d.total, d.observed,
    d.since
  FROM asset_month_arrays m
    CROSS JOIN unnest(m.totals, m.observed, m.since) WITH ORDINALITY AS d (total, observed, since, day)
  WHERE d.since IS NOT NULL OR d.total IS NOT NULL;
COMMENT ON VIEW asset_days IS 'The rows of asset_months by day; a total without since is damage, which verify reports.';

CREATE TABLE former_totals (
  asset integer NOT NULL,
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  date date NOT NULL,
  since bigint NOT NULL,
  until bigint NOT NULL,
  total bigint,
  observed integer,
  next_total bigint,
  next_observed integer,
  final boolean NOT NULL,
  asset_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (asset, kind, date, until),
  CHECK (until > since)
);
COMMENT ON TABLE former_totals IS
  'The totals that were served of days that were over or closed: from the transaction numbered since (inclusive) to '
  'the one numbered until (exclusive), which replaced them. since of a row, or of asset_months, is until of the row '
  'before. Deleted assets have no rows.';
COMMENT ON COLUMN former_totals.total IS 'Null: nothing was served, as in next_total.';
COMMENT ON COLUMN former_totals.next_total IS 'What followed. Where it differs from total, the row is a restatement.';
COMMENT ON COLUMN former_totals.final IS 'Whether the month was closed when the total was replaced.';
COMMENT ON COLUMN former_totals.asset_id IS 'Copy of assets.id, by which restatements are listed.';
CREATE INDEX ON former_totals (company, until, asset_id, date, kind, since);

CREATE TABLE asset_versions (
  asset integer PRIMARY KEY,
  company integer NOT NULL,
  measured_from date,
  measured_to date CHECK (measured_to >= measured_from),
  CHECK ((measured_from IS NULL) = (measured_to IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE asset_versions IS
  'The first and last local date with counts of each asset, null without counts. Imports change them: a new version of '
  'this row is narrow, one of assets would be wide.';

CREATE UNLOGGED TABLE touched_month_rows (
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  asset integer NOT NULL,
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  month integer NOT NULL,
  days integer NOT NULL,
  first_day integer NOT NULL,
  last_day integer NOT NULL,
  first_open_day date,
  final_through date NOT NULL,
  asset_id text COLLATE "C",
  totals_before integer[],
  observed_before integer[],
  since_before bigint[],
  totals bigint[] NOT NULL,
  observed integer[],
  since bigint[] NOT NULL,
  month_total bigint NOT NULL,
  observed_total integer NOT NULL,
  days_with_data smallint NOT NULL,
  oldest bigint NOT NULL
);
CREATE INDEX ON touched_month_rows (transaction);
COMMENT ON TABLE touched_month_rows IS
  'The months that transactions have touched, as they were and as they are now; empty between commits. totals may be '
  'greater than an integer, which store_months refuses.';
COMMENT ON COLUMN touched_month_rows.days IS
  'The touched days: the sum of their day_bit, of which first_day is the lowest, from 1, and last_day the highest.';
COMMENT ON COLUMN touched_month_rows.first_open_day IS
  'The first day that is not over, by the present rules of the time zone or by those until now, whichever is later.';
COMMENT ON COLUMN touched_month_rows.asset_id IS 'Null, as first_open_day, of an asset that is deleted.';

CREATE VIEW touched_months WITH (security_invoker = true) AS
  SELECT * FROM touched_month_rows WHERE transaction = pg_current_xact_id();

CREATE VIEW touched_days WITH (security_invoker = true) AS
  SELECT asset, company, kind, month, month_start(month) + day - 1 AS date, totals_before[day] AS total_before,
    observed_before[day] AS observed_before, since_before[day] AS since_before, totals[day] AS total,
    observed[day] AS observed, first_open_day, final_through, asset_id
  FROM touched_months CROSS JOIN generate_series(first_day, last_day) AS day
  WHERE days >> day - 1 & 1 = 1;

-- The views named defined_… are definitions of tables, by which these are refreshed and verified.
CREATE VIEW defined_days WITH (security_invoker = true) AS
  SELECT 'impressions' AS kind, asset, date, sum(impressions)::bigint AS total, sum(observed)::integer AS observed
    FROM sensor_days GROUP BY asset, date
  UNION ALL
  SELECT 'origins', asset, date, (SELECT sum(i) FROM unnest(impressions) AS i)::bigint, NULL FROM origin_days
  UNION ALL
  SELECT 'demographics', asset, date, 0::bigint «+ coalesce(GROUP, 0)», NULL FROM demographic_days;

CREATE VIEW defined_asset_demographics WITH (security_invoker = true) AS
  SELECT m.asset, m.company, m.month, d.*
  FROM asset_months m CROSS JOIN LATERAL (
    SELECT «sum(GROUP)::bigint AS GROUP» FROM demographic_days
    WHERE asset = m.asset AND date >= month_start(m.month) AND date < month_start(m.month + 1) HAVING count(*) > 0) AS d
  WHERE m.kind = 'demographics';

CREATE VIEW defined_asset_versions WITH (security_invoker = true) AS
  SELECT number AS asset, company,
    (SELECT date FROM sensor_days WHERE asset = a.number ORDER BY date LIMIT 1) AS measured_from,
    (SELECT date FROM sensor_days WHERE asset = a.number ORDER BY date DESC LIMIT 1) AS measured_to
  FROM assets a;

CREATE VIEW defined_measured_assets WITH (security_invoker = true) AS
  SELECT kind, company, date, asset / 2048 AS block, bit_or(set_bit(B'0'::bit(2048), asset % 2048, 1)) AS assets
  FROM asset_days WHERE kind <> 'origins' AND total IS NOT NULL GROUP BY kind, company, date, asset / 2048;
