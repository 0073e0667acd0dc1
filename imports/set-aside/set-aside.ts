/**
 * Sets counts of a sensor aside: takes those of a period of time out of every number, and keeps them. Later imports set
 * aside what arrives for it.
 */
import type { ClientBase, Pool } from 'pg'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { DAY, dayNumber, isDate } from '../../db/calendar/local-days'
import { TimestampParser } from '../../db/calendar/timestamp-parser'
import { createStagingTables, stageStored } from '../../db/counts/staged-days'
import { refuseAs } from '../../db/file-errors'
import type { OnWait } from '../../db/locks'
import { readDetails } from '../../db/operations/listings'
import { recordOperation } from '../../db/operations/record'
import { checkClosedMonths, type RestatementOptions, stateReason } from '../../db/operations/restatement'
import { OperatorError } from '../../db/operator-error'
import { findNumbers } from '../../db/references'
import { inTransaction } from '../../db/transaction'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { loadHistories, readSerials, type Sensor } from '../counts/installations'
import { installationNear } from '../counts/intervals/installation-finder'
import { LocalTimes } from '../counts/intervals/local-times'
import { mergeDays, storeDays } from '../counts/merge-days'
import { RowCounter } from '../row-sink'

/** A period and its counts, as commands print it. */
export interface SetAsidePeriod {
  id: number
  /** Serial. */
  sensor: string
  /** RFC 3339 in UTC; `to` is exclusive. */
  from: string
  to: string
  reason: string
  public: boolean
  counts: number
  impressions: number
}

/** An asset, and the first and the last of its days that changed (`YYYY-MM-DD`). */
interface ChangedDays {
  id: string
  name: string
  from: string
  to: string
}

export interface ChangedPeriod extends SetAsidePeriod {
  /** The assets and the local days that change. */
  changed: ChangedDays[]
}

export interface SetAsideRequest {
  /** Serial or id. */
  sensor: string
  from: string
  to: string
}

export interface RunOptions extends RestatementOptions {
  /** Changes nothing. */
  dryRun?: boolean
  /** The result that the operator confirmed, if any; another one is not stored. */
  preview?: Omit<ChangedPeriod, 'id'>
  onWait?: OnWait
}

/**
 * Sets counts aside, in one transaction together with its record.
 *
 * @throws OperatorError UNKNOWN_SENSOR, NEVER_INSTALLED, INVALID_TIME, SET_ASIDE_ALREADY, MONTH_CLOSED, or DATA_CHANGED
 *   since the preview; SET_ASIDE_FAILED when the database refuses or goes away
 */
export function setAside(pool: Pool, request: SetAsideRequest, options: RunOptions): Promise<ChangedPeriod> {
  const { reason = '', public: isPublic = false } = options
  return runOnPeriod(pool, 'set_aside', options, client => insertPeriod(client, { ...request, reason, isPublic }))
}

const COMMANDS = { set_aside: 'set-aside impressions', restored: 'restore' }

/** Runs a change of a period and records it; rolls it back where it is only shown, or is not what was shown. */
export function runOnPeriod(
  pool: Pool,
  kind: keyof typeof COMMANDS,
  options: RunOptions,
  change: (client: ClientBase) => Promise<SetAsidePeriod>,
): Promise<ChangedPeriod> {
  const { dryRun = false, preview, onWait, reason, restate, public: isPublic } = options
  const run = async (client: ClientBase) => {
    await stateReason(client, kind, options)
    const period = { ...(await change(client)), changed: await readChangedDays(client) }
    const same = ({ counts, impressions, changed }: Omit<ChangedPeriod, 'id'>) =>
      JSON.stringify([counts, impressions, changed])
    if (preview && same(period) !== same(preview)) {
      const reason = 'the data changed since the preview: nothing was changed, run the command again'
      throw new OperatorError('DATA_CHANGED', reason)
    }
    const { id, sensor, from, to, counts, impressions } = period
    const details = { id, sensor, from, to, reason, public: isPublic, restate }
    if (dryRun) await checkClosedMonths(client)
    else await recordOperation(client, { command: COMMANDS[kind], details, figures: { counts, impressions } })
    return { commit: !dryRun, result: period }
  }
  return inTransaction(pool, run, onWait).catch(refuseAs('SET_ASIDE_FAILED'))
}

/** Reads what the running transaction has touched, by name of the asset. */
async function readChangedDays(client: ClientBase): Promise<ChangedDays[]> {
  const { rows } = await client.query<ChangedDays>(`
    SELECT a.id, a.name, min(month_start(t.month) + day)::text AS from, max(month_start(t.month) + day)::text AS to
    FROM touched t JOIN assets a ON a.number = t.asset CROSS JOIN generate_series(0, 30) AS day WHERE t.days >> day & 1 = 1
    GROUP BY a.id, a.name ORDER BY a.name, a.id`)
  return rows
}

