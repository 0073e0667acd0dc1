-- Refreshes what derives from the data once for each transaction, before its commit, whichever program made it. One
-- transaction at a time does so, in one order: totals, bitmaps, versions, and the feed of changes.

CREATE VIEW touched_coverage WITH (security_invoker = true) AS
  SELECT c.asset, m.month, greatest(first, month_start(m.month)) AS from_date, least(last,
    month_start(m.month + 1) - 1) AS to_date
  FROM (
    SELECT a.number AS asset, local_date(a.rules, lower(period)) AS first,
      local_date(a.rules, upper(period) - interval '1 millisecond') AS last
    FROM touched_installations t CROSS JOIN unnest(t.periods) AS period JOIN assets a ON a.number = t.asset
  ) AS c
  JOIN LATERAL (
    SELECT DISTINCT near.month FROM asset_months m CROSS JOIN generate_series(m.month - 2, m.month + 2) AS near (month)
    WHERE m.asset = c.asset AND (near.month / 3 = m.month / 3 OR abs(near.month - m.month) <= 1)
  ) AS m ON m.month >= month_number(first) AND (last IS NULL OR m.month <= month_number(last));
COMMENT ON VIEW touched_coverage IS 'Days whose coverage is changed by touched_installations. A bucket without counts has the coverage 0 whatever is installed; weeks and quarters with counts include days of months without.';

CREATE FUNCTION replace_rows(derived text, keys text, and_companies boolean DEFAULT false) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp SET jit = off AS $$
DECLARE
  columns text[] = ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = derived::regclass AND attnum > 0 ORDER BY attnum);
  key text[] = ARRAY(SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
    WHERE indrelid = derived::regclass AND indisprimary ORDER BY attnum);
