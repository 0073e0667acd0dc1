-- Before each commit: completes what was touched, writes the record of what is served, and refreshes what derives from it, whichever
-- program made the transaction. One transaction at a time does so.

CREATE FUNCTION touch_coverage() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO touched (kind, asset, company, month, days)
    SELECT 'impressions', c.asset, c.company, m.month, bit_or(1 << extract(day FROM d.date)::integer - 1)
    FROM (
      SELECT a.number AS asset, a.company, local_date(a.rules, lower(period)) AS first,
        local_date(a.rules, upper(period) - interval '1 millisecond') AS last
      FROM touched t CROSS JOIN unnest(t.periods) AS period
        CROSS JOIN LATERAL (SELECT number, company, rules FROM assets WHERE number = t.asset LIMIT 1) AS a
      WHERE t.kind = 'installed'
    ) AS c
      -- A bucket without counts has the coverage 0 whatever is installed; weeks and quarters with counts include days of months without.
      CROSS JOIN LATERAL (
        SELECT DISTINCT near.month
        FROM (SELECT month FROM asset_months WHERE asset = c.asset AND kind = 'impressions' ORDER BY month) AS m
          CROSS JOIN generate_series(m.month - 2, m.month + 2) AS near (month)
        WHERE (near.month / 3 = m.month / 3 OR abs(near.month - m.month) <= 1)
          AND near.month >= month_number(c.first) AND (c.last IS NULL OR near.month <= month_number(c.last))
      ) AS m
      CROSS JOIN LATERAL (
        SELECT day::date AS date FROM generate_series(greatest(c.first, month_start(m.month)),
          least(c.last, month_start(m.month + 1) - 1), interval '1 day') AS day
      ) AS d
    GROUP BY c.asset, c.company, m.month;
  INSERT INTO touched (kind, asset, company, month, days)
    SELECT d.kind, d.asset, d.company, d.month, bit_or(1 << extract(day FROM d.date)::integer - 1)
    FROM touched t CROSS JOIN LATERAL (SELECT * FROM asset_days WHERE asset = t.asset AND kind = 'impressions' ORDER BY month) AS d
    WHERE t.kind = 'time_zone' GROUP BY d.kind, d.asset, d.company, d.month;
$$;
COMMENT ON FUNCTION touch_coverage IS 'Touches days whose coverage has changed, days to come included: by sensors that were installed or removed, or, of all days, by another time zone. New rules of a zone touch none but those whose counts they move.';

