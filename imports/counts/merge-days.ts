/**
 * Merges staged days into `sensor_days`. Days that are new and staged in one part are inserted by one statement. All others
 * are compared with what is stored, interval by interval, and written only if they change.
 */
import type { ClientBase } from 'pg'
import { CREATE_MERGED, isNear, STORE_SET_ASIDE, selectSetAsides, stageSetAside } from '../../db/counts/set-aside-day'
import { DAY_COLUMNS, stageDays } from '../../db/counts/staged-days'
import { readBatches } from '../../db/cursor'
import type { StoredFigures } from '../../db/figures'
import { DayMerge, type MergeOptions, type StagedPart } from './day-merge'

/** Parts that are fetched at once. */
const BATCH = 200

/** SQL: whether a staged day is new and staged in one part. */
export const IS_NEW = `NOT EXISTS (SELECT FROM compared_days c WHERE (c.asset, c.date, c.sensor) = (s.asset, s.date, s.sensor))`

/** The parts of the days that have to be compared, with what is stored of them. */
const PARTS = `
  SELECT s.asset, s.company, s.sensor, s.native_minutes, s.date, a.time_zone AS zone,
         s.counts, s.row_values, d.counts AS stored, ${selectSetAsides('s')} AS set_asides
  FROM compared_days JOIN staged_days s USING (asset, date, sensor) JOIN assets a ON a.number = s.asset
       LEFT JOIN sensor_days d USING (asset, date, sensor)
  ORDER BY s.asset, s.date, s.sensor, s.part`

/** Fills `merged_days` and `merged_set_asides` with what changes; rejects rows that give another value for the same interval. */
export async function mergeDays(client: ClientBase, options: MergeOptions): Promise<Required<StoredFigures>> {
  await client.query(`
    ANALYZE staged_days (asset, date, sensor);
    DROP TABLE IF EXISTS pg_temp.compared_days, pg_temp.merged_set_asides;
    CREATE TEMPORARY TABLE compared_days ON COMMIT DROP AS
      SELECT asset, date, sensor FROM staged_days
      GROUP BY asset, date, sensor HAVING count(*) > 1 OR max(compared) > 0
      UNION
      SELECT asset, date, sensor FROM staged_days JOIN sensor_days USING (asset, date, sensor)
      UNION
      SELECT s.asset, s.date, s.sensor FROM staged_days s JOIN set_asides a ON ${isNear('s')};
    ANALYZE compared_days;
    ${CREATE_MERGED}`)
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

/** Stages the changes of days together. */
async function stageMerged(client: ClientBase, merged: readonly DayMerge[]): Promise<void> {
  const days = merged.flatMap(merge => merge.finish() ?? [])
  const setAside = merged.flatMap(merge => merge.setAsideCounts)
  if (days.length > 0) await stageDays(client, 'merged_days', days)
  if (setAside.length > 0) await stageSetAside(client, setAside)
}

/** Writes the new and the changed days, and the first and last measured date of their assets. */
export async function storeDays(client: ClientBase): Promise<void> {
  await client.query(`
    INSERT INTO sensor_days (${DAY_COLUMNS}) SELECT ${DAY_COLUMNS} FROM staged_days s WHERE observed > 0 AND ${IS_NEW};
    INSERT INTO sensor_days (${DAY_COLUMNS}) SELECT ${DAY_COLUMNS} FROM merged_days WHERE observed > 0
      ON CONFLICT (asset, date, sensor) DO UPDATE SET impressions = excluded.impressions, observed = excluded.observed,
        hours = excluded.hours, counts = excluded.counts;
    DELETE FROM sensor_days d USING merged_days m
      WHERE m.observed = 0 AND (d.asset, d.date, d.sensor) = (m.asset, m.date, m.sensor);
    ${STORE_SET_ASIDE}`)
}