BEGIN
  EXECUTE format('
    MERGE INTO %1$s AS t USING (
      SELECT k.*,
        d AS defined FROM (SELECT DISTINCT * FROM (%2$s) AS k (%3$s)) AS k LEFT JOIN LATERAL define_%1$s(%4$s) AS d ON true
    ) AS k ON (%5$s) = (%4$s)
    WHEN MATCHED AND k.defined IS NULL THEN DELETE
    WHEN MATCHED AND t IS DISTINCT FROM k.defined THEN UPDATE SET (%6$s) = ROW (%7$s)
    WHEN NOT MATCHED AND NOT k.defined IS NULL THEN INSERT VALUES (%7$s)',
    derived, keys, array_to_string(key, ', '), 'k.' || array_to_string(key, ', k.'), 't.' || array_to_string(key, ',
      t.'),
    array_to_string(columns, ', '), '(k.defined).' || array_to_string(columns, ', (k.defined).'));
  IF and_companies THEN
    PERFORM replace_rows(derived, format('SELECT company, 0, time FROM (%s) AS k (company, class, time)', keys));
  END IF;
END $$;
COMMENT ON FUNCTION replace_rows IS 'Replaces the rows of a derived table that have one of the keys by what its definition says; those of classes are followed by those of their companies, which are sums of them.';

CREATE VIEW touched_classes WITH (security_invoker = true) AS
  SELECT asset, company, class FROM touched WHERE class IS NOT NULL
  UNION
  SELECT number, company, class FROM assets WHERE number IN (SELECT asset FROM touched);
COMMENT ON VIEW touched_classes IS 'The classes of touched assets, also those that they have left.';

CREATE FUNCTION finish_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = public,
  pg_temp SET jit = off AS $$
DECLARE
  kinds text[] = ARRAY(SELECT DISTINCT kind FROM touched);
  current bigint;
  classes integer[];
BEGIN
  -- Until the transaction has committed. A statement after this one sees what others have committed; a transaction whose
  -- snapshot is older fails here, because the row was updated.
  UPDATE locks SET name = name WHERE name = 'feed';
  -- Plans depend on how much was touched.
  ANALYZE touched, touched_installations;
  IF 'impressions' = ANY (kinds) THEN
    PERFORM note_former_impressions();
    PERFORM refresh_asset_months();
  END IF;
  IF kinds && ARRAY['impressions', 'class'] THEN
    PERFORM replace_rows('class_months', $keys$
      SELECT c.company, c.class, t.month FROM touched_classes c JOIN touched t USING (asset) WHERE kind = 'impressions'
      UNION ALL
      SELECT t.company, t.class, m.month FROM touched t JOIN asset_months m USING (asset) WHERE kind = 'class'$keys$, and_companies => true);
  END IF;
  IF kinds && ARRAY['demographics', 'class'] THEN
    PERFORM replace_rows('asset_demographics', 'SELECT asset, month FROM touched WHERE kind = ''demographics''');
    PERFORM replace_rows('class_demographic_days', $keys$
      SELECT c.company, c.class, from_date + generate_series(0, to_date - from_date)
        FROM touched_classes c JOIN touched t USING (asset) WHERE kind = 'demographics'
      UNION ALL
      SELECT t.company, t.class, d.date FROM touched t JOIN demographic_days d USING (asset) WHERE kind = 'class'$keys$, and_companies => true);
    PERFORM replace_rows('class_demographics', $keys$
      SELECT c.company, c.class, t.month FROM touched_classes c JOIN touched t USING (asset) WHERE kind = 'demographics'
      UNION ALL
      SELECT t.company, t.class, m.month FROM touched t JOIN asset_demographics m USING (asset) WHERE kind = 'class'$keys$, and_companies => true);
  END IF;
  IF kinds && ARRAY['installations', 'rules', 'class', 'removed'] THEN
    PERFORM replace_rows('class_sensors', $keys$
      SELECT s.company, s.class, s.rules, s.native_minutes
        FROM touched_classes c JOIN class_sensors s ON s.company = c.company AND s.class = c.class
      UNION ALL
      SELECT c.company, c.class, a.rules, i.native_minutes
        FROM touched_classes c JOIN assets a ON a.number = c.asset JOIN installations i ON i.asset = a.number$keys$);
    PERFORM replace_rows('class_sensors', $keys$
      SELECT s.company, s.class, s.rules, s.native_minutes
        FROM touched_classes c JOIN class_sensors s ON s.company = c.company AND s.class = 0
      UNION ALL
      SELECT c.company, 0, a.rules, i.native_minutes
        FROM touched_classes c JOIN assets a ON a.number = c.asset JOIN installations i ON i.asset = a.number$keys$);
  END IF;
  IF kinds && ARRAY['impressions', 'demographics'] THEN PERFORM refresh_measured_assets(); END IF;
  current = greatest(to_microseconds(clock_timestamp()), (SELECT max(number) + 1 FROM feed_transactions),
    (SELECT max(number) + 1 FROM revisions));
  IF kinds && ARRAY['impressions', 'origins', 'demographics'] OR EXISTS (SELECT FROM former_installations) THEN
    PERFORM record_restatements(current);
  END IF;
  PERFORM record_versions(current);
  PERFORM record_changes(current);
  IF kinds && ARRAY['class', 'removed'] THEN
    -- A class to which another transaction is adding an asset is skipped. Nothing can be added to a locked one, and the second
    -- statement sees what was added just before.
    classes = ARRAY(SELECT number FROM asset_classes
      WHERE number IN (SELECT class FROM touched WHERE class IS NOT NULL) FOR UPDATE SKIP LOCKED);
    DELETE FROM asset_classes c WHERE number = ANY (classes) AND NOT EXISTS (SELECT 1 FROM assets WHERE class = c.number);
  END IF;
  DELETE FROM touched;
  DELETE FROM touched_installations;
  DELETE FROM former_days;
  DELETE FROM former_installations;
  UPDATE feed_transactions SET number = current WHERE id = NEW.id;
  DELETE FROM feed_transactions WHERE id <= NEW.id - 1000000;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER finish_transaction AFTER INSERT ON feed_transactions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION finish_transaction();

CREATE FUNCTION begin_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM after) AND NOT EXISTS (SELECT 1 FROM feed_transactions WHERE number IS NULL) THEN
    INSERT INTO feed_transactions DEFAULT VALUES;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION begin_transaction() IS 'Adds the transaction to the feed, once, which defers finish_transaction to its commit.';
CREATE TRIGGER begin_transaction AFTER INSERT ON touched REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION begin_transaction();
