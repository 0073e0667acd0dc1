/**
 * Moves stored counts after installations or time zones have changed: checks first that all of them still have a place,
 * and moves them when the change has been stored. A few days are in memory at a time.
 */
import type { ClientBase } from 'pg'
import { NATIVE_MINUTES } from '../../db/calendar/grains'
import { dayNumber } from '../../db/calendar/local-days'
import { COUNTED_DAYS } from '../../db/counts/set-aside-day'
import { createStagingTables, stageDays } from '../../db/counts/staged-days'
import { readBatches } from '../../db/cursor'
import { FileError } from '../../db/file-errors'
import { readAssetNames } from '../counts/installations'
import { mergeDays, storeDays } from '../counts/merge-days'
import { RowCounter } from '../row-sink'
import { extendUnplaced, type Obstacle, type Unplaced, type UnplacedRange } from './placement'
import { type PlacementChange, relocate, type StoredDay } from './relocation'

/** Rows that are fetched at once. */
const BATCH = 200

/** Returns the counts that would have no place after a change, or another one's, by number of the sensor or asset. */
export async function findUnplaced(
  client: ClientBase,
  change: PlacementChange,
  by: 'sensor' | 'asset',
): Promise<Map<number, Unplaced[]>> {
  const found = new Map<string, UnplacedRange & { row: StoredDay; obstacle: Obstacle; meeting?: string | undefined }>()
  const addUnplaced = (row: StoredDay, obstacle: Obstacle, instant: number, meeting?: string) => {
    const key = `${row.sensor} ${row.asset} ${row.set_aside} ${obstacle}`
    const known = found.get(key)
    found.set(key, { row, obstacle, meeting, ...known, ...extendUnplaced(known, instant) })
  }
  const moves: DailyMove[] = []
  for await (const stored of storedDays(client, change)) {
    for (const row of stored) {
      const [part] = relocate(row, change, (...at) => addUnplaced(row, ...at)) ?? []
      if (part && part.asset !== row.asset && part.nativeMinutes === NATIVE_MINUTES.day)
        moves.push({ ...row, count: part.packed.impressions, target: part.asset })
    }
  }
  for (const { move, meeting } of await findMeetings(client, moves))
    addUnplaced(move, 'meeting', change.before.day(move.zone, dayNumber(move.date)).start, meeting)
  const grouped = new Map<number, Unplaced[]>()
  // Days are read in no order.
  const inOrder = [...found.values()].sort(
    (a, b) => a.first - b.first || a.row.sensor - b.row.sensor || a.row.asset - b.row.asset,
  )
  for (const { row, obstacle, meeting, counts, first, last } of inOrder) {
    const { sensor, set_aside: setAside, asset, zone } = row
    const texts = { first: change.before.format(zone, first), last: change.before.format(zone, last) }
    grouped.set(row[by], [
      ...(grouped.get(row[by]) ?? []),
      { obstacle, sensor, setAside, asset, zone, counts, ...texts, meeting },
    ])
  }
  return grouped
}

/** Moves the counts. To be called after the change has been stored; `findUnplaced` must have found nothing. */
export async function moveCounts(client: ClientBase, change: PlacementChange): Promise<void> {
  let parts = 0
  for await (const stored of storedDays(client, change)) {
    const moved = stored.flatMap(row => {
      const days = relocate(row, change, obstacle => {
        throw new Error(`a count of sensor ${row.sensor} has no place: ${obstacle}`)
      })
      return days ? { row, days } : []
    })
    if (moved.length === 0) continue
    if (parts === 0) await createStagingTables(client)
    parts = await stageDays(
      client,
      'staged_days',
      moved.flatMap(({ days }) => days),
      parts,
    )
    const rows = JSON.stringify(moved.map(({ row: { counts: _, ...row } }) => row))
    for (const statement of DELETE_MOVED) await client.query(statement, [rows])
  }
  if (parts === 0) return
  const counter = new RowCounter(({ reason }) => {
    throw new FileError(`two counts would be those of one interval: ${reason}; nothing was changed`)
  })
  await mergeDays(client, { days: change.after, counter, addOnly: true })
  await storeDays(client)
}

const MOVED = 'jsonb_to_recordset($1) AS m (asset integer, date date, sensor integer, set_aside integer)'

