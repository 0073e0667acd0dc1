-- The record of what is served, from which the feed of facts, restatements and earlier states are read, and the sums of it.
--
-- Every transaction that changes data has a number, which ascends in the order of commits. `since` of a day is the last one that touched
-- it, also where its total stayed the same. The totals that were served before, while the day was over, are in former_totals without a
-- hole. From these three tables are read:
-- * the feed: the months with a number above that of the reader; beside it, `changes` has the records,
-- * restatements: the former totals that differ from the next one,
-- * earlier states: of each day the row in which since <= number < until, or that of asset_months if its since <= number.

CREATE TABLE transactions (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  number bigint UNIQUE,
  mark uuid NOT NULL DEFAULT gen_random_uuid(),
  reason text COLLATE "C" CHECK (reason IN ('import', 'deletion', 'set_aside', 'restored', 'move', 'time_zone', 'zone_rules',
    'repair', 'begin')),
  note text CHECK (char_length(note) BETWEEN 1 AND 500),
  note_is_public boolean NOT NULL DEFAULT false,
  operation bigint
);
COMMENT ON TABLE transactions IS 'Transactions that changed data: at least the last million, and all that changed days that were over. The first one is the beginning of the ledger.';
COMMENT ON COLUMN transactions.number IS 'When the transaction began to commit, in microseconds since 1970, and greater than the number of each earlier commit. Null while it is running.';
COMMENT ON COLUMN transactions.mark IS 'Differs between a database and a restored copy of it, where a transaction might have the same number in both.';
COMMENT ON COLUMN transactions.reason IS 'Why it changed data, where it touched a month with days that are over; else null.';
COMMENT ON COLUMN transactions.note IS 'The reason that the operator gave.';
COMMENT ON COLUMN transactions.operation IS 'The record in operations; null without one.';
CREATE INDEX ON transactions (id) WHERE number IS NULL;
CREATE UNIQUE INDEX ON transactions (reason) WHERE reason = 'begin';
INSERT INTO transactions (number, reason) VALUES (to_microseconds(clock_timestamp()), 'begin');

CREATE TABLE asset_months (
  asset integer NOT NULL,
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  month integer NOT NULL,
  total bigint NOT NULL,
  observed_total integer NOT NULL,
  days_with_data smallint NOT NULL,
  number bigint NOT NULL,
  oldest bigint NOT NULL,
  totals bigint[] NOT NULL,
  observed integer[],
  since bigint[] NOT NULL,
  PRIMARY KEY (asset, kind, month)
-- No room is left for new versions of rows: number is indexed, so that they always need new entries of indexes.
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.01);
COMMENT ON TABLE asset_months IS 'What is served of an asset, a kind of fact and a month of local dates: the total of each day, and since which transaction it is served. Everything that was touched has a row, also when its data are gone: the feed has to say that.';
COMMENT ON COLUMN asset_months.month IS 'Months since year 0.';
COMMENT ON COLUMN asset_months.total IS 'Of the month, as are the two columns that follow.';
COMMENT ON COLUMN asset_months.number IS 'The greatest of since.';
COMMENT ON COLUMN asset_months.oldest IS 'The smallest of since.';
COMMENT ON COLUMN asset_months.totals IS 'By day of the month, 31 of them; null for a day without data.';
COMMENT ON COLUMN asset_months.observed IS 'Native intervals with a count, by day; null of other kinds than impressions.';
COMMENT ON COLUMN asset_months.since IS 'The number of the last transaction that touched the day; null for a day that none has touched.';
CREATE INDEX ON asset_months (company, number, asset, kind, month);
CREATE INDEX ON asset_months (company, month, oldest) INCLUDE (asset, total, observed_total, days_with_data) WHERE kind = 'impressions';

CREATE VIEW asset_days WITH (security_invoker = true) AS
  SELECT m.asset, m.company, m.kind, m.month, month_start(m.month) + d.day::integer - 1 AS date, d.total, d.observed, d.since
  FROM asset_months m CROSS JOIN unnest(m.totals, m.observed, m.since) WITH ORDINALITY AS d (total, observed, since, day)
  WHERE d.since IS NOT NULL OR d.total IS NOT NULL;
COMMENT ON VIEW asset_days IS 'The rows of asset_months by day.';

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
COMMENT ON TABLE former_totals IS 'The totals that were served of days that were over: from the transaction numbered since (inclusive) to the one numbered until (exclusive), which replaced them. Together with asset_months they have no hole: since of a day is until of the row before. Deleted assets have no rows.';
COMMENT ON COLUMN former_totals.total IS 'Null: nothing was served, as in next_total.';
COMMENT ON COLUMN former_totals.next_total IS 'What followed. Where it differs from total, the row is a restatement.';
COMMENT ON COLUMN former_totals.final IS 'Whether the month was closed when the total was replaced.';
COMMENT ON COLUMN former_totals.asset_id IS 'Copy of assets.id, by which restatements are listed.';
CREATE INDEX ON former_totals (company, until, asset_id, date, kind, since);

