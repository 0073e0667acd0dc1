/** Gives the counts of a stretch that is set aside back to its sensor, where their instants are now. */
import type { ClientBase, Pool } from 'pg'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { createStagingTables, stageDays } from '../../db/counts/staged-days'
import { readBatches } from '../../db/cursor'
import { quote } from '../../db/file-errors'
import { OperatorError } from '../../db/operator-error'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { loadHistories, type Sensor } from '../counts/installations'
import { installationNear } from '../counts/intervals/installation-finder'
import { mergeDays, storeDays } from '../counts/merge-days'
import { explainRefusal } from '../entities/unplaced-counts'
import { extendUnplaced, type Obstacle, Placement, type UnplacedRange } from '../relocation/placement'
import { RowCounter } from '../row-counter'
import { type ChangedStretch, readStretch, runOnStretch, type Stretch } from './set-aside'

/** UTC days that are fetched at once. */
const BATCH = 100

const DAY = 86_400

interface StoredDay {
  minutes: number
  /** The asset of a daily count, and its time zone. */
  asset: number | null
  zone: string | null
  /** Days since 1970-01-01. */
  day: number
  starts: number[]
  counts: number[]
}

/**
 * Restores the counts of a stretch, in one transaction together with its record.
 *
 * @param id its number
 * @throws OperatorError UNKNOWN_SET_ASIDE; RESTORE_REFUSED where a count has no place any more; MONTH_CLOSED; DATA_CHANGED since the
 *   preview; SET_ASIDE_FAILED when the database refuses or goes away
 */
export const restore = (
  pool: Pool,
  id: string,
  options: Parameters<typeof runOnStretch>[2] = {},
): Promise<ChangedStretch> => runOnStretch(pool, 'restored', options, client => restoreStretch(client, id))

async function restoreStretch(client: ClientBase, reference: string): Promise<Stretch> {
  const stretch = await readStretch(client, reference)
  const { id } = stretch
  const days = await loadLocalDays(client)
  const { number } = (await client.query('SELECT sensor AS number FROM set_asides WHERE id = $1', [id])).rows[0]
  const sensor: Sensor = { number, installations: (await loadHistories(client, [number])).get(number) ?? [] }
  const serial = quote(stretch.sensor)
  await createStagingTables(client)
  await stageCounts(client, id, sensor, serial, days)
  await client.query('DELETE FROM set_asides WHERE id = $1', [id])
  const conflicts: string[] = []
  const counter = new RowCounter(({ reason }) => conflicts.push(reason))
  await mergeDays(client, { days, counter, addOnly: true })
  if (conflicts.length > 0) {
    const more = conflicts.length === 1 ? '' : `, and ${conflicts.length - 1} more`
    throw refused(
      `sensor ${serial} has other counts there: ${conflicts[0]}${more}; delete them first (partner-metrics delete impressions)`,
    )
  }
  await storeDays(client)
  return stretch
}

/** @throws OperatorError RESTORE_REFUSED where a count has no place */
async function stageCounts(
  client: ClientBase,
  id: number,
  sensor: Sensor,
  serial: string,
  days: LocalDayCache,
): Promise<void> {
  const unplaced = new Map<Obstacle, UnplacedRange>()
  const stored = `SELECT native_minutes AS minutes, asset, time_zone AS zone, day - date '1970-01-01' AS day, starts, counts
    FROM set_aside_counts c LEFT JOIN assets a ON a.number = asset WHERE set_aside = $1 ORDER BY native_minutes, c.day`
  let parts = 0
  for await (const rows of readBatches<StoredDay>(client, stored, BATCH, [id])) {
    const placement = new Placement(sensor, days)
    for (const { minutes, asset, zone, day, starts, counts } of rows) {
      for (const [i, start] of starts.entries()) {
        const instant = zone === null ? day * DAY + start : days.day(zone, day).start
        const obstacle = placement.place({ minutes, asset, day, instant }, counts[i]!)
        if (obstacle) unplaced.set(obstacle, extendUnplaced(unplaced.get(obstacle), instant))
      }
    }
    parts = await stageDays(client, 'staged_days', placement.stagedDays(), parts)
  }
  if (unplaced.size === 0) return
  const at = (instant: number) =>
    sensor.installations.length > 0
      ? days.format(installationNear(sensor, instant).zone, instant)
      : new Date(instant * 1000).toISOString()
  const described = [...unplaced].map(([obstacle, { counts, first, last }]) => ({
    ...{ obstacle, sensor: sensor.number, counts, first: at(first), last: at(last) },
  }))
  throw refused(explainRefusal(described, () => serial))
}

const refused = (reason: string): OperatorError =>
  new OperatorError('RESTORE_REFUSED', `${reason}; nothing was changed`)