const DELETE_MOVED = [
  `DELETE FROM sensor_days d USING ${MOVED}
   WHERE m.set_aside IS NULL AND (d.asset, d.date, d.sensor) = (m.asset, m.date, m.sensor)`,
  `DELETE FROM set_aside_days d USING ${MOVED}
   WHERE (d.sensor, d.date, d.asset, d.set_aside) = (m.sensor, m.date, m.asset, m.set_aside)`,
]

/** Returns the days that may change, in batches. */
async function* storedDays(client: ClientBase, { days, formerZones }: PlacementChange): AsyncGenerator<StoredDay[]> {
  const [changed, values] = selectChanged(days)
  const stored = `
    SELECT d.set_aside, d.asset, d.sensor, d.native_minutes, d.date, d.counts, a.time_zone AS zone
    FROM ${changed} JOIN assets a ON a.number = d.asset`
  for await (const rows of readBatches<StoredDay>(client, stored, BATCH, values)) {
    yield rows.map(row => ({ ...row, zone: formerZones?.get(row.asset) ?? row.zone }))
  }
}

/** Returns the SQL of the days that may change, and its values. */
function selectChanged(days: PlacementChange['days']): [sql: string, values: unknown[]] {
  if ('setAside' in days) return [`(SELECT * FROM ${COUNTED_DAYS} AS d WHERE set_aside = $1) AS d`, [days.setAside]]
  if ('assets' in days) {
    const changed = 'unnest($1::integer[], $2::date[]) AS c (asset, since)'
    return [
      `${changed} JOIN ${COUNTED_DAYS} AS d ON d.asset = c.asset AND d.date >= c.since`,
      [[...days.assets.keys()], [...days.assets.values()]],
    ]
  }
  const changed = 'unnest($1::integer[], $2::date[], $3::date[]) AS c (sensor, first, last)'
  return [
    `${changed} JOIN ${COUNTED_DAYS} AS d ON d.sensor = c.sensor AND d.date BETWEEN c.first AND c.last`,
    [
      days.sensors.map(({ sensor }) => sensor),
      days.sensors.map(({ from }) => dateNear(from, -2)),
      days.sensors.map(({ to }) => dateNear(to, 2)),
    ],
  ]
}

/** Returns the date in UTC some days from an instant. */
function dateNear(instant: number, days: number): string {
  const bounded = Math.min(Math.max(instant + days * 86_400, -62e9), 253e9)
  return new Date(bounded * 1000).toISOString().slice(0, 10)
}

/** A daily count that gets another asset. */
interface DailyMove extends StoredDay {
  count: number
  /** Its asset after the change. */
  target: number
}

type DailyCount = Pick<DailyMove, 'asset' | 'date' | 'count' | 'set_aside'>

/**
 * Returns the moves to an asset that has a count of the date, or gets one by another move, with a text that names both
 * counts. A count that is there stays there: a daily count leaves its asset only if its date no longer begins there.
 */
async function findMeetings(
  client: ClientBase,
  moves: readonly DailyMove[],
): Promise<{ move: DailyMove; meeting: string }[]> {
  if (moves.length === 0) return []
  const { rows } = await client.query<DailyCount & { move: number }>(
    `WITH moves AS (
       SELECT * FROM unnest($1::integer[], $2::integer[], $3::date[]) WITH ORDINALITY AS m (sensor, asset, date, move)
     )
     SELECT move::integer - 1 AS move, asset, date, impressions AS count, set_aside
     FROM moves JOIN ${COUNTED_DAYS} AS d USING (sensor, asset, date)`,
    [moves.map(({ sensor }) => sensor), moves.map(({ target }) => target), moves.map(({ date }) => date)],
  )
  const stored = new Map(rows.map(({ move, ...count }) => [move, count]))
  const moved = new Map<string, DailyMove>()
  const meetings: { move: DailyMove; other: DailyCount }[] = []
  for (const [i, move] of moves.entries()) {
    const key = `${move.sensor} ${move.target} ${move.date}`
    const other = stored.get(i) ?? moved.get(key)
    if (other) meetings.push({ move, other })
    moved.set(key, move)
  }
  if (meetings.length === 0) return []
  const names = await readAssetNames(
    client,
    meetings.flatMap(({ move, other }) => [move.asset, other.asset]),
  )
  const describe = ({ count, asset, set_aside }: DailyCount) =>
    `${count} on ${names.get(asset)}${set_aside === null ? '' : `, set aside under the number ${set_aside}`}`
  return meetings.map(({ move, other }) => ({
    move,
    meeting: `${move.date} has ${describe(other)}, and ${describe(move)}`,
  }))
}