CREATE FUNCTION fill_touched_months(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  WITH open AS MATERIALIZED (
    SELECT rules, first_open_day(rules, to_timestamp(current / 1000000)) AS day
    FROM (
      SELECT a.rules FROM touched t CROSS JOIN LATERAL (SELECT rules FROM assets WHERE number = t.asset LIMIT 1) AS a
      UNION
      SELECT former_rules FROM touched WHERE former_rules IS NOT NULL
    ) AS r
  )
  INSERT INTO touched_months
    SELECT t.asset, t.company, t.kind, t.month, t.days, t.first_day, t.last_day,
      greatest(a.day, (SELECT max(o.day) FROM touched f JOIN open o ON o.rules = f.former_rules WHERE f.asset = t.asset)),
      coalesce(c.final_through, '-infinity'), a.id, m.totals, m.observed, m.since, n.*
    FROM (
      -- The lowest and the highest bit.
      SELECT *, 32 - length(rtrim(days::bit(31)::text, '0')) AS first_day, length(ltrim(days::bit(31)::text, '0')) AS last_day
      FROM (SELECT asset, company, kind, month, bit_or(days) AS days FROM touched WHERE month IS NOT NULL GROUP BY 1, 2, 3, 4) AS t
    ) AS t
      -- Both are missing of an asset that is deleted: its months are neither refused nor kept.
      LEFT JOIN LATERAL (SELECT id, o.day FROM assets JOIN open o USING (rules) WHERE number = t.asset LIMIT 1) AS a ON true
      LEFT JOIN LATERAL (SELECT final_through FROM companies WHERE number = t.company LIMIT 1) AS c ON true
      LEFT JOIN LATERAL (
        SELECT totals, observed, since FROM asset_month_arrays WHERE asset = t.asset AND kind = t.kind AND month BETWEEN t.month AND t.month
        ORDER BY month LIMIT 1) AS m ON true
      CROSS JOIN LATERAL (
        SELECT array_agg(total ORDER BY day), CASE t.kind WHEN 'impressions' THEN array_agg(observed ORDER BY day) END,
          array_agg(since ORDER BY day), coalesce(sum(total), 0)::bigint, coalesce(sum(observed), 0)::integer, count(total)::smallint, min(since)
        FROM (
          SELECT day, max(total) AS total, max(observed) AS observed, max(since) AS since
          FROM (
            SELECT day, CASE WHEN is_touched THEN NULL ELSE m.totals[day] END AS total,
              CASE WHEN is_touched THEN NULL ELSE m.observed[day] END AS observed, CASE WHEN is_touched THEN current ELSE m.since[day] END AS since
            FROM generate_series(1, 31) AS day CROSS JOIN LATERAL (SELECT t.days >> day - 1 & 1 = 1 AS is_touched) AS b
            UNION ALL
            SELECT extract(day FROM date)::integer, total, observed, current FROM defined_days
            WHERE kind = t.kind AND asset = t.asset AND date BETWEEN month_start(t.month) + t.first_day - 1 AND month_start(t.month) + t.last_day - 1
              AND t.days >> extract(day FROM date)::integer - 1 & 1 = 1
          ) AS d GROUP BY day
        ) AS d
      ) AS n;
END $$;
COMMENT ON FUNCTION fill_touched_months IS 'Fills touched_months with the months as they were and as they are now. Days that are not touched stay as they are.';

CREATE FUNCTION record_history(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  why text = coalesce(nullif(current_setting('partner_metrics.reason', true), ''), 'import');
  given_note text = nullif(current_setting('partner_metrics.note', true), '');
  is_public boolean = coalesce(current_setting('partner_metrics.note_is_public', true) = 'true', false);
  may_restate boolean = coalesce(current_setting('partner_metrics.restate', true) = 'true', false);
  refused json;
BEGIN
  -- Retention deletes what was served as well.
  IF why = 'unrecorded' THEN RETURN; END IF;
  IF NOT may_restate AND EXISTS (SELECT FROM touched_months WHERE month_start(month) <= final_through) THEN
    SELECT json_agg(json_build_object('asset', a.id, 'kind', d.kind, 'from', first, 'to', last, 'days', days) ORDER BY a.id, d.kind) INTO refused
      FROM (
        SELECT asset, kind, min(date) AS first, max(date) AS last, count(*) AS days FROM touched_days
        WHERE date <= final_through AND total IS DISTINCT FROM former_total GROUP BY asset, kind
      ) AS d CROSS JOIN LATERAL (SELECT id FROM assets WHERE number = d.asset LIMIT 1) AS a;
    IF refused IS NOT NULL THEN
      RAISE SQLSTATE 'PM001' USING MESSAGE = 'totals of a closed month would change', DETAIL = refused::text;
    END IF;
  END IF;
  -- The first value of a day replaces nothing. From then on all is kept, so that there is no hole.
  INSERT INTO former_totals
    SELECT d.asset, d.company, d.kind, d.date, d.former_since, current, d.former_total, d.former_observed, d.total, d.observed,
      d.date <= d.final_through, d.asset_id
    FROM touched_days d
    WHERE d.former_since IS NOT NULL AND d.asset_id IS NOT NULL AND (
      d.former_total IS NOT NULL AND (d.date < d.over_until OR d.date <= d.final_through)
      OR (SELECT true FROM former_totals WHERE asset = d.asset AND kind = d.kind AND date = d.date ORDER BY until LIMIT 1));
  IF EXISTS (SELECT FROM touched_months WHERE month_start(month) < over_until) THEN
    UPDATE transactions SET (reason, note, note_is_public, operation)
      = ROW (why, given_note, is_public, nullif(current_setting('partner_metrics.operation', true), '')::bigint)
      WHERE number IS NULL;
  END IF;
  -- A public reason is a note on the asset, unless what was set aside is one already.
  IF is_public AND given_note IS NOT NULL AND why <> 'set_aside' THEN
    INSERT INTO touched (kind, asset)
      SELECT DISTINCT 'notes', d.asset FROM touched_days d
      WHERE d.former_since IS NOT NULL AND d.total IS DISTINCT FROM d.former_total
        AND current = (SELECT until FROM former_totals WHERE asset = d.asset AND kind = d.kind AND date = d.date ORDER BY until DESC LIMIT 1);
  END IF;
END $$;
COMMENT ON FUNCTION record_history IS 'Refuses changes of closed months (PM001), and writes what was served until now of days that were over to the history.';

CREATE FUNCTION store_months(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  no_bits CONSTANT bit(2048) = B'0'::bit(2048);
  max_total CONSTANT bigint = 2147483647;
  refused json;
BEGIN
  IF EXISTS (SELECT FROM touched_months WHERE total > max_total) THEN
    SELECT json_agg(json_build_object('asset', asset_id, 'kind', kind, 'date', date, 'total', total) ORDER BY asset_id, kind, date) INTO refused
      FROM touched_days WHERE total > max_total;
    IF refused IS NOT NULL THEN
      RAISE SQLSTATE 'PM002' USING MESSAGE = format('totals of days are greater than %s', max_total), DETAIL = refused::text;
    END IF;
  END IF;
  INSERT INTO asset_months (total, number, oldest, asset, company, month, observed_total, days_with_data, «day_DAY», «observed_DAY», since, kind)
    SELECT total, current, oldest, asset, company, month, observed_total, days_with_data, «totals[DAY]», «observed[DAY]», since, kind FROM touched_months
    ON CONFLICT (asset, kind, month) DO UPDATE SET total = excluded.total, number = excluded.number, oldest = excluded.oldest,
      observed_total = excluded.observed_total, days_with_data = excluded.days_with_data, «day_DAY = excluded.day_DAY»,
      «observed_DAY = excluded.observed_DAY», since = excluded.since;
  -- The bits of assets that have got a value of a day, or lost it.
  MERGE INTO measured_assets AS m USING (
    SELECT t.*, s.row
    FROM (
      SELECT kind, company, date, asset / 2048 AS block, bit_or(set_bit(no_bits, asset % 2048, 1)) AS touched_bits,
        bit_or(set_bit(no_bits, asset % 2048, (total IS NOT NULL)::integer)) AS measured_bits
      FROM touched_days WHERE kind <> 'origins' AND (total IS NULL) <> (former_total IS NULL) GROUP BY 1, 2, 3, 4
    ) AS t LEFT JOIN LATERAL (
      SELECT ctid AS row FROM measured_assets WHERE kind = t.kind AND company = t.company AND date = t.date AND block = t.block LIMIT 1) AS s ON true
  ) AS b ON m.ctid = b.row
  WHEN MATCHED AND (m.assets & ~b.touched_bits | b.measured_bits) = no_bits THEN DELETE
  WHEN MATCHED THEN UPDATE SET assets = m.assets & ~b.touched_bits | b.measured_bits
  WHEN NOT MATCHED AND b.measured_bits <> no_bits THEN INSERT VALUES (b.kind, b.company, b.date, b.block, b.measured_bits);
  -- The first and last dates with counts.
  INSERT INTO asset_versions AS v (asset, company, measured_from, measured_to)
    SELECT s.* FROM (
      SELECT asset FROM touched_months WHERE kind = 'impressions'
      UNION SELECT asset FROM touched WHERE kind = 'asset'
    ) AS t CROSS JOIN LATERAL (SELECT * FROM defined_asset_versions WHERE asset = t.asset OFFSET 0) AS s
    ON CONFLICT (asset) DO UPDATE SET measured_from = excluded.measured_from, measured_to = excluded.measured_to, company = excluded.company
      WHERE (v.measured_from, v.measured_to, v.company) IS DISTINCT FROM (excluded.measured_from, excluded.measured_to, excluded.company);
  -- The sums of demographics by month.
  MERGE INTO asset_demographics AS t USING (
    SELECT s.row, d.*
    FROM touched_months k LEFT JOIN LATERAL (
      SELECT * FROM defined_asset_demographics WHERE asset = k.asset AND month BETWEEN k.month AND k.month ORDER BY month LIMIT 1) AS d ON true
      LEFT JOIN LATERAL (SELECT ctid AS row FROM asset_demographics WHERE asset = k.asset AND month = k.month LIMIT 1) AS s ON true
    WHERE k.kind = 'demographics'
  ) AS d ON t.ctid = d.row
  WHEN MATCHED AND d.asset IS NULL THEN DELETE
  WHEN MATCHED THEN UPDATE SET «GROUP = d.GROUP»
  WHEN NOT MATCHED AND d.asset IS NOT NULL THEN INSERT (asset, company, month, «GROUP») VALUES (d.asset, d.company, d.month, «d.GROUP»);
END $$;
COMMENT ON FUNCTION store_months IS 'Refuses totals of days that are too large (PM002), and stores the touched months as they are now.';

CREATE FUNCTION record_changes(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  removed integer[] = ARRAY(SELECT asset FROM touched WHERE kind = 'removed');
BEGIN
  IF removed <> '{}' THEN
    WITH deleted AS (
      DELETE FROM changes WHERE ctid = ANY (ARRAY(
        SELECT c.row
        FROM touched t CROSS JOIN LATERAL (
          SELECT ctid AS row FROM changes
          WHERE company = t.company AND asset_id BETWEEN t.asset_id AND t.asset_id AND kind <> 'removed' ORDER BY asset_id) AS c
        WHERE t.kind = 'removed'))
      RETURNING company, asset_id, kind, created_number
    )
    INSERT INTO changes (company, asset_id, kind, number, created_number)
      SELECT company, asset_id, 'removed', current, created_number FROM deleted WHERE kind = 'asset'
      ON CONFLICT (company, asset_id, (kind <> 'removed'), kind) DO UPDATE SET number = excluded.number;
    DELETE FROM asset_months WHERE ctid = ANY (ARRAY(
      SELECT m.row
      FROM touched t CROSS JOIN LATERAL (SELECT ctid AS row FROM asset_months WHERE asset = t.asset ORDER BY kind, month) AS m
      WHERE t.kind = 'removed'));
    DELETE FROM former_totals WHERE asset = ANY (removed);
    DELETE FROM asset_demographics WHERE asset = ANY (removed);
    DELETE FROM asset_versions WHERE asset = ANY (removed);
  END IF;
  -- Notes on sensors that were installed or removed, or whose local days are others.
  IF EXISTS (SELECT FROM touched WHERE kind = 'installed') OR EXISTS (SELECT FROM touched WHERE former_rules IS NOT NULL) THEN
    INSERT INTO touched (asset, kind)
      SELECT i.asset, 'notes'
      FROM (
        SELECT asset, sensor, periods FROM touched WHERE kind = 'installed'
        UNION ALL
        SELECT i.asset, i.sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM touched t CROSS JOIN LATERAL (SELECT * FROM installations WHERE asset BETWEEN t.asset AND t.asset ORDER BY asset) AS i
        WHERE t.kind = 'rules'
        UNION ALL
        -- Of the same company: a sensor that left it is no longer named in its notes on the assets where it was before.
        SELECT i.asset, i.sensor, tstzmultirange(tstzrange(installed_at, removed_at))
        FROM (
          SELECT t.sensor, a.company
            FROM touched t CROSS JOIN LATERAL (SELECT company FROM assets WHERE number = t.asset LIMIT 1) AS a WHERE t.kind = 'installed'
          UNION
          SELECT t.sensor, r.company
            FROM touched r CROSS JOIN LATERAL (SELECT sensor FROM touched WHERE asset = r.asset AND kind = 'installed' ORDER BY sensor) AS t
            WHERE r.kind = 'removed'
        ) AS t CROSS JOIN LATERAL (SELECT * FROM installations WHERE sensor = t.sensor ORDER BY installed_at) AS i WHERE i.company = t.company
      ) AS i CROSS JOIN LATERAL unnest(periods) AS period
      WHERE (SELECT true FROM set_asides WHERE sensor = i.sensor AND tstzrange(from_time, to_time) && period ORDER BY from_time LIMIT 1)
        OR EXISTS (
          SELECT FROM (SELECT * FROM notes WHERE sensor BETWEEN i.sensor AND i.sensor ORDER BY sensor) AS n CROSS JOIN (
            SELECT rules FROM assets WHERE number = i.asset
            UNION
            SELECT former_rules FROM touched t WHERE t.asset = i.asset AND t.former_rules IS NOT NULL) AS r
          WHERE NOT is_internal AND has_dates(rules, period, from_date, to_date));
  END IF;
  INSERT INTO changes (company, asset_id, kind, number, created_number)
    SELECT DISTINCT a.company, a.id, t.kind, current, CASE t.kind WHEN 'asset' THEN current END
    FROM touched t CROSS JOIN LATERAL (SELECT company, id FROM assets WHERE number = t.asset LIMIT 1) AS a
    WHERE t.kind IN ('asset', 'sensors', 'notes')
    ON CONFLICT (company, asset_id, (kind <> 'removed'), kind) DO UPDATE SET number = excluded.number;
END $$;
COMMENT ON FUNCTION record_changes IS 'Adds touched records to the feed, and deletes all that is kept of assets that were deleted.';

-- Runs before each commit that touched anything. The order of its steps is that in which the data derive from each other.
--
-- Rows are looked up one by one, in the order in which joins are written, and grouped by hashing: that is right for one month and for a
-- hundred thousand, whatever statistics say, and the plans of a connection can be kept. Each other table is read by a LATERAL subquery for
-- one row of the transaction, and MERGE finds rows by ctid: a join planned on empty tables would compare each row with each. ORDER BY
-- chooses among indexes, because sorting is off. PostgreSQL ignores the order of a column that is compared with `=`, so it is BETWEEN there.
CREATE FUNCTION finish_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
SET jit = off SET plan_cache_mode = force_generic_plan
SET join_collapse_limit = 1 SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_sort = off AS $$
DECLARE
  kinds text[];
  current bigint;
BEGIN
  -- The row is locked until the commit. A statement after this one sees what others have committed; a transaction whose snapshot is
  -- older fails here, because the row was updated.
  UPDATE locks SET name = name WHERE name = 'feed';
  current = greatest(to_microseconds(clock_timestamp()), (SELECT max(number) + 1 FROM transactions));
  kinds = ARRAY(SELECT DISTINCT kind FROM touched);
  IF kinds && ARRAY['installed', 'time_zone'] THEN
    PERFORM touch_coverage();
    kinds = kinds || ARRAY['impressions'];
  END IF;
  PERFORM fill_touched_months(current);
  PERFORM record_history(current);
  PERFORM store_months(current);
  IF EXISTS (SELECT FROM touched WHERE month IS NULL) THEN PERFORM record_changes(current); END IF;
  DELETE FROM touched;
  DELETE FROM touched_months;
  UPDATE transactions SET number = current WHERE id = NEW.id;
  DELETE FROM transactions WHERE id BETWEEN NEW.id - 1001000 AND NEW.id - 1000000 AND reason IS NULL;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER finish_transaction AFTER INSERT ON transactions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION finish_transaction();

CREATE FUNCTION begin_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM after) AND NOT EXISTS (SELECT 1 FROM transactions WHERE number IS NULL) THEN
    INSERT INTO transactions DEFAULT VALUES;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION begin_transaction() IS 'Adds a row to transactions, once, whose trigger runs finish_transaction before the commit.';
CREATE TRIGGER begin_transaction AFTER INSERT ON touched REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION begin_transaction();