async function insertPeriod(
  client: ClientBase,
  request: SetAsideRequest & { reason: string; isPublic: boolean },
): Promise<SetAsidePeriod> {
  const { reason, isPublic } = request
  const number = (await findNumbers(client, 'sensors', [request.sensor]))[0]!
  const serial = (await readSerials(client, [number])).get(number)!
  const days = await loadLocalDays(client)
  const sensor = { number, installations: (await loadHistories(client, [number])).get(number) ?? [] }
  if (sensor.installations.length === 0) {
    throw new OperatorError('NEVER_INSTALLED', `sensor ${serial} was never installed on an asset, and has no counts`)
  }
  const from = readTime('--from', request.from, sensor, days)
  const to = readTime('--to', request.to, sensor, days)
  if (from >= to) throw new OperatorError('INVALID_TIME', `--to ${request.to} is not after --from ${request.from}`)
  await checkFree(client, number, from, to, serial)
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO set_asides (sensor, from_time, to_time, reason, is_public)
     VALUES ($1, to_timestamp($2::float8), to_timestamp($3::float8), $4, $5) RETURNING id`,
    [number, from, to, reason, isPublic],
  )
  await divertStored(client, rows[0]!.id, number, from, to, days)
  return readPeriod(client, String(rows[0]!.id))
}

/** @throws OperatorError UNKNOWN_SET_ASIDE */
export async function readPeriod(client: ClientBase, reference: string): Promise<SetAsidePeriod> {
  const { asset_id: _, asset: __, created_at: ___, ...period } = await readDetails(client, 'set-aside', reference)
  return period as unknown as SetAsidePeriod
}

async function checkFree(client: ClientBase, sensor: number, from: number, to: number, serial: string): Promise<void> {
  const { rows } = await client.query<{ id: number; from: string; to: string }>(
    `SELECT id, from_time AS from, to_time AS to FROM set_asides
     WHERE sensor = $1 AND from_time < to_timestamp($3::float8) AND to_time > to_timestamp($2::float8) ORDER BY from_time LIMIT 1`,
    [sensor, from, to],
  )
  if (!rows[0]) return
  const { id, ...other } = rows[0]
  const is = `sensor ${serial} is set aside from ${other.from} to ${other.to} already, under the number ${id}`
  throw new OperatorError(
    'SET_ASIDE_ALREADY',
    `${is}: give times outside of it, or run partner-metrics restore ${id} first`,
  )
}

/** Imports the stored days of a period again, as an import that meets it does. */
async function divertStored(
  client: ClientBase,
  period: number,
  sensor: number,
  from: number,
  to: number,
  days: LocalDayCache,
): Promise<void> {
  await createStagingTables(client)
  const stored = `sensor_days
    WHERE sensor = $1 AND date BETWEEN to_timestamp($2::float8)::date - 1 AND to_timestamp($3::float8)::date + 1`
  await stageStored(client, stored, [sensor, from, to])
  const counter = new RowCounter(({ reason }) => {
    throw new Error(`stored counts conflict: ${reason}`)
  })
  await mergeDays(client, { days, counter, divertTo: period })
  await storeDays(client)
}

/** The instants that imports accept: 1970 to 2100, in seconds. */
const [MIN, MAX] = [0, Date.UTC(2101, 0, 1) / 1000]

/**
 * Returns a time in seconds since 1970: an instant with an offset, a local time at the asset of a sensor, or a date,
 * which is the beginning of its day there. @throws OperatorError INVALID_TIME
 */
function readTime(option: string, text: string, sensor: Sensor, days: LocalDayCache): number {
  const parser = new TimestampParser()
  const isDay = isDate(text)
  const given = `${option} ${JSON.stringify(text)}`
  if (!isDay && !parser.parse(text)) {
    const forms = 'a date, a local time at the asset such as 2026-10-25T08:00, or one with its offset'
    throw invalid(`${given} is not a time: give ${forms}`)
  }
  const { day, second, offset, millisecond } = parser
  if (millisecond !== 0) throw invalid(`${given} has a fraction of a second: give a whole one`)
  const times = isDay
    ? listStarts(dayNumber(text), sensor, days)
    : offset === undefined
      ? new LocalTimes(days, true).listInstants(sensor, day, second)
      : [day * DAY + second - offset]
  const [time, other] = times
  if (time === undefined) throw invalid(`${given} is a local time that the clock change skips: give another one`)
  if (other !== undefined) {
    const both = [time, other].map(each => days.format(installationNear(sensor, each).zone, each))
    throw invalid(`${given} is two instants: give ${both.join(' or ')}`)
  }
  if (time < MIN || time >= MAX) throw invalid(`${given} is not between 1970 and 2100`)
  return time
}

/** Returns when a date begins at the asset; more than once where the sensor is in another zone then. */
function listStarts(day: number, sensor: Sensor, days: LocalDayCache): number[] {
  const zones = [...new Set(sensor.installations.map(({ zone }) => zone))]
  const starts = zones.flatMap(zone => {
    const { start, end } = days.day(zone, day)
    return start < end && installationNear(sensor, start).zone === zone ? [start] : []
  })
  return [...new Set(starts)]
}

const invalid = (message: string): OperatorError => new OperatorError('INVALID_TIME', message)