CREATE UNLOGGED TABLE touched_months (
  asset integer NOT NULL,
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  month integer NOT NULL,
  days integer NOT NULL,
  first_day integer NOT NULL,
  last_day integer NOT NULL,
  over_until date,
  final_through date NOT NULL,
  asset_id text COLLATE "C",
  former_totals bigint[],
  former_observed integer[],
  former_since bigint[],
  totals bigint[] NOT NULL,
  observed integer[],
  since bigint[] NOT NULL,
  total bigint NOT NULL,
  observed_total integer NOT NULL,
  days_with_data smallint NOT NULL,
  oldest bigint NOT NULL
);
COMMENT ON TABLE touched_months IS 'The months that the running transaction has touched, as they were and as they are now; empty otherwise.';
COMMENT ON COLUMN touched_months.days IS 'The touched days, as bits: bit 0 is the first day.';
COMMENT ON COLUMN touched_months.first_day IS 'The first one of them, from 1.';
COMMENT ON COLUMN touched_months.over_until IS 'The first day that is not over, by the present rules of the time zone or by those until now, whichever is later.';

CREATE VIEW touched_days WITH (security_invoker = true) AS
  SELECT asset, company, kind, month, month_start(month) + day - 1 AS date, former_totals[day] AS former_total,
    former_observed[day] AS former_observed, former_since[day] AS former_since, totals[day] AS total, observed[day] AS observed,
    over_until, final_through, asset_id
  FROM touched_months CROSS JOIN generate_series(first_day, last_day) AS day
  WHERE days >> day - 1 & 1 = 1;
COMMENT ON VIEW touched_days IS 'The touched days of touched_months.';

CREATE VIEW touched_classes WITH (security_invoker = true) AS
  SELECT a.company, a.class, m.kind, m.month
  FROM touched_months m CROSS JOIN LATERAL (SELECT company, class FROM assets WHERE number = m.asset LIMIT 1) AS a
  UNION
  SELECT t.company, t.class, m.kind, m.month
  FROM touched t CROSS JOIN LATERAL (SELECT kind, month FROM asset_months WHERE asset = t.asset ORDER BY kind, month) AS m WHERE t.class IS NOT NULL;
COMMENT ON VIEW touched_classes IS 'The sums that touched assets are part of, by kind of fact and month: of their classes, and of those that they have left.';

CREATE VIEW defined_days WITH (security_invoker = true) AS
  SELECT 'impressions' AS kind, asset, date, sum(impressions)::bigint AS total, sum(observed)::integer AS observed
    -- The order leaves one index: see finish_transaction.
    FROM (SELECT asset, date, impressions, observed FROM sensor_days ORDER BY asset, date) AS d GROUP BY asset, date
  UNION ALL
  SELECT 'origins', asset, date, (SELECT sum(i) FROM unnest(impressions) AS i)::bigint, NULL FROM origin_days
  UNION ALL
  SELECT 'demographics', asset, date, 0::bigint «+ coalesce(GROUP, 0)», NULL FROM demographic_days;
COMMENT ON VIEW defined_days IS 'What is served of a day: the definition of the totals of asset_months.';

CREATE TABLE class_months (
  company integer NOT NULL,
  class integer NOT NULL,
  month integer NOT NULL,
  number bigint NOT NULL,
  total bigint NOT NULL,
  observed_total bigint NOT NULL,
  «day_DAY bigint NOT NULL»,
  observed bigint[] NOT NULL,
  PRIMARY KEY (company, class, month)
) WITH (fillfactor = 70);
COMMENT ON TABLE class_months IS 'Impressions of a class of assets, or of all assets of a company, in a month of local dates: sums of asset_months. Each day has a column: summing columns takes half the time of summing arrays.';
COMMENT ON COLUMN class_months.class IS '0: all assets of the company.';
COMMENT ON COLUMN class_months.month IS 'Months since year 0.';
COMMENT ON COLUMN class_months.number IS 'The greatest of the months that are summed.';
COMMENT ON COLUMN class_months.observed_total IS 'Native intervals with a count, of the month.';
COMMENT ON COLUMN class_months.observed IS 'Native intervals with a count, by day.';

