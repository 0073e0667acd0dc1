/**
 * A day that was over stays over: where the time zone of an asset changes to one in which the day has not ended yet, changes until then are
 * recorded, too.
 */
import type { Knex } from 'knex'

const DAYS = Array.from({ length: 31 }, (_, i) => `day_${i + 1}`).join(', ')

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE OR REPLACE FUNCTION record_restatements(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp SET jit = off AS $$
DECLARE
  why text = coalesce(nullif(current_setting('partner_metrics.reason', true), ''), 'import');
  is_restated boolean = current_setting('partner_metrics.restate', true) = 'true';
  closed json;
BEGIN
  IF why = 'unrecorded' THEN RETURN; END IF;
  ANALYZE former_days;
  WITH months AS (
    SELECT kind, asset, month, min(from_date) AS first, max(to_date) AS last FROM touched
    WHERE kind IN ('impressions', 'origins', 'demographics') GROUP BY kind, asset, month
  ), today AS (
    -- The first local day that is not over, by the rules of a time zone.
    SELECT number AS rules, local_date(number, to_timestamp(current / 1000000) - interval '6 hours') AS day FROM zone_rules
  ), open AS (
    -- Days before this one are over, by the rules of the time zone or by former ones, until these were replaced; or they are final.
    SELECT a.number AS asset, a.company, c.final_through, greatest(r.day, f.day, c.final_through + 1, (
      SELECT max(local_date(p.rules, to_timestamp(p.revision / 1000000) - interval '6 hours')) FROM installation_revisions p
      WHERE p.asset = a.number AND p.revision > current - 172800000000)) AS day
    FROM (SELECT DISTINCT asset FROM months) AS t JOIN assets a ON a.number = t.asset JOIN companies c ON c.number = a.company
      JOIN today r ON r.rules = a.rules
      LEFT JOIN former_installations i ON i.asset = a.number LEFT JOIN today f ON f.rules = i.rules
  ), present AS (
    SELECT 'impressions' AS kind, asset, month_start(month) + n.day::integer - 1 AS date, n.total, n.observed
    FROM months t JOIN asset_months m USING (asset, month) JOIN open o USING (asset)
      CROSS JOIN LATERAL unnest(ARRAY[${DAYS}], m.observed) WITH ORDINALITY AS n (total, observed, day)
    WHERE t.kind = 'impressions' AND n.total IS NOT NULL
      AND month_start(month) + n.day::integer - 1 BETWEEN first AND least(last, o.day - 1)
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
  ), revision AS (
    INSERT INTO revisions
      SELECT current, why, nullif(current_setting('partner_metrics.note', true), ''),
        coalesce(current_setting('partner_metrics.note_is_public', true) = 'true', false),
        nullif(current_setting('partner_metrics.operation', true), '')::bigint
      WHERE EXISTS (SELECT FROM steps) OR EXISTS (SELECT FROM former_installations)
  )
  SELECT json_agg(json_build_object('asset', a.id, 'kind', s.kind, 'from', from_date, 'to', to_date, 'days', days) ORDER BY a.id, s.kind)
    INTO closed
    FROM (
      SELECT asset, kind, min(date) AS from_date, max(date) AS to_date, count(*) AS days FROM steps
      WHERE final AND total_before IS DISTINCT FROM total_after GROUP BY asset, kind
    ) AS s JOIN assets a ON a.number = s.asset;
  IF closed IS NOT NULL AND NOT coalesce(is_restated, false) THEN
    RAISE SQLSTATE 'PM001' USING MESSAGE = 'totals of a closed month would change', DETAIL = closed::text;
  END IF;
END $$;`)
}

export { down } from '../migrate/forward-only'
