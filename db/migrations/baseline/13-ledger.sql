-- The ledger: the totals of local days before they changed, when the day was over, and the installations that they were read by.
-- Triggers note what a transaction replaces; what differs at its end is written, and refused where a closed month would change.

CREATE TABLE revisions (
  number bigint PRIMARY KEY,
  reason text COLLATE "C" NOT NULL CHECK (reason IN ('import', 'deletion', 'set_aside', 'restored', 'move', 'time_zone', 'zone_rules',
    'repair', 'begin')),
  note text CHECK (char_length(note) BETWEEN 1 AND 500),
  note_is_public boolean NOT NULL DEFAULT false,
  operation bigint
);
COMMENT ON TABLE revisions IS 'Transactions that changed days that were over, or installations. The first one is the beginning of the ledger.';
COMMENT ON COLUMN revisions.number IS 'As in feed_transactions, which keeps only the last million.';
COMMENT ON COLUMN revisions.note IS 'The reason that the operator gave.';
COMMENT ON COLUMN revisions.operation IS 'The record in operations; null without one.';
INSERT INTO revisions (number, reason) VALUES (to_microseconds(clock_timestamp()), 'begin');

CREATE TABLE restatements (
  asset integer NOT NULL REFERENCES assets (number) ON DELETE CASCADE,
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  date date NOT NULL,
  revision bigint NOT NULL REFERENCES revisions (number),
  total_before bigint,
  total_after bigint,
  observed_before integer,
  observed_after integer,
  final boolean NOT NULL,
  PRIMARY KEY (asset, kind, date, revision)
);
COMMENT ON TABLE restatements IS 'Changes of the stored total of a local day that was over and had had a value, or of its observed intervals.';
COMMENT ON COLUMN restatements.total_before IS 'Null: nothing, as in the other columns.';
COMMENT ON COLUMN restatements.observed_before IS 'Native intervals with a count; of impressions.';
COMMENT ON COLUMN restatements.final IS 'Whether the month was closed.';
CREATE INDEX ON restatements (company, revision);
CREATE INDEX ON restatements (revision);

CREATE TABLE late_days (
  company integer NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('impressions', 'origins', 'demographics')),
  from_date date NOT NULL,
  to_date date NOT NULL CHECK (to_date >= from_date),
  revision bigint NOT NULL REFERENCES revisions (number),
  assets int4multirange NOT NULL,
  PRIMARY KEY (company, kind, to_date, from_date, revision)
);
COMMENT ON TABLE late_days IS 'Days whose first value came when they were over already: until then they had none.';
COMMENT ON COLUMN late_days.assets IS 'Their numbers. Those of deleted assets may be among them.';
CREATE INDEX ON late_days (company, revision);
CREATE INDEX ON late_days (revision);

CREATE TABLE installation_revisions (
  asset integer NOT NULL REFERENCES assets (number) ON DELETE CASCADE,
  company integer NOT NULL,
  revision bigint NOT NULL REFERENCES revisions (number),
  installations json NOT NULL,
  rules integer NOT NULL REFERENCES zone_rules (number),
  PRIMARY KEY (asset, revision)
);
COMMENT ON TABLE installation_revisions IS 'The installations of an asset, and the rules of its time zone, until a transaction changed them: as in assets.';
CREATE INDEX ON installation_revisions (company, revision);
CREATE INDEX ON installation_revisions (revision);

CREATE UNLOGGED TABLE former_days (
  kind text NOT NULL,
  asset integer NOT NULL,
  date date NOT NULL,
  total bigint NOT NULL,
  observed integer,
  PRIMARY KEY (kind, asset, date)
);
COMMENT ON TABLE former_days IS 'Totals that the running transaction replaces; empty otherwise.';

CREATE UNLOGGED TABLE former_installations (
  asset integer PRIMARY KEY,
  installations json NOT NULL,
  rules integer NOT NULL
);
COMMENT ON TABLE former_installations IS 'Installations and rules of time zones that the running transaction replaces; empty otherwise. Set by trigger.';

CREATE FUNCTION ledger_begins() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT min(number) FROM public.revisions WHERE reason = 'begin'
$$;
COMMENT ON FUNCTION ledger_begins IS 'The number of the transaction from which on the ledger knows what was.';
REVOKE ALL ON FUNCTION ledger_begins FROM PUBLIC;

