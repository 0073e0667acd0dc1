-- Totals of impressions by month, of each asset, class of assets and company, with a column for each local day; and the native
-- intervals with a count, of which coverage is made. Each table is defined by the function `define_…` of its name.

CREATE TABLE asset_months (
  asset integer NOT NULL,
  company integer NOT NULL,
  month integer NOT NULL,
  impressions bigint NOT NULL,
  day_1 bigint, day_2 bigint, day_3 bigint, day_4 bigint, day_5 bigint, day_6 bigint, day_7 bigint, day_8 bigint,
    day_9 bigint, day_10 bigint, day_11 bigint, day_12 bigint, day_13 bigint, day_14 bigint, day_15 bigint,
    day_16 bigint, day_17 bigint, day_18 bigint, day_19 bigint, day_20 bigint, day_21 bigint, day_22 bigint,
    day_23 bigint, day_24 bigint, day_25 bigint, day_26 bigint, day_27 bigint, day_28 bigint, day_29 bigint,
    day_30 bigint, day_31 bigint,
  observed integer[] NOT NULL,
  observed_total integer NOT NULL,
  days_with_data smallint NOT NULL,
  PRIMARY KEY (asset, month)
-- Room for new versions of rows beside the old ones. A night updates a row of each asset, a sixtieth of five years. Totals of
-- companies are read from an index alone, but for rows on pages that were updated since the last VACUUM.
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
COMMENT ON TABLE asset_months IS 'Impressions of an asset in a month of local dates, summed over its sensors.';
COMMENT ON COLUMN asset_months.month IS 'Months since year 0.';
COMMENT ON COLUMN asset_months.impressions IS 'Of the month. Columns of days are null without counts.';
COMMENT ON COLUMN asset_months.observed IS 'Native intervals with a count, by day.';
COMMENT ON COLUMN asset_months.observed_total IS 'Native intervals with a count, of the month.';
CREATE INDEX ON asset_months (company, month) INCLUDE (asset, impressions, observed_total, days_with_data);

CREATE FUNCTION define_asset_months(asset integer, month integer, first integer DEFAULT 1, last integer DEFAULT 31)
RETURNS SETOF asset_months LANGUAGE sql STABLE AS $$
  SELECT $1, company, $2, sum(impressions)::bigint,
    (sum(impressions) FILTER (WHERE day = 1))::bigint, (sum(impressions) FILTER (WHERE day = 2))::bigint,
      (sum(impressions) FILTER (WHERE day = 3))::bigint, (sum(impressions) FILTER (WHERE day = 4))::bigint,
      (sum(impressions) FILTER (WHERE day = 5))::bigint, (sum(impressions) FILTER (WHERE day = 6))::bigint,
      (sum(impressions) FILTER (WHERE day = 7))::bigint, (sum(impressions) FILTER (WHERE day = 8))::bigint,
      (sum(impressions) FILTER (WHERE day = 9))::bigint, (sum(impressions) FILTER (WHERE day = 10))::bigint,
      (sum(impressions) FILTER (WHERE day = 11))::bigint, (sum(impressions) FILTER (WHERE day = 12))::bigint,
      (sum(impressions) FILTER (WHERE day = 13))::bigint, (sum(impressions) FILTER (WHERE day = 14))::bigint,
      (sum(impressions) FILTER (WHERE day = 15))::bigint, (sum(impressions) FILTER (WHERE day = 16))::bigint,
      (sum(impressions) FILTER (WHERE day = 17))::bigint, (sum(impressions) FILTER (WHERE day = 18))::bigint,
      (sum(impressions) FILTER (WHERE day = 19))::bigint, (sum(impressions) FILTER (WHERE day = 20))::bigint,
      (sum(impressions) FILTER (WHERE day = 21))::bigint, (sum(impressions) FILTER (WHERE day = 22))::bigint,
      (sum(impressions) FILTER (WHERE day = 23))::bigint, (sum(impressions) FILTER (WHERE day = 24))::bigint,
      (sum(impressions) FILTER (WHERE day = 25))::bigint, (sum(impressions) FILTER (WHERE day = 26))::bigint,
      (sum(impressions) FILTER (WHERE day = 27))::bigint, (sum(impressions) FILTER (WHERE day = 28))::bigint,
      (sum(impressions) FILTER (WHERE day = 29))::bigint, (sum(impressions) FILTER (WHERE day = 30))::bigint,
      (sum(impressions) FILTER (WHERE day = 31))::bigint,
    ARRAY[sum(observed) FILTER (WHERE day = 1), sum(observed) FILTER (WHERE day = 2),
      sum(observed) FILTER (WHERE day = 3), sum(observed) FILTER (WHERE day = 4), sum(observed) FILTER (WHERE day = 5),
      sum(observed) FILTER (WHERE day = 6), sum(observed) FILTER (WHERE day = 7), sum(observed) FILTER (WHERE day = 8),
      sum(observed) FILTER (WHERE day = 9), sum(observed) FILTER (WHERE day = 10),
      sum(observed) FILTER (WHERE day = 11), sum(observed) FILTER (WHERE day = 12),
      sum(observed) FILTER (WHERE day = 13), sum(observed) FILTER (WHERE day = 14),
      sum(observed) FILTER (WHERE day = 15), sum(observed) FILTER (WHERE day = 16),
      sum(observed) FILTER (WHERE day = 17), sum(observed) FILTER (WHERE day = 18),
      sum(observed) FILTER (WHERE day = 19), sum(observed) FILTER (WHERE day = 20),
      sum(observed) FILTER (WHERE day = 21), sum(observed) FILTER (WHERE day = 22),
      sum(observed) FILTER (WHERE day = 23), sum(observed) FILTER (WHERE day = 24),
      sum(observed) FILTER (WHERE day = 25), sum(observed) FILTER (WHERE day = 26),
      sum(observed) FILTER (WHERE day = 27), sum(observed) FILTER (WHERE day = 28),
      sum(observed) FILTER (WHERE day = 29), sum(observed) FILTER (WHERE day = 30),
      sum(observed) FILTER (WHERE day = 31)]::integer[],
    sum(observed)::integer, count(DISTINCT day)::smallint
  FROM (
    SELECT d.company, d.impressions, d.observed, d.date - month_start($2) + 1 AS day
    FROM sensor_days d
    WHERE d.asset = $1 AND d.date BETWEEN month_start($2) + $3 - 1 AND least(month_start($2) + $4,
      month_start($2 + 1)) - 1
  ) AS days
  GROUP BY company
$$;
COMMENT ON FUNCTION define_asset_months IS 'A row of asset_months, with some of its days.';

CREATE FUNCTION refresh_asset_months() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  WITH months AS (
    SELECT t.asset, t.company, t.month, CASE WHEN 1 BETWEEN t.first AND t.last THEN d.day_1 ELSE m.day_1 END AS day_1,
      CASE WHEN 2 BETWEEN t.first AND t.last THEN d.day_2 ELSE m.day_2 END AS day_2,
      CASE WHEN 3 BETWEEN t.first AND t.last THEN d.day_3 ELSE m.day_3 END AS day_3,
      CASE WHEN 4 BETWEEN t.first AND t.last THEN d.day_4 ELSE m.day_4 END AS day_4,
      CASE WHEN 5 BETWEEN t.first AND t.last THEN d.day_5 ELSE m.day_5 END AS day_5,
      CASE WHEN 6 BETWEEN t.first AND t.last THEN d.day_6 ELSE m.day_6 END AS day_6,
      CASE WHEN 7 BETWEEN t.first AND t.last THEN d.day_7 ELSE m.day_7 END AS day_7,
      CASE WHEN 8 BETWEEN t.first AND t.last THEN d.day_8 ELSE m.day_8 END AS day_8,
      CASE WHEN 9 BETWEEN t.first AND t.last THEN d.day_9 ELSE m.day_9 END AS day_9,
      CASE WHEN 10 BETWEEN t.first AND t.last THEN d.day_10 ELSE m.day_10 END AS day_10,
      CASE WHEN 11 BETWEEN t.first AND t.last THEN d.day_11 ELSE m.day_11 END AS day_11,
      CASE WHEN 12 BETWEEN t.first AND t.last THEN d.day_12 ELSE m.day_12 END AS day_12,
      CASE WHEN 13 BETWEEN t.first AND t.last THEN d.day_13 ELSE m.day_13 END AS day_13,
      CASE WHEN 14 BETWEEN t.first AND t.last THEN d.day_14 ELSE m.day_14 END AS day_14,
      CASE WHEN 15 BETWEEN t.first AND t.last THEN d.day_15 ELSE m.day_15 END AS day_15,
      CASE WHEN 16 BETWEEN t.first AND t.last THEN d.day_16 ELSE m.day_16 END AS day_16,
      CASE WHEN 17 BETWEEN t.first AND t.last THEN d.day_17 ELSE m.day_17 END AS day_17,
      CASE WHEN 18 BETWEEN t.first AND t.last THEN d.day_18 ELSE m.day_18 END AS day_18,
      CASE WHEN 19 BETWEEN t.first AND t.last THEN d.day_19 ELSE m.day_19 END AS day_19,
      CASE WHEN 20 BETWEEN t.first AND t.last THEN d.day_20 ELSE m.day_20 END AS day_20,
      CASE WHEN 21 BETWEEN t.first AND t.last THEN d.day_21 ELSE m.day_21 END AS day_21,
      CASE WHEN 22 BETWEEN t.first AND t.last THEN d.day_22 ELSE m.day_22 END AS day_22,
      CASE WHEN 23 BETWEEN t.first AND t.last THEN d.day_23 ELSE m.day_23 END AS day_23,
      CASE WHEN 24 BETWEEN t.first AND t.last THEN d.day_24 ELSE m.day_24 END AS day_24,
      CASE WHEN 25 BETWEEN t.first AND t.last THEN d.day_25 ELSE m.day_25 END AS day_25,
      CASE WHEN 26 BETWEEN t.first AND t.last THEN d.day_26 ELSE m.day_26 END AS day_26,
      CASE WHEN 27 BETWEEN t.first AND t.last THEN d.day_27 ELSE m.day_27 END AS day_27,
      CASE WHEN 28 BETWEEN t.first AND t.last THEN d.day_28 ELSE m.day_28 END AS day_28,
      CASE WHEN 29 BETWEEN t.first AND t.last THEN d.day_29 ELSE m.day_29 END AS day_29,
      CASE WHEN 30 BETWEEN t.first AND t.last THEN d.day_30 ELSE m.day_30 END AS day_30,
      CASE WHEN 31 BETWEEN t.first AND t.last THEN d.day_31 ELSE m.day_31 END AS day_31,
      ARRAY[CASE WHEN 1 BETWEEN t.first AND t.last THEN d.observed[1] ELSE m.observed[1] END,
        CASE WHEN 2 BETWEEN t.first AND t.last THEN d.observed[2] ELSE m.observed[2] END,
        CASE WHEN 3 BETWEEN t.first AND t.last THEN d.observed[3] ELSE m.observed[3] END,
        CASE WHEN 4 BETWEEN t.first AND t.last THEN d.observed[4] ELSE m.observed[4] END,
        CASE WHEN 5 BETWEEN t.first AND t.last THEN d.observed[5] ELSE m.observed[5] END,
        CASE WHEN 6 BETWEEN t.first AND t.last THEN d.observed[6] ELSE m.observed[6] END,
        CASE WHEN 7 BETWEEN t.first AND t.last THEN d.observed[7] ELSE m.observed[7] END,
        CASE WHEN 8 BETWEEN t.first AND t.last THEN d.observed[8] ELSE m.observed[8] END,
        CASE WHEN 9 BETWEEN t.first AND t.last THEN d.observed[9] ELSE m.observed[9] END,
        CASE WHEN 10 BETWEEN t.first AND t.last THEN d.observed[10] ELSE m.observed[10] END,
        CASE WHEN 11 BETWEEN t.first AND t.last THEN d.observed[11] ELSE m.observed[11] END,
        CASE WHEN 12 BETWEEN t.first AND t.last THEN d.observed[12] ELSE m.observed[12] END,
        CASE WHEN 13 BETWEEN t.first AND t.last THEN d.observed[13] ELSE m.observed[13] END,
        CASE WHEN 14 BETWEEN t.first AND t.last THEN d.observed[14] ELSE m.observed[14] END,
        CASE WHEN 15 BETWEEN t.first AND t.last THEN d.observed[15] ELSE m.observed[15] END,
        CASE WHEN 16 BETWEEN t.first AND t.last THEN d.observed[16] ELSE m.observed[16] END,
        CASE WHEN 17 BETWEEN t.first AND t.last THEN d.observed[17] ELSE m.observed[17] END,
        CASE WHEN 18 BETWEEN t.first AND t.last THEN d.observed[18] ELSE m.observed[18] END,
        CASE WHEN 19 BETWEEN t.first AND t.last THEN d.observed[19] ELSE m.observed[19] END,
        CASE WHEN 20 BETWEEN t.first AND t.last THEN d.observed[20] ELSE m.observed[20] END,
        CASE WHEN 21 BETWEEN t.first AND t.last THEN d.observed[21] ELSE m.observed[21] END,
        CASE WHEN 22 BETWEEN t.first AND t.last THEN d.observed[22] ELSE m.observed[22] END,
        CASE WHEN 23 BETWEEN t.first AND t.last THEN d.observed[23] ELSE m.observed[23] END,
        CASE WHEN 24 BETWEEN t.first AND t.last THEN d.observed[24] ELSE m.observed[24] END,
        CASE WHEN 25 BETWEEN t.first AND t.last THEN d.observed[25] ELSE m.observed[25] END,
        CASE WHEN 26 BETWEEN t.first AND t.last THEN d.observed[26] ELSE m.observed[26] END,
        CASE WHEN 27 BETWEEN t.first AND t.last THEN d.observed[27] ELSE m.observed[27] END,
        CASE WHEN 28 BETWEEN t.first AND t.last THEN d.observed[28] ELSE m.observed[28] END,
        CASE WHEN 29 BETWEEN t.first AND t.last THEN d.observed[29] ELSE m.observed[29] END,
        CASE WHEN 30 BETWEEN t.first AND t.last THEN d.observed[30] ELSE m.observed[30] END,
        CASE WHEN 31 BETWEEN t.first AND t.last THEN d.observed[31] ELSE m.observed[31] END] AS observed
    FROM (
      SELECT asset, company, month, extract(day FROM min(from_date))::integer AS first,
        extract(day FROM max(to_date))::integer AS last
      FROM touched WHERE kind = 'impressions' GROUP BY asset, company, month
    ) AS t LEFT JOIN asset_months m USING (asset, month)
      LEFT JOIN LATERAL define_asset_months(t.asset, t.month, t.first, t.last) AS d ON true
  )
  MERGE INTO asset_months AS m USING (
    SELECT *, (SELECT sum(value) FROM unnest(ARRAY[day_1, day_2, day_3, day_4, day_5, day_6, day_7, day_8, day_9,
      day_10, day_11, day_12, day_13, day_14, day_15, day_16, day_17, day_18, day_19, day_20, day_21, day_22, day_23,
      day_24, day_25, day_26, day_27, day_28, day_29, day_30, day_31]) AS value) AS impressions,
      (SELECT sum(value) FROM unnest(observed) AS value) AS observed_total,
      num_nonnulls(day_1, day_2, day_3, day_4, day_5, day_6, day_7, day_8, day_9, day_10, day_11, day_12, day_13,
        day_14, day_15, day_16, day_17, day_18, day_19, day_20, day_21, day_22, day_23, day_24, day_25, day_26, day_27,
        day_28, day_29, day_30, day_31) AS days_with_data
    FROM months
  ) AS n ON (m.asset, m.month) = (n.asset, n.month)
  WHEN MATCHED AND n.impressions IS NULL THEN DELETE
  WHEN MATCHED THEN UPDATE SET (impressions, observed, observed_total, days_with_data, day_1, day_2, day_3, day_4,
    day_5, day_6, day_7, day_8, day_9, day_10, day_11, day_12, day_13, day_14, day_15, day_16, day_17, day_18, day_19,
    day_20, day_21, day_22, day_23, day_24, day_25, day_26, day_27, day_28, day_29, day_30, day_31)
    = ROW (n.impressions, n.observed, n.observed_total, n.days_with_data, n.day_1, n.day_2, n.day_3, n.day_4, n.day_5,
      n.day_6, n.day_7, n.day_8, n.day_9, n.day_10, n.day_11, n.day_12, n.day_13, n.day_14, n.day_15, n.day_16,
      n.day_17, n.day_18, n.day_19, n.day_20, n.day_21, n.day_22, n.day_23, n.day_24, n.day_25, n.day_26, n.day_27,
      n.day_28, n.day_29, n.day_30, n.day_31)
  WHEN NOT MATCHED AND n.impressions IS NOT NULL THEN
    INSERT VALUES (n.asset, n.company, n.month, n.impressions, n.day_1, n.day_2, n.day_3, n.day_4, n.day_5, n.day_6,
      n.day_7, n.day_8, n.day_9, n.day_10, n.day_11, n.day_12, n.day_13, n.day_14, n.day_15, n.day_16, n.day_17,
      n.day_18, n.day_19, n.day_20, n.day_21, n.day_22, n.day_23, n.day_24, n.day_25, n.day_26, n.day_27, n.day_28,
      n.day_29, n.day_30, n.day_31, n.observed, n.observed_total,
      n.days_with_data)
$$;
COMMENT ON FUNCTION refresh_asset_months IS 'Replaces the touched days of asset_months by what their definition says.';

CREATE TABLE class_months (
  company integer NOT NULL,
  class integer NOT NULL,
  month integer NOT NULL,
  impressions bigint NOT NULL,
  day_1 bigint NOT NULL, day_2 bigint NOT NULL, day_3 bigint NOT NULL, day_4 bigint NOT NULL, day_5 bigint NOT NULL,
    day_6 bigint NOT NULL, day_7 bigint NOT NULL, day_8 bigint NOT NULL, day_9 bigint NOT NULL, day_10 bigint NOT NULL,
    day_11 bigint NOT NULL, day_12 bigint NOT NULL, day_13 bigint NOT NULL, day_14 bigint NOT NULL,
    day_15 bigint NOT NULL, day_16 bigint NOT NULL, day_17 bigint NOT NULL, day_18 bigint NOT NULL,
    day_19 bigint NOT NULL, day_20 bigint NOT NULL, day_21 bigint NOT NULL, day_22 bigint NOT NULL,
    day_23 bigint NOT NULL, day_24 bigint NOT NULL, day_25 bigint NOT NULL, day_26 bigint NOT NULL,
    day_27 bigint NOT NULL, day_28 bigint NOT NULL, day_29 bigint NOT NULL, day_30 bigint NOT NULL,
    day_31 bigint NOT NULL,
  observed_total bigint NOT NULL,
  observed bigint[] NOT NULL,
  PRIMARY KEY (company, class, month)
) WITH (fillfactor = 70);
COMMENT ON TABLE class_months IS 'Impressions of a class of assets, or of all assets of a company, in a month of local dates: sums of asset_months.';
COMMENT ON COLUMN class_months.class IS '0: all assets of the company.';
COMMENT ON COLUMN class_months.month IS 'Months since year 0.';
COMMENT ON COLUMN class_months.observed_total IS 'Native intervals with a count, of the month.';
COMMENT ON COLUMN class_months.observed IS 'Native intervals with a count, by day.';

CREATE FUNCTION define_class_months(company integer, class integer, month integer)
RETURNS SETOF class_months LANGUAGE sql STABLE AS $$
  SELECT a.company, a.class, m.month, sum(m.impressions)::bigint, coalesce(sum(m.day_1), 0)::bigint,
    coalesce(sum(m.day_2), 0)::bigint, coalesce(sum(m.day_3), 0)::bigint, coalesce(sum(m.day_4), 0)::bigint,
    coalesce(sum(m.day_5), 0)::bigint, coalesce(sum(m.day_6), 0)::bigint, coalesce(sum(m.day_7), 0)::bigint,
    coalesce(sum(m.day_8), 0)::bigint, coalesce(sum(m.day_9), 0)::bigint, coalesce(sum(m.day_10), 0)::bigint,
    coalesce(sum(m.day_11), 0)::bigint, coalesce(sum(m.day_12), 0)::bigint, coalesce(sum(m.day_13), 0)::bigint,
    coalesce(sum(m.day_14), 0)::bigint, coalesce(sum(m.day_15), 0)::bigint, coalesce(sum(m.day_16), 0)::bigint,
    coalesce(sum(m.day_17), 0)::bigint, coalesce(sum(m.day_18), 0)::bigint, coalesce(sum(m.day_19), 0)::bigint,
    coalesce(sum(m.day_20), 0)::bigint, coalesce(sum(m.day_21), 0)::bigint, coalesce(sum(m.day_22), 0)::bigint,
    coalesce(sum(m.day_23), 0)::bigint, coalesce(sum(m.day_24), 0)::bigint, coalesce(sum(m.day_25), 0)::bigint,
    coalesce(sum(m.day_26), 0)::bigint, coalesce(sum(m.day_27), 0)::bigint, coalesce(sum(m.day_28), 0)::bigint,
    coalesce(sum(m.day_29), 0)::bigint, coalesce(sum(m.day_30), 0)::bigint, coalesce(sum(m.day_31), 0)::bigint,
    sum(m.observed_total)::bigint, ARRAY[coalesce(sum(m.observed[1]), 0), coalesce(sum(m.observed[2]), 0),
      coalesce(sum(m.observed[3]), 0), coalesce(sum(m.observed[4]), 0), coalesce(sum(m.observed[5]), 0),
      coalesce(sum(m.observed[6]), 0), coalesce(sum(m.observed[7]), 0), coalesce(sum(m.observed[8]), 0),
      coalesce(sum(m.observed[9]), 0), coalesce(sum(m.observed[10]), 0), coalesce(sum(m.observed[11]), 0),
      coalesce(sum(m.observed[12]), 0), coalesce(sum(m.observed[13]), 0), coalesce(sum(m.observed[14]), 0),
      coalesce(sum(m.observed[15]), 0), coalesce(sum(m.observed[16]), 0), coalesce(sum(m.observed[17]), 0),
      coalesce(sum(m.observed[18]), 0), coalesce(sum(m.observed[19]), 0), coalesce(sum(m.observed[20]), 0),
      coalesce(sum(m.observed[21]), 0), coalesce(sum(m.observed[22]), 0), coalesce(sum(m.observed[23]), 0),
      coalesce(sum(m.observed[24]), 0), coalesce(sum(m.observed[25]), 0), coalesce(sum(m.observed[26]), 0),
      coalesce(sum(m.observed[27]), 0), coalesce(sum(m.observed[28]), 0), coalesce(sum(m.observed[29]), 0),
      coalesce(sum(m.observed[30]), 0), coalesce(sum(m.observed[31]), 0)]::bigint[]
  FROM assets a JOIN asset_months m ON m.asset = a.number AND m.month = $3
  WHERE a.class = $2 AND a.company = $1
  GROUP BY a.company, a.class, m.month
  UNION ALL
  SELECT m.company, 0, m.month, sum(m.impressions)::bigint, sum(m.day_1)::bigint, sum(m.day_2)::bigint,
    sum(m.day_3)::bigint, sum(m.day_4)::bigint, sum(m.day_5)::bigint, sum(m.day_6)::bigint, sum(m.day_7)::bigint,
    sum(m.day_8)::bigint, sum(m.day_9)::bigint, sum(m.day_10)::bigint, sum(m.day_11)::bigint, sum(m.day_12)::bigint,
    sum(m.day_13)::bigint, sum(m.day_14)::bigint, sum(m.day_15)::bigint, sum(m.day_16)::bigint, sum(m.day_17)::bigint,
    sum(m.day_18)::bigint, sum(m.day_19)::bigint, sum(m.day_20)::bigint, sum(m.day_21)::bigint, sum(m.day_22)::bigint,
    sum(m.day_23)::bigint, sum(m.day_24)::bigint, sum(m.day_25)::bigint, sum(m.day_26)::bigint, sum(m.day_27)::bigint,
    sum(m.day_28)::bigint, sum(m.day_29)::bigint, sum(m.day_30)::bigint, sum(m.day_31)::bigint,
    sum(m.observed_total)::bigint, ARRAY[coalesce(sum(m.observed[1]), 0), coalesce(sum(m.observed[2]), 0),
      coalesce(sum(m.observed[3]), 0), coalesce(sum(m.observed[4]), 0), coalesce(sum(m.observed[5]), 0),
      coalesce(sum(m.observed[6]), 0), coalesce(sum(m.observed[7]), 0), coalesce(sum(m.observed[8]), 0),
      coalesce(sum(m.observed[9]), 0), coalesce(sum(m.observed[10]), 0), coalesce(sum(m.observed[11]), 0),
      coalesce(sum(m.observed[12]), 0), coalesce(sum(m.observed[13]), 0), coalesce(sum(m.observed[14]), 0),
      coalesce(sum(m.observed[15]), 0), coalesce(sum(m.observed[16]), 0), coalesce(sum(m.observed[17]), 0),
      coalesce(sum(m.observed[18]), 0), coalesce(sum(m.observed[19]), 0), coalesce(sum(m.observed[20]), 0),
      coalesce(sum(m.observed[21]), 0), coalesce(sum(m.observed[22]), 0), coalesce(sum(m.observed[23]), 0),
      coalesce(sum(m.observed[24]), 0), coalesce(sum(m.observed[25]), 0), coalesce(sum(m.observed[26]), 0),
      coalesce(sum(m.observed[27]), 0), coalesce(sum(m.observed[28]), 0), coalesce(sum(m.observed[29]), 0),
      coalesce(sum(m.observed[30]), 0), coalesce(sum(m.observed[31]), 0)]::bigint[]
  FROM class_months m WHERE $2 = 0 AND m.company = $1 AND m.class > 0 AND m.month = $3
  GROUP BY m.company, m.month
$$;
