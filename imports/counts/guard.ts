/** Finds counts of a file that are far above what their sensor had before: an import warns of them, or refuses them. */
import type { ClientBase } from 'pg'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber, listStarts } from '../../db/calendar/local-days'
import { unpack } from '../../db/calendar/packed-counts'
import { listMore } from '../../db/count-of'
import {
  DAY_LIMIT,
  greatestOf,
  HISTORY_DAYS,
  INTERVAL_LIMIT,
  isWithinSql,
  MIN_RECURRING,
  UsualCounts,
} from '../../db/counts/usual-counts'
import { readBatches } from '../../db/cursor'
import { FileError, quote } from '../../db/file-errors'
import type { CountOptions, ImplausibleDay, ImplausibleDays } from './count-options'
import { intervalName } from './intervals/interval-names'
import { IS_NEW } from './merge-days'

/** Implausible days that are listed. */
const MAX_LISTED = 1000

/** Days that are fetched at once. */
const BATCH = 2000

/** A day as it will be stored. */
interface GuardedDay {
  sensor: number
  serial: string
  native_minutes: number
  date: string
  zone: string
  counts: Buffer
  /** Whether the file adds or changes it. */
  is_changed: boolean
  stored_counts: Buffer | null
}

export class Guard {
  /** The greatest count of the file by sensor. */
  private readonly greatest = new Map<number, number>()

  constructor(
    private readonly client: ClientBase,
    private readonly days: LocalDayCache,
    private readonly options: CountOptions,
  ) {}

  /** Notes counts of a day; negative where there is none. */
  include(sensor: number, counts: ArrayLike<number>): void {
    this.greatest.set(sensor, Math.max(this.greatest.get(sensor) ?? 0, greatestOf(counts)))
  }

  /** Judges the days that the file adds or changes. @throws FileError for implausible ones, if options refuse them */
  async check(): Promise<void> {
    const found: ImplausibleDays = { days: [], total: 0 }
    if (await this.selectSensors()) {
      for await (const day of this.findImplausible()) if (++found.total <= MAX_LISTED) found.days.push(day)
    }
    if (found.total > 0) this.options.onImplausible?.(found)
    if (!found.days[0] || !this.options.refuseImplausible) return
    const more = found.total === 1 ? '' : ` (and ${found.total - 1} more such days)`
    const remedy = 'correct the file, or leave out --refuse-implausible to store it with a warning'
    throw new FileError(`${describeDay(found.days[0])}${more}: ${remedy}`)
  }

  /**
   * Selects the sensors whose days have to be judged one by one. Files of one day usually leave none: enough days
   * before it have counts that are near those of the file.
   */
  private async selectSensors(): Promise<boolean> {
    await this.client.query(CREATE_SENSORS)
    const greatest = [[...this.greatest.keys()], [...this.greatest.values()]]
    return (await this.client.query(SELECT_SENSORS, greatest)).rowCount !== 0
  }

  private async *findImplausible(): AsyncGenerator<ImplausibleDay> {
    let [sensor, minutes, history] = [0, 0, new UsualCounts(0)]
    // All rows are fetched: plans that find the first ones early take many times as long.
    await this.client.query('ANALYZE guarded_sensors; SET LOCAL cursor_tuple_fraction = 1')
    for await (const rows of readBatches<GuardedDay>(this.client, GUARDED_DAYS, BATCH)) {
      for (const row of rows) {
        if (row.sensor !== sensor || row.native_minutes !== minutes) {
          ;[sensor, minutes] = [row.sensor, row.native_minutes]
          history = new UsualCounts(minutes)
        }
        const number = dayNumber(row.date)
        const { length } = listStarts(this.days.day(row.zone, number), minutes)
        const counts = unpack(row.counts, length)
        const stored = row.stored_counts && unpack(row.stored_counts, length)
        const found = row.is_changed ? history.judge(number, counts, stored) : undefined
        history.add(number, counts)
        if (found) yield { sensor: row.serial, day: row.date, ...found }
      }
    }
  }
}

