/** Finds daily counts that would have the same asset and date after a relocation. All others keep their instants, which differ. */
import type { ClientBase } from 'pg'
import { COUNTED_DAYS } from '../../db/counts/set-aside-day'
import { quote } from '../../db/file-errors'
import type { StoredDay } from './relocation'

/** A daily count that gets another asset. */
export interface DailyMove extends StoredDay {
  count: number
  /** Its asset after the change. */
  target: number
}

type DailyCount = Pick<DailyMove, 'asset' | 'date' | 'count' | 'set_aside'>

/**
 * Returns the moves to an asset that has a count of the date, or gets one by another move, with a text that names both counts. A count
 * that is there stays there: a daily count leaves its asset only if its date no longer begins there.
 */
export async function findMeetings(
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

async function readAssetNames(client: ClientBase, assets: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ number: number; id: string; name: string }>(
    'SELECT number, id, name FROM assets WHERE number = ANY ($1)',
    [assets],
  )
  return new Map(rows.map(({ number, id, name }) => [number, `${quote(name)} (${id})`]))
}
