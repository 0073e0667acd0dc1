/** Converts counts that the version before set aside by instant: they become sensor-days of the assets where their sensors were. */
import type { ClientBase } from 'pg'
import { NATIVE_MINUTES } from '../calendar/grains'
import type { LocalDayCache } from '../calendar/local-day-cache'
import { listStarts } from '../calendar/local-days'
import { MISSING } from '../calendar/packed-counts'
import { packDay } from '../counts/sensor-day'
import { createStagingTables, DAY_COLUMNS, type StagedDay, stageDays } from '../counts/staged-days'
import { readBatches } from '../cursor'
import { OperatorError } from '../operator-error'
import { loadLocalDays } from '../zones/rules-in-force'

/** Days that are fetched at once. */
const BATCH = 200

/** The counts of a stretch on a local day of an asset. */
interface FormerDay {
  set_aside: number
  sensor: number
  serial: string
  native_minutes: number
  asset: number
  company: number
  /** Null where the sensor is on no asset, and was on none. */
  zone: string | null
  /** Days since 1970-01-01. */
  day: number
  /** Seconds since 1970. */
  instants: number[]
  counts: number[]
}

/** Outside of all installations, a count belongs to the nearest one. Daily counts have their asset and date. */
const FORMER_DAYS = `
  SELECT c.set_aside, t.sensor, s.serial, c.native_minutes, a.number AS asset, a.company, a.time_zone AS zone, d.date - date '1970-01-01' AS day,
    array_agg(extract(epoch FROM at)::float8 ORDER BY at) AS instants, array_agg(u.count ORDER BY at) AS counts
  FROM set_aside_counts c JOIN set_asides t ON t.id = c.set_aside JOIN sensors s ON s.number = t.sensor
    CROSS JOIN unnest(c.starts, c.counts) AS u (start, count)
    CROSS JOIN LATERAL (SELECT c.day::timestamp AT TIME ZONE 'UTC' + make_interval(secs => u.start) AS at) AS i
    LEFT JOIN assets a ON a.number = coalesce(c.asset, (
      SELECT asset FROM installations WHERE sensor = t.sensor
      ORDER BY installed_at > at, CASE WHEN installed_at > at THEN installed_at END, installed_at DESC LIMIT 1))
    CROSS JOIN LATERAL (
      SELECT CASE c.native_minutes WHEN ${NATIVE_MINUTES.day} THEN c.day ELSE local_date(a.rules, at) END AS date) AS d
  GROUP BY c.set_aside, t.sensor, s.serial, c.native_minutes, a.number, a.company, a.time_zone, d.date`

/**
 * Fills `set_aside_days` from `set_aside_counts`.
 *
 * @throws OperatorError SET_ASIDE_UNPLACED where no interval of an asset begins at a count
 */
export async function convertSetAside(client: ClientBase): Promise<void> {
  const days = await loadLocalDays(client)
  await createStagingTables(client)
  for await (const rows of readBatches<FormerDay>(client, FORMER_DAYS, BATCH)) {
    const converted = rows.map(row => toSensorDay(row, days))
    await stageDays(client, 'staged_days', converted)
  }
  await client.query(
    `INSERT INTO set_aside_days (set_aside, ${DAY_COLUMNS}) SELECT set_aside, ${DAY_COLUMNS} FROM staged_days`,
  )
}

function toSensorDay(former: FormerDay, days: LocalDayCache): StagedDay {
  const { set_aside: setAside, sensor, serial, native_minutes: nativeMinutes, asset, company, zone } = former
  const unplaced = () => {
    const reason = `counts of sensor ${serial} that are set aside under the number ${setAside} are in no interval of an asset`
    const remedy = 'with the version before, correct the installations of the sensor, or delete the counts'
    return new OperatorError('SET_ASIDE_UNPLACED', `${reason}: ${remedy}; nothing was changed`)
  }
  if (zone === null) throw unplaced()
  const day = days.day(zone, former.day)
  const starts = listStarts(day, nativeMinutes)
  const counts = new Float64Array(starts.length).fill(MISSING)
  for (const [i, instant] of former.instants.entries()) {
    const interval = nativeMinutes === NATIVE_MINUTES.day ? 0 : starts.indexOf(instant - day.start)
    if (!(interval in counts)) throw unplaced()
    counts[interval] = former.counts[i]!
  }
  return { asset, company, sensor, nativeMinutes, day: day.number, setAside, packed: packDay(day, starts, counts) }
}
