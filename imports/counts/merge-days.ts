/**
 * Merges staged days into `sensor_days` and `set_aside_days`. Days that are new and staged in one part are inserted by
 * one statement. All others are compared with what is stored, interval by interval, and written only if they change.
 */
import type { ClientBase } from 'pg'
import { isNear, selectSetAsides } from '../../db/counts/set-aside-day'
import { DAY_COLUMNS, stageDays } from '../../db/counts/staged-days'
import { readBatches } from '../../db/cursor'
import type { StoredFigures } from '../../db/figures'
import { DayMerge, type MergeOptions, type StagedPart } from './day-merge'

/** Parts that are fetched at once. */
const BATCH = 200

/** SQL: whether a staged day is new and staged in one part. */
export const IS_NEW = `NOT EXISTS (SELECT FROM compared_days c WHERE (c.asset, c.date, c.sensor) = (s.asset, s.date, s.sensor))`

/** The parts of the days that have to be compared, with what is stored. PostgreSQL expects few days, so no join of assets. */
const PARTS = `
  SELECT s.asset, s.company, s.sensor, s.native_minutes, s.date,
         (SELECT time_zone FROM assets WHERE number = s.asset) AS zone,
         s.set_aside, s.counts, s.row_values, d.counts AS stored, ${selectSetAsides('s')} AS set_asides
  FROM compared_days JOIN staged_days s USING (asset, date, sensor) LEFT JOIN sensor_days d USING (asset, date, sensor)
  ORDER BY s.asset, s.date, s.sensor, s.part`

/** Fills `merged_days` with what changes; rejects rows that give another value for the same interval. */
export async function mergeDays(client: ClientBase, options: MergeOptions): Promise<Required<StoredFigures>> {
  await client.query(`
    ANALYZE staged_days (asset, date, sensor);
    DROP TABLE IF EXISTS pg_temp.compared_days;
    CREATE TEMPORARY TABLE compared_days ON COMMIT DROP AS
      SELECT asset, date, sensor FROM staged_days
      GROUP BY asset, date, sensor HAVING count(*) > 1 OR max(compared) > 0 OR count(set_aside) > 0
      UNION
      SELECT asset, date, sensor FROM staged_days JOIN sensor_days USING (asset, date, sensor)
      UNION
      SELECT s.asset, s.date, s.sensor FROM staged_days s JOIN set_asides a ON ${isNear('s')};
    ANALYZE compared_days`)
  const figures: Required<StoredFigures> = { stored: 0, unchanged: 0, set_aside: 0, erased: 0, dropped: 0 }
  let merge: DayMerge | undefined
  for await (const parts of readBatches<StagedPart>(client, PARTS, BATCH)) {
    const merged: DayMerge[] = []
    for (const part of parts) {
      if (!merge?.isOfSameDay(part)) {
        if (merge) merged.push(merge)
        merge = new DayMerge(part, options, figures)
      }
      merge.add(part)
    }
    await stageMerged(client, merged)
  }
  if (merge) await stageMerged(client, [merge])
  const { rows } = await client.query<StoredFigures>(`
    SELECT coalesce(sum(counted), 0)::float8 AS stored, coalesce(sum(emptied), 0)::float8 AS unchanged
    FROM staged_days s WHERE ${IS_NEW}`)
  figures.stored += rows[0]?.stored ?? 0
  figures.unchanged += rows[0]?.unchanged ?? 0
  return figures
}

async function stageMerged(client: ClientBase, merged: readonly DayMerge[]): Promise<void> {
  const days = merged.flatMap(merge => merge.finish())
  if (days.length > 0) await stageDays(client, 'merged_days', days)
}

/** Writes the new and the changed days. */
export async function storeDays(client: ClientBase): Promise<void> {
  await client.query(`
    INSERT INTO sensor_days (${DAY_COLUMNS}) SELECT ${DAY_COLUMNS} FROM staged_days s WHERE observed > 0 AND ${IS_NEW};
    INSERT INTO sensor_days (${DAY_COLUMNS}) SELECT ${DAY_COLUMNS} FROM merged_days WHERE observed > 0 AND set_aside IS NULL
      ON CONFLICT (asset, date, sensor) DO UPDATE SET ${REPLACED};
    INSERT INTO set_aside_days (set_aside, ${DAY_COLUMNS})
      SELECT set_aside, ${DAY_COLUMNS} FROM merged_days WHERE observed > 0 AND set_aside IS NOT NULL
      ON CONFLICT (sensor, date, asset, set_aside) DO UPDATE SET ${REPLACED};
    DELETE FROM sensor_days d USING merged_days m
      WHERE m.observed = 0 AND m.set_aside IS NULL AND (d.asset, d.date, d.sensor) = (m.asset, m.date, m.sensor);
    DELETE FROM set_aside_days d USING merged_days m
      WHERE m.observed = 0 AND (d.sensor, d.date, d.asset, d.set_aside) = (m.sensor, m.date, m.asset, m.set_aside)`)
}

const REPLACED =
  'impressions = excluded.impressions, observed = excluded.observed, hours = excluded.hours, counts = excluded.counts'
