/**
 * Days of the last change alone, beside those of all changes after the earlier ones: whoever has seen the change before reads
 * no more than these again, although they are part of a range that was listed before.
 */
import type { Knex } from 'knex'

const KEY = "company, asset_id, (kind <> 'removed'), kind, month"

/** SQL: whether days include others. */
const includes = (from: string, to: string, innerFrom: string, innerTo: string): string =>
  `${from} <= ${innerFrom} AND ${to} >= ${innerTo}`

/** Another time zone has changed all days just before. */
const IS_SAME = 'c.number = excluded.number'
const IS_WITHIN = includes('c.from_date', 'c.to_date', 'excluded.from_date', 'excluded.to_date')
const IS_AROUND = includes('excluded.from_date', 'excluded.to_date', 'c.from_date', 'c.to_date')
const IS_AROUND_LAST = includes('excluded.from_date', 'excluded.to_date', 'c.last_from', 'c.last_to')

/** SQL of a date of the changes after the earlier ones: it extends, or repeats, the stored one. */
const recent = (column: string, extend: string): string =>
  `${column} = CASE WHEN ${IS_SAME} THEN ${extend}(c.${column}, excluded.${column}) WHEN ${IS_WITHIN} THEN c.${column} ELSE excluded.${column} END`

/** SQL of a column of the earlier changes, to which the stored one is added unless the new one repeats it. */
const earlier = (column: string, added: string): string =>
  `${column} = CASE WHEN ${IS_SAME} OR ${IS_WITHIN} OR ${IS_AROUND} THEN c.${column} ELSE ${added} END`

/** SQL of a column of the last changes, which are among those after the earlier ones. */
const last = (column: string, value: string): string =>
  `${column} = CASE WHEN NOT ${IS_SAME} AND ${IS_WITHIN} THEN ${value} END`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE changes ADD COLUMN previous_number bigint, ADD COLUMN last_from date, ADD COLUMN last_to date;
COMMENT ON COLUMN changes.earlier_number IS 'The last transaction of the earlier changes.';
COMMENT ON COLUMN changes.from_date IS 'All days of the changes after earlier_number.';
COMMENT ON COLUMN changes.earlier_from IS 'All days of the changes up to earlier_number.';
COMMENT ON COLUMN changes.previous_number IS 'The transaction before the last changes, if their days are among those since earlier_number.';
COMMENT ON COLUMN changes.last_from IS 'All days of the changes after previous_number.';

CREATE OR REPLACE FUNCTION record_changes(current bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  WITH deleted AS (
    DELETE FROM changes WHERE (company, asset_id) IN (SELECT company, asset_id FROM touched WHERE kind = 'removed') AND kind <> 'removed'
    RETURNING company, asset_id, kind, created_number
  )
  INSERT INTO changes (company, asset_id, kind, month, number, created_number)
    SELECT company, asset_id, 'removed', 0, current, created_number FROM deleted WHERE kind = 'asset'
    ON CONFLICT (${KEY}) DO UPDATE SET number = excluded.number;
  -- All days that have changed before.
  UPDATE changes SET number = current, from_date = least(from_date, earlier_from), to_date = greatest(to_date, earlier_to),
    earlier_number = NULL, earlier_from = NULL, earlier_to = NULL, previous_number = NULL, last_from = NULL, last_to = NULL
  WHERE kind = 'impressions' AND (company, asset_id) IN (
    SELECT company, id FROM assets WHERE number IN (SELECT asset FROM touched WHERE kind = 'time_zone'));
  INSERT INTO changes AS c (company, asset_id, kind, month, from_date, to_date, number, created_number)
    SELECT a.company, a.id, t.kind, t.month, min(from_date), max(to_date), current, CASE t.kind WHEN 'asset' THEN current END
    FROM (
      SELECT asset, kind, coalesce(month, 0) AS month, from_date, to_date FROM touched
        WHERE kind IN ('asset', 'sensors', 'impressions', 'origins', 'demographics')
      UNION ALL
      SELECT asset, 'impressions', month, from_date, to_date FROM touched_coverage
    ) AS t JOIN assets a ON a.number = t.asset
    GROUP BY a.company, a.id, t.kind, t.month
  ON CONFLICT (${KEY}) DO UPDATE SET
    number = excluded.number,
    ${recent('from_date', 'least')},
    ${recent('to_date', 'greatest')},
    ${earlier('earlier_number', 'c.number')},
    ${earlier('earlier_from', 'least(c.from_date, c.earlier_from)')},
    ${earlier('earlier_to', 'greatest(c.to_date, c.earlier_to)')},
    ${last('previous_number', `CASE WHEN ${IS_AROUND_LAST} THEN c.previous_number ELSE c.number END`)},
    ${last('last_from', 'excluded.from_date')},
    ${last('last_to', 'excluded.to_date')};
END $$;
`)
}

export { down } from '../migrate/forward-only'