CREATE FUNCTION first_open_day(rules integer, instant timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT coalesce(local_date(rules, instant - interval '6 hours'), ((instant - interval '6 hours') AT TIME ZONE 'UTC')::date)
$$;
COMMENT ON FUNCTION first_open_day IS 'The first local day that is not over at an instant by rules of a time zone, or by those of UTC without any: a day is over six hours after its end.';

CREATE FUNCTION note_former_origins() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
-- As in touch_origins.
SET enable_nestloop = off AS $$
BEGIN
  INSERT INTO former_days (kind, asset, date, total)
    SELECT 'origins', asset, month + day::integer - 1, sum_of_origins(packed)
    FROM before, unnest(days) WITH ORDINALITY AS d (packed, day)
    WHERE packed IS NOT NULL AND EXISTS (SELECT FROM touched t WHERE t.kind = 'origins' AND t.asset = before.asset
      AND before.month + day::integer - 1 BETWEEN from_date AND to_date)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION note_former_origins IS 'Notes the totals of touched days. By its name it runs after touch_origins.';
CREATE TRIGGER touched_origins_on_update AFTER UPDATE ON origin_months REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_origins();
CREATE TRIGGER touched_origins_on_delete AFTER DELETE ON origin_months REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_origins();

CREATE FUNCTION note_former_installations() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Not by a join, as in touch_sensors.
  INSERT INTO former_installations
    SELECT number, installations::json, rules FROM (
      SELECT number, installations::text, rules FROM before EXCEPT SELECT number, installations::text, rules FROM after) AS changed
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_former_installations AFTER UPDATE ON assets REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION note_former_installations();

CREATE FUNCTION note_former_impressions() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO former_days
    SELECT 'impressions', asset, date, total, observed
    FROM (SELECT asset, month, min(from_date) AS first, max(to_date) AS last FROM touched WHERE kind = 'impressions'
        GROUP BY asset, month) AS t
      JOIN asset_days d USING (asset, month)
    WHERE date BETWEEN first AND last
$$;
COMMENT ON FUNCTION note_former_impressions IS 'Notes the totals of touched days, before they are refreshed.';

CREATE FUNCTION record_restatements(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp SET jit = off AS $$
DECLARE
  why text = coalesce(nullif(current_setting('partner_metrics.reason', true), ''), 'import');
  given_note text = nullif(current_setting('partner_metrics.note', true), '');
  is_public boolean = coalesce(current_setting('partner_metrics.note_is_public', true) = 'true', false);
  is_restated boolean = coalesce(current_setting('partner_metrics.restate', true) = 'true', false);
  at timestamptz = to_timestamp(current / 1000000);
  closed json;
BEGIN
  IF why = 'unrecorded' THEN RETURN; END IF;
  ANALYZE former_days;
  WITH months AS (
    SELECT kind, asset, month, min(from_date) AS first, max(to_date) AS last FROM touched
    WHERE kind IN ('impressions', 'origins', 'demographics') GROUP BY kind, asset, month
  ), today AS (
    SELECT number AS rules, first_open_day(number, at) AS day FROM zone_rules
  ), open AS (
    -- Days before this one are over, by the rules of the time zone or by former ones, until these were replaced; or they are final.
    SELECT a.number AS asset, a.company, c.final_through, greatest(r.day, f.day, c.final_through + 1, (
      -- Days that were over by rules replaced two days ago or earlier are over by the present ones, too.
      SELECT max(first_open_day(p.rules, to_timestamp(p.revision / 1000000))) FROM installation_revisions p
      WHERE p.asset = a.number AND p.revision > to_microseconds(at - interval '2 days'))) AS day
    FROM (SELECT DISTINCT asset FROM months) AS t JOIN assets a ON a.number = t.asset JOIN companies c ON c.number = a.company
      JOIN today r ON r.rules = a.rules
      LEFT JOIN former_installations i ON i.asset = a.number LEFT JOIN today f ON f.rules = i.rules
  ), present AS (
    SELECT 'impressions' AS kind, asset, d.date, d.total, d.observed
    FROM months t JOIN open o USING (asset) JOIN asset_days d USING (asset, month)
    WHERE t.kind = 'impressions' AND d.date BETWEEN first AND least(last, o.day - 1)
    UNION ALL
    SELECT 'demographics', asset, d.date, sum_of_groups(d), NULL
    FROM months t JOIN open o USING (asset) JOIN demographic_days d USING (asset)
    WHERE t.kind = 'demographics' AND d.date BETWEEN first AND least(last, o.day - 1)
    UNION ALL
    SELECT 'origins', o.asset, m.month + n.day::integer - 1, sum_of_origins(packed), NULL
    FROM months t JOIN open o USING (asset) JOIN origin_months m ON m.asset = t.asset AND m.month = month_start(t.month)
      CROSS JOIN LATERAL unnest(m.days) WITH ORDINALITY AS n (packed, day)
    WHERE t.kind = 'origins' AND packed IS NOT NULL AND m.month + n.day::integer - 1 BETWEEN first AND least(last, o.day - 1)
  ), changed AS (
    SELECT kind, asset, date, f.total AS total_before, p.total AS total_after, f.observed AS observed_before, p.observed AS observed_after
    FROM former_days f FULL JOIN present p USING (kind, asset, date)
    WHERE (f.total, f.observed) IS DISTINCT FROM (p.total, p.observed)
  ), steps AS MATERIALIZED (
    SELECT o.company, c.*, coalesce(c.date <= o.final_through, false) AS final, c.total_before IS NULL AND NOT EXISTS (
      SELECT FROM restatements r WHERE (r.asset, r.kind, r.date) = (c.asset, c.kind, c.date)) AS is_late
    FROM changed c JOIN open o USING (asset) WHERE c.date < o.day
  ), restated AS (
    INSERT INTO restatements
      SELECT asset, company, kind, date, current, total_before, total_after, observed_before, observed_after, final
      FROM steps WHERE NOT is_late
  ), late AS (
    -- Neighbouring days of an asset are one range, and assets with the same range one row.
    INSERT INTO late_days
      SELECT company, kind, from_date, to_date, current, range_agg(int4range(asset, asset, '[]'))
      FROM (
        SELECT company, kind, asset, min(date) AS from_date, max(date) AS to_date
        FROM (SELECT *, date - row_number() OVER (PARTITION BY kind, asset ORDER BY date)::integer AS run FROM steps WHERE is_late) AS s
        GROUP BY company, kind, asset, run
      ) AS runs GROUP BY company, kind, from_date, to_date
  ), moved AS (
    INSERT INTO installation_revisions
      SELECT asset, a.company, current, i.installations, i.rules FROM former_installations i JOIN assets a ON a.number = i.asset
  ), noted AS (
    -- A public reason is a note on the asset, unless what was set aside is one already.
    INSERT INTO touched (kind, asset)
      SELECT DISTINCT 'notes', asset FROM steps
      WHERE NOT is_late AND total_before IS DISTINCT FROM total_after AND is_public AND given_note IS NOT NULL AND why <> 'set_aside'
  ), revision AS (
    INSERT INTO revisions
      SELECT current, why, given_note, is_public, nullif(current_setting('partner_metrics.operation', true), '')::bigint
      WHERE EXISTS (SELECT FROM steps) OR EXISTS (SELECT FROM former_installations)
  )
  SELECT json_agg(json_build_object('asset', a.id, 'kind', s.kind, 'from', from_date, 'to', to_date, 'days', days) ORDER BY a.id, s.kind)
    INTO closed
    FROM (
      SELECT asset, kind, min(date) AS from_date, max(date) AS to_date, count(*) AS days FROM steps
      WHERE final AND total_before IS DISTINCT FROM total_after GROUP BY asset, kind
    ) AS s JOIN assets a ON a.number = s.asset;
  IF closed IS NOT NULL AND NOT is_restated THEN
    RAISE SQLSTATE 'PM001' USING MESSAGE = 'totals of a closed month would change', DETAIL = closed::text;
  END IF;
END $$;
COMMENT ON FUNCTION record_restatements IS 'Writes what the transaction changes of days that are over to the ledger. Raises PM001 where a closed month would change.';
REVOKE ALL ON FUNCTION record_restatements FROM PUBLIC;