const describeDay = ({ sensor, day, value, usual, grain }: ImplausibleDay): string =>
  `sensor ${quote(sensor)} has ${value} in one ${intervalName(grain)} on ${day}, where at most ${usual} is usual`

/** Days that have a line. */
const MAX_SHOWN = 20

/** Returns a line for each day, up to MAX_SHOWN. */
export function describeImplausible({ days, total }: ImplausibleDays): string[] {
  const described = days.slice(0, MAX_SHOWN)
  return [...described.map(describeDay), ...listMore(total - described.length, 'day', ' with such counts')]
}

const CREATE_SENSORS = `
  DROP TABLE IF EXISTS pg_temp.guarded_sensors;
  CREATE TEMPORARY TABLE guarded_sensors (
    sensor integer, native_minutes smallint, first date, last date, serial text
  ) ON COMMIT DROP`

/** The mean of a day is at most its greatest count. */
const SELECT_SENSORS = `
  INSERT INTO guarded_sensors
  SELECT c.sensor, c.native_minutes, c.first, c.last, (SELECT serial FROM sensors WHERE number = c.sensor)
  FROM (
    SELECT sensor, native_minutes, min(date) AS first, max(date) AS last, max(impressions) AS impressions
    FROM (
      SELECT sensor, native_minutes, date, impressions FROM staged_days s WHERE observed > 0 AND ${IS_NEW}
      UNION ALL SELECT sensor, native_minutes, date, impressions FROM merged_days
        WHERE observed > 0 AND set_aside IS NULL
    ) AS changed GROUP BY sensor, native_minutes
  ) AS c JOIN unnest($1::integer[], $2::bigint[]) AS g (sensor, greatest) USING (sensor)
  WHERE ${MIN_RECURRING} > (
    SELECT count(*) FROM (
      SELECT 1 FROM sensor_days d
      WHERE d.sensor = c.sensor AND d.native_minutes = c.native_minutes
        AND d.date >= c.last - ${HISTORY_DAYS} AND d.date < c.first
        AND ${isWithinSql('c.impressions', 'd.impressions', DAY_LIMIT)}
        AND ${isWithinSql('g.greatest', '(d.impressions / d.observed)', INTERVAL_LIMIT)}
      LIMIT ${MIN_RECURRING}
    ) AS near
  )`

/** The days that the file adds, those that it changes, and the others from the first day of the history on. */
const GUARDED_DAYS = `
  SELECT d.sensor, d.serial, d.native_minutes, d.date, a.time_zone AS zone, d.counts, d.is_changed, d.stored_counts
  FROM (
    SELECT asset, sensor, serial, native_minutes, date, counts, true AS is_changed, NULL::bytea AS stored_counts
    FROM staged_days s JOIN guarded_sensors USING (sensor, native_minutes) WHERE observed > 0 AND ${IS_NEW}
    UNION ALL
    SELECT m.asset, m.sensor, serial, m.native_minutes, m.date, m.counts, true, d.counts
    FROM merged_days m JOIN guarded_sensors USING (sensor, native_minutes)
         LEFT JOIN sensor_days d ON (d.asset, d.date, d.sensor) = (m.asset, m.date, m.sensor)
    WHERE m.observed > 0 AND m.set_aside IS NULL
    UNION ALL
    SELECT d.asset, d.sensor, serial, d.native_minutes, d.date, d.counts, false, NULL
    FROM guarded_sensors g JOIN sensor_days d
      ON d.sensor = g.sensor AND d.native_minutes = g.native_minutes
        AND d.date >= g.first - ${HISTORY_DAYS} AND d.date < g.last
    WHERE NOT EXISTS (
      SELECT 1 FROM merged_days m WHERE (m.asset, m.date, m.sensor) = (d.asset, d.date, d.sensor) AND m.set_aside IS NULL)
  ) AS d JOIN assets a ON a.number = d.asset
  ORDER BY d.sensor, d.native_minutes, d.date`
