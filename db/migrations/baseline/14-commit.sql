-- Before each commit, whichever program makes it: completes what was touched, stores what is served and was, and
-- refreshes what derives from it. One transaction at a time does so. The last function here runs the others.

-- Coverage, the share of the intervals of installed sensors that have counts, is computed when it is read. Days where
-- installations change it are touched, so that readers of the feed read them again.

CREATE FUNCTION touch_coverage() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO touched (kind, asset, company, month, days)
    SELECT 'impressions', c.asset, c.company, m.month, bit_or(day_bit(d.date))
    FROM (
      SELECT a.number AS asset, a.company, local_time(a.rules, lower(period))::date AS first,
        local_time(a.rules, upper(period) - interval '1 millisecond')::date AS last
      FROM touched t CROSS JOIN unnest(t.periods) AS period JOIN assets a ON a.number = t.asset
      WHERE t.kind = 'installation'
    ) AS c
      -- Months with counts, without which coverage is 0, and those that share a week or a quarter with them.
      CROSS JOIN LATERAL (
        SELECT DISTINCT near.month
        FROM asset_months m CROSS JOIN generate_series(least(m.month - 1, m.month / 3 * 3),
          greatest(m.month + 1, m.month / 3 * 3 + 2)) AS near (month)
        WHERE m.asset = c.asset AND m.kind = 'impressions'
          AND near.month >= month_number(c.first) AND (c.last IS NULL OR near.month <= month_number(c.last))
      ) AS m
      CROSS JOIN LATERAL (
        SELECT day::date AS date FROM generate_series(greatest(c.first, month_start(m.month)),
          least(c.last, month_start(m.month + 1) - 1), interval '1 day') AS day
      ) AS d
    GROUP BY c.asset, c.company, m.month;
  INSERT INTO touched (kind, asset, company, month, days)
    SELECT d.kind, d.asset, d.company, d.month, bit_or(day_bit(d.date))
    FROM touched t JOIN asset_days d ON d.asset = t.asset AND d.kind = 'impressions'
    WHERE t.kind = 'time_zone' GROUP BY d.kind, d.asset, d.company, d.month;
$$;
COMMENT ON FUNCTION touch_coverage IS
  'Touches days whose coverage has changed, days to come included: by sensors that were installed or removed, or, of '
  'all days, by another time zone. New rules of a zone touch none but those whose counts they move.';