CREATE FUNCTION defined_class_month(company integer, class integer, month integer) RETURNS SETOF class_months LANGUAGE sql STABLE AS $$
  SELECT $1, $2, $3, number, total, observed_total, «totals[DAY]», observed
  FROM (
    SELECT max(number) AS number, sum(total)::bigint AS total, sum(observed)::bigint AS observed_total, array_agg(total ORDER BY day) AS totals,
      array_agg(observed ORDER BY day) AS observed
    FROM (
      SELECT d.day, max(m.number) AS number, coalesce(sum(d.total), 0)::bigint AS total, coalesce(sum(d.observed), 0)::bigint AS observed
      FROM (
        SELECT m.number, m.totals, m.observed::bigint[]
        FROM assets a CROSS JOIN LATERAL (
          SELECT * FROM asset_months WHERE asset = a.number AND kind = 'impressions' AND month BETWEEN $3 AND $3 ORDER BY month LIMIT 1) AS m
        WHERE a.class = $2 AND m.days_with_data > 0
        UNION ALL
        SELECT c.number, ARRAY[«c.day_DAY»], c.observed
        FROM class_months c WHERE $2 = 0 AND c.company = $1 AND c.class > 0 AND c.month = $3
      ) AS m CROSS JOIN unnest(m.totals, m.observed) WITH ORDINALITY AS d (total, observed, day)
      GROUP BY d.day
    ) AS d HAVING count(*) > 0
  ) AS d
$$;
COMMENT ON FUNCTION defined_class_month IS 'The definition of class_months.';

CREATE VIEW defined_asset_demographics WITH (security_invoker = true) AS
  SELECT m.asset, m.company, m.month, d.*
  FROM asset_months m CROSS JOIN LATERAL (
    SELECT «sum(GROUP)::bigint AS GROUP» FROM demographic_days
    WHERE asset = m.asset AND date >= month_start(m.month) AND date < month_start(m.month + 1) HAVING count(*) > 0) AS d
  WHERE m.kind = 'demographics';
COMMENT ON VIEW defined_asset_demographics IS 'The definition of asset_demographics.';

CREATE FUNCTION defined_class_demographic_day(company integer, class integer, date date) RETURNS SETOF class_demographic_days
LANGUAGE sql STABLE AS $$
  SELECT $1, $2, $3, «sum(GROUP)::bigint»
  FROM (
    SELECT d.*
    FROM assets a CROSS JOIN LATERAL (SELECT «GROUP» FROM demographic_days WHERE asset = a.number AND date = $3 LIMIT 1) AS d
    WHERE a.class = $2
    UNION ALL
    SELECT d.*
    FROM asset_classes c CROSS JOIN LATERAL (
      SELECT «GROUP» FROM class_demographic_days WHERE company = $1 AND class = c.number AND date = $3 LIMIT 1) AS d
    WHERE $2 = 0 AND c.company = $1
  ) AS d HAVING count(*) > 0
$$;
COMMENT ON FUNCTION defined_class_demographic_day IS 'The definition of class_demographic_days.';

CREATE FUNCTION defined_class_demographics(company integer, class integer, month integer) RETURNS SETOF class_demographics
LANGUAGE sql STABLE AS $$
  SELECT $1, $2, $3, «sum(GROUP)::bigint»
  FROM class_demographic_days d
  WHERE d.company = $1 AND d.class = $2 AND d.date >= month_start($3) AND d.date < month_start($3 + 1) HAVING count(*) > 0
$$;
COMMENT ON FUNCTION defined_class_demographics IS 'The definition of class_demographics.';

CREATE FUNCTION defined_class_sensors(company integer, class integer, rules integer, native_minutes smallint) RETURNS SETOF class_sensors
LANGUAGE sql STABLE AS $$
  SELECT $1, $2, $3, $4, sum(sensors)::integer
  FROM (
    SELECT i.sensors
    FROM assets a CROSS JOIN LATERAL (
      SELECT count(*) AS sensors FROM (
        SELECT FROM installations i
        WHERE i.asset BETWEEN a.number AND a.number AND i.removed_at IS NULL AND i.native_minutes = $4 ORDER BY i.asset) AS i) AS i
    WHERE a.class = $2 AND a.rules = $3
    UNION ALL
    SELECT c.sensors FROM class_sensors c WHERE $2 = 0 AND c.company = $1 AND c.class > 0 AND c.rules = $3 AND c.native_minutes = $4
  ) AS i HAVING sum(sensors) > 0
$$;
COMMENT ON FUNCTION defined_class_sensors IS 'The definition of class_sensors.';

CREATE VIEW defined_asset_versions WITH (security_invoker = true) AS
  SELECT number AS asset, company, (SELECT date FROM sensor_days WHERE asset = a.number ORDER BY date LIMIT 1) AS measured_from,
    (SELECT date FROM sensor_days WHERE asset = a.number ORDER BY date DESC LIMIT 1) AS measured_to
  FROM assets a;
COMMENT ON VIEW defined_asset_versions IS 'The definition of asset_versions.';

CREATE VIEW defined_measured_assets WITH (security_invoker = true) AS
  SELECT kind, company, date, asset / 2048 AS block, bit_or(set_bit(B'0'::bit(2048), asset % 2048, 1)) AS assets
  FROM asset_days WHERE kind <> 'origins' AND total IS NOT NULL GROUP BY kind, company, date, asset / 2048;
COMMENT ON VIEW defined_measured_assets IS 'The definition of measured_assets.';
