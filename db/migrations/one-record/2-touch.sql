ALTER TABLE touched DROP COLUMN from_date, DROP COLUMN to_date,
  -- Touched days of the month, as bits: bit 0 is the first day.
  ADD COLUMN days integer,
  -- The rules of the time zone that the asset had until now.
  ADD COLUMN former_rules integer;
CREATE INDEX ON touched (asset) WHERE former_rules IS NOT NULL;

-- A day of a month as a bit.
CREATE FUNCTION day_bit(date) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1 << extract(day FROM $1)::integer - 1 $$;

CREATE FUNCTION touch_days() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO touched (kind, asset, company, month, days)
      SELECT TG_ARGV[0], asset, company, month_number(date), bit_or(day_bit(date)) FROM after GROUP BY asset, company, month_number(date);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO touched (kind, asset, company, month, days)
      SELECT TG_ARGV[0], asset, company, month_number(date), bit_or(day_bit(date)) FROM before GROUP BY asset, company, month_number(date);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER touch_days_on_insert AFTER INSERT ON sensor_days REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_days('impressions');
CREATE TRIGGER touch_days_on_update AFTER UPDATE ON sensor_days REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_days('impressions');
CREATE TRIGGER touch_days_on_delete AFTER DELETE ON sensor_days REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_days('impressions');
CREATE TRIGGER touch_days_on_insert AFTER INSERT ON demographic_days REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_days('demographics');
CREATE TRIGGER touch_days_on_update AFTER UPDATE ON demographic_days REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION touch_days('demographics');
CREATE TRIGGER touch_days_on_delete AFTER DELETE ON demographic_days REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION touch_days('demographics');

-- Touches the days of a month of origins that differ.
CREATE FUNCTION touch_origin_days() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO touched (kind, asset, company, month, days)
    SELECT 'origins', coalesce(NEW.asset, OLD.asset), coalesce(NEW.company, OLD.company), month_number(coalesce(NEW.month, OLD.month)),
      bit_or(1 << d.day::integer - 1)
    FROM unnest(OLD.days, NEW.days) WITH ORDINALITY AS d (was, is_now, day)
    -- With other places than before or more, a day means something else.
    WHERE was IS DISTINCT FROM is_now OR is_now IS NOT NULL AND NOT starts_with(NEW.places::text, left(OLD.places::text, -1))
    HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER touch_origin_days AFTER INSERT OR UPDATE OR DELETE ON origin_months FOR EACH ROW EXECUTE FUNCTION touch_origin_days();

-- Touches days whose coverage has changed: by sensors that were installed or removed, or, of all days, by another time zone. New rules
-- of a zone touch none but those whose counts they move.
CREATE FUNCTION touch_coverage() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO touched (kind, asset, company, month, days)
    SELECT 'impressions', c.asset, c.company, m.month, bit_or(day_bit(d.date))
    FROM (
      SELECT a.number AS asset, a.company, local_date(a.rules, lower(period)) AS first,
        local_date(a.rules, upper(period) - interval '1 millisecond') AS last
      FROM touched_installations t CROSS JOIN unnest(t.periods) AS period JOIN assets a ON a.number = t.asset
    ) AS c
      -- A bucket without counts has the coverage 0 whatever is installed; weeks and quarters with counts include days of months without.
      CROSS JOIN LATERAL (
        SELECT DISTINCT near.month
        FROM asset_months m CROSS JOIN generate_series(m.month - 2, m.month + 2) AS near (month)
        WHERE m.asset = c.asset AND m.kind = 'impressions' AND (near.month / 3 = m.month / 3 OR abs(near.month - m.month) <= 1)
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

CREATE OR REPLACE FUNCTION touch_assets() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO touched (kind, asset, company, asset_id, class)
      SELECT 'removed', number, company, id, class FROM before;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM after;
  ELSE
    -- The columns that the API shows, as in set_asset_columns.
    INSERT INTO touched (kind, asset) SELECT 'asset', number FROM (
      SELECT number, «ASSET_COLUMN», venue_taxonomy, external_ids FROM after
      EXCEPT
      SELECT number, «ASSET_COLUMN», venue_taxonomy, external_ids FROM before) AS c;
    INSERT INTO touched (kind, asset) SELECT 'time_zone', number
      FROM (SELECT number, time_zone FROM after EXCEPT SELECT number, time_zone FROM before) AS c;
    INSERT INTO touched (kind, asset, former_rules) SELECT 'rules', number, rules
      FROM (SELECT number, rules FROM before EXCEPT SELECT number, rules FROM after) AS c;
    INSERT INTO touched (kind, asset, company, class)
      SELECT 'class', number, company, class
      FROM (SELECT number, company, class FROM after EXCEPT SELECT number, company, class FROM before) AS c
      UNION ALL
      SELECT 'class', number, company, class
      FROM (SELECT number, company, class FROM before EXCEPT SELECT number, company, class FROM after) AS c;
  END IF;
  RETURN NULL;
END $$;