CREATE FUNCTION fill_touched_months(current bigint, instant timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  WITH open AS MATERIALIZED (
    SELECT rules, first_open_day(rules, instant) AS day
    FROM (
      SELECT a.rules FROM touched t JOIN assets a ON a.number = t.asset
      UNION
      SELECT former_rules FROM touched WHERE kind = 'rules'
    ) AS r
  )
  INSERT INTO touched_months (asset, company, kind, month, days, first_day, last_day, first_open_day, final_through,
      asset_id, totals_before, observed_before, since_before,
      totals, observed, since, month_total, observed_total, days_with_data, oldest)
    SELECT t.asset, t.company, t.kind, t.month, t.days, t.first_day, t.last_day, greatest(o.day, f.day),
      coalesce(c.final_through, '-infinity'), a.id, m.totals, m.observed, m.since,
      n.totals, n.observed, n.since, n.month_total, n.observed_total, n.days_with_data, n.oldest
    FROM (
      SELECT *, 32 - length(rtrim(days::bit(31)::text, '0')) AS first_day,
        length(ltrim(days::bit(31)::text, '0')) AS last_day
      FROM (
        SELECT asset, company, kind, month, bit_or(days) AS days
        FROM touched WHERE kind IN ('impressions', 'origins', 'demographics')
        GROUP BY asset, company, kind, month) AS t
    ) AS t
      -- An asset that is deleted has no row here, and no open day: its months are not refused, and deleted later. Of
      -- others, o has the present rules, and f those until now, if they were changed: perhaps more than once.
      LEFT JOIN assets a ON a.number = t.asset
      LEFT JOIN open o ON o.rules = a.rules
      LEFT JOIN companies c ON c.number = t.company
      LEFT JOIN (
        SELECT t.asset, max(o.day) AS day FROM touched t JOIN open o ON o.rules = t.former_rules GROUP BY t.asset
      ) AS f ON f.asset = t.asset
      LEFT JOIN asset_month_arrays m ON m.asset = t.asset AND m.kind = t.kind AND m.month = t.month
      CROSS JOIN LATERAL (
        SELECT array_agg(total ORDER BY day), CASE t.kind WHEN 'impressions' THEN array_agg(observed ORDER BY day) END,
          array_agg(since ORDER BY day), coalesce(sum(total), 0)::bigint, coalesce(sum(observed), 0)::integer,
          count(total)::smallint, min(since)
        FROM (
          SELECT day, CASE WHEN is_touched THEN d.total ELSE m.totals[day] END AS total,
            CASE WHEN is_touched THEN d.observed ELSE m.observed[day] END AS observed,
            CASE WHEN is_touched THEN current ELSE m.since[day] END AS since
          FROM generate_series(1, 31) AS day CROSS JOIN LATERAL (SELECT t.days >> day - 1 & 1 = 1 AS is_touched) AS b
            LEFT JOIN (
              SELECT date, total, observed FROM defined_days
              WHERE kind = t.kind AND asset = t.asset
                AND date BETWEEN month_start(t.month) + t.first_day - 1 AND month_start(t.month) + t.last_day - 1
            ) AS d ON d.date = month_start(t.month) + day - 1
        ) AS d
      ) AS n (totals, observed, since, month_total, observed_total, days_with_data, oldest);
END $$;
COMMENT ON FUNCTION fill_touched_months IS
  'Fills touched_months with the months as they were and as they are now. Days that are not touched stay as they are.';

CREATE FUNCTION record_history(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  why text = coalesce(nullif(current_setting('partner_metrics.reason', true), ''), 'import');
  given_note text = nullif(current_setting('partner_metrics.note', true), '');
  is_public boolean = coalesce(current_setting('partner_metrics.note_is_public', true) = 'true', false);
  may_restate boolean = coalesce(current_setting('partner_metrics.restate', true) = 'true', false);
  refused json;
BEGIN
  -- Commands set why for the transaction; without it, it is an import. Retention sets `unrecorded`: it deletes former
  -- totals as well, so that nothing is refused or kept, and there is no reason.
  IF why = 'unrecorded' THEN RETURN; END IF;
  IF NOT may_restate AND EXISTS (SELECT FROM touched_months WHERE month_start(month) <= final_through) THEN
    SELECT json_agg(json_build_object('asset', asset_id, 'kind', kind, 'from', first, 'to', last, 'days', days)
        ORDER BY asset_id, kind) INTO refused
      FROM (
        SELECT asset_id, kind, min(date) AS first, max(date) AS last, count(*) AS days FROM touched_days
        WHERE asset_id IS NOT NULL AND date <= final_through AND total IS DISTINCT FROM total_before
        GROUP BY asset_id, kind
      ) AS d;
    IF refused IS NOT NULL THEN
      RAISE SQLSTATE 'PM001' USING MESSAGE = 'totals of a closed month would change', DETAIL = refused::text;
    END IF;
  END IF;
  -- Nothing is kept when a day gets its first value, nor of a day that is not over, unless its month was closed, which
  -- may be earlier. Once a day has rows here, all is kept. Deleted assets, which have no asset_id, keep none. A public
  -- reason is a note on the asset, unless what was set aside is one already.
  WITH kept AS (
    INSERT INTO former_totals (asset, company, kind, date, since, until,
        total, observed, next_total, next_observed, final, asset_id)
      SELECT d.asset, d.company, d.kind, d.date, d.since_before, current,
        d.total_before, d.observed_before, d.total, d.observed, d.date <= d.final_through, d.asset_id
      FROM touched_days d
      WHERE d.since_before IS NOT NULL AND d.asset_id IS NOT NULL AND (
        d.total_before IS NOT NULL AND (d.date < d.first_open_day OR d.date <= d.final_through)
        OR EXISTS (SELECT FROM former_totals f WHERE f.asset = d.asset AND f.kind = d.kind AND f.date = d.date))
      RETURNING asset, total, next_total
  )
  INSERT INTO touched (kind, asset)
    SELECT DISTINCT 'notes', asset FROM kept
    WHERE total IS DISTINCT FROM next_total AND is_public AND given_note IS NOT NULL AND why <> 'set_aside';
  -- By month, so that no days are read.
  IF EXISTS (SELECT FROM touched_months WHERE month_start(month) < first_open_day) THEN
    UPDATE transactions SET (reason, note, note_is_public) = ROW (why, given_note, is_public)
      WHERE commit_number IS NULL;
  END IF;
END $$;
COMMENT ON FUNCTION record_history IS
  'Refuses changes of closed months (PM001), and writes what was served until now of days that were over to the '
  'history.';

CREATE FUNCTION store_months(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  no_bits CONSTANT bit(2048) = B'0'::bit(2048);
  max_total CONSTANT bigint = 2147483647;
  refused json;
BEGIN
  -- No day can be too large in a month that is not.
  IF EXISTS (SELECT FROM touched_months WHERE month_total > max_total) THEN
    SELECT json_agg(json_build_object('asset', asset_id, 'kind', kind, 'date', date, 'total', total)
        ORDER BY asset_id, kind, date) INTO refused
      FROM touched_days WHERE total > max_total;
    IF refused IS NOT NULL THEN
      RAISE SQLSTATE 'PM002' USING MESSAGE = format('totals of days are greater than %s', max_total),
        DETAIL = refused::text;
    END IF;
  END IF;
  INSERT INTO asset_months (asset, company, kind, month, newest, oldest, since, total, observed_total, days_with_data,
      «day_DAY», «observed_DAY»)
    SELECT asset, company, kind, month, current, oldest, since, month_total, observed_total, days_with_data,
      «totals[DAY]», «observed[DAY]»
    FROM touched_months
    ON CONFLICT (asset, kind, month) DO UPDATE SET newest = excluded.newest, oldest = excluded.oldest,
      since = excluded.since, total = excluded.total, observed_total = excluded.observed_total,
      days_with_data = excluded.days_with_data, «day_DAY = excluded.day_DAY»,
      «observed_DAY = excluded.observed_DAY»;
  MERGE INTO measured_assets AS m USING (
    SELECT kind, company, date, asset / 2048 AS block, bit_or(set_bit(no_bits, asset % 2048, 1)) AS touched_bits,
      bit_or(set_bit(no_bits, asset % 2048, (total IS NOT NULL)::integer)) AS measured_bits
    FROM touched_days WHERE kind <> 'origins' AND (total IS NULL) <> (total_before IS NULL) GROUP BY 1, 2, 3, 4
  ) AS b ON m.kind = b.kind AND m.company = b.company AND m.date = b.date AND m.block = b.block
  WHEN MATCHED AND (m.assets & ~b.touched_bits | b.measured_bits) = no_bits THEN DELETE
  WHEN MATCHED THEN UPDATE SET assets = m.assets & ~b.touched_bits | b.measured_bits
  WHEN NOT MATCHED AND b.measured_bits <> no_bits THEN INSERT (kind, company, date, block, assets)
    VALUES (b.kind, b.company, b.date, b.block, b.measured_bits);
  INSERT INTO asset_versions AS v (asset, company, measured_from, measured_to)
    SELECT d.asset, d.company, d.measured_from, d.measured_to
    FROM defined_asset_versions d JOIN (
      SELECT asset FROM touched_months WHERE kind = 'impressions'
      UNION
      SELECT asset FROM touched WHERE kind = 'asset' -- Among them are new ones, without counts.
    ) AS t ON t.asset = d.asset
    ON CONFLICT (asset) DO UPDATE SET measured_from = excluded.measured_from, measured_to = excluded.measured_to
      WHERE (v.measured_from, v.measured_to) IS DISTINCT FROM (excluded.measured_from, excluded.measured_to);
  MERGE INTO asset_demographics AS s USING (
    SELECT t.asset AS touched_asset, t.month AS touched_month, d.*
    FROM touched_months t LEFT JOIN defined_asset_demographics d ON d.asset = t.asset AND d.month = t.month
    WHERE t.kind = 'demographics'
  ) AS d ON s.asset = d.touched_asset AND s.month = d.touched_month
  WHEN MATCHED AND d.asset IS NULL THEN DELETE
  WHEN MATCHED THEN UPDATE SET «GROUP = d.GROUP»
  WHEN NOT MATCHED AND d.asset IS NOT NULL THEN INSERT (asset, company, month, «GROUP»)
    VALUES (d.asset, d.company, d.month, «d.GROUP»);
END $$;
COMMENT ON FUNCTION store_months IS
  'Refuses totals of days that are too large (PM002), and stores the touched months as they are now.';

-- Runs before each commit that touched anything. The order of the steps matters: touch_coverage adds days to those of
-- which fill_touched_months reads the former totals, before store_months replaces them (asset_months first, which
-- defined_asset_demographics reads); record_history adds notes that record_changes lists; that deletes what
-- store_months has stored of deleted assets. commit_number is last: until then begin_transaction, which these steps
-- run too, adds no other row.
--
-- Plans belong to the transaction: those that the connection has kept were made for tables of another size, and would
-- compare each row with each. PostgreSQL knows nothing of the tables of what was touched, which are empty between
-- transactions: where they have many rows, they are analysed, and again once they are empty.
CREATE FUNCTION finish_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
SET jit = off SET default_statistics_target = 10 AS $$
DECLARE
  current bigint;
  touches_many boolean;
  instant timestamptz;
BEGIN
  -- The row is locked until the commit. In read committed, as programs write, statements after this one see what others
  -- have committed; a transaction that keeps an older snapshot fails here, because the row was updated.
  UPDATE locks SET name = name WHERE name = 'feed';
  DISCARD PLANS;
  current = (SELECT coalesce(max(commit_number), 0) + 1 FROM transactions);
  instant = clock_timestamp();
  -- The clock was ahead. Public reasons of commits are notes, which show the instant.
  IF instant < (SELECT max(committed_at) FROM transactions) THEN
    WITH corrected AS (
      UPDATE transactions SET committed_at = instant WHERE committed_at > instant
      RETURNING commit_number, note_is_public
    )
    INSERT INTO touched (kind, asset)
      SELECT DISTINCT 'notes', f.asset FROM corrected c JOIN former_totals f ON f.until = c.commit_number
      WHERE c.note_is_public;
  END IF;
  IF EXISTS (SELECT FROM touched WHERE kind IN ('installation', 'time_zone')) THEN PERFORM touch_coverage(); END IF;
  -- Below that, analysing takes longer than any plan.
  touches_many = (SELECT count(*) > 200 FROM touched);
  IF touches_many THEN ANALYZE touched_rows; END IF;
  PERFORM fill_touched_months(current, instant);
  IF touches_many THEN ANALYZE touched_month_rows; END IF;
  PERFORM record_history(current);
  PERFORM store_months(current);
  IF EXISTS (SELECT FROM touched WHERE kind NOT IN ('impressions', 'origins', 'demographics')) THEN
    PERFORM record_changes(current);
  END IF;
  DELETE FROM touched;
  DELETE FROM touched_months;
  IF touches_many THEN ANALYZE touched_rows, touched_month_rows; END IF;
  UPDATE transactions SET commit_number = current, committed_at = instant WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER finish_transaction AFTER INSERT ON transactions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION finish_transaction();
