/** The changes of the feed. */
import type { paths } from '../index'
import { type Days, daysOfMonth } from './days'
import type { Part } from './sql-store'
import { TABLES, type TableName } from './tables'

type FeedChange = paths['/v1/partner/changes']['get']['responses'][200]['content']['application/json']['data'][number]

interface ReplacedPart extends Part {
  table: TableName
  ids: string[]
}

/** Returns the parts of tables that have to be read again, which do not overlap, and the assets to be removed before. */
export function planChanges(changes: readonly FeedChange[]): { removed: string[]; parts: ReplacedPart[] } {
  const removed = changes.flatMap(({ kind, asset_id }) => (kind === 'removed' ? asset_id : []))
  // A range is within a month.
  const ofAssets = new Map<string, { table: TableName; id: string; days: Days | undefined }>()
  for (const { asset_id: id, kind, from_date: from, to_date: to } of changes) {
    const table = kind === 'asset' ? 'assets' : (kind as TableName)
    // A service can have kinds that this version does not know.
    if (!Object.hasOwn(TABLES, table)) continue
    const key = `${table} ${id} ${from?.slice(0, 7)}`
    const known = ofAssets.get(key)?.days
    if (!from || !to) ofAssets.set(key, { table, id, days: undefined })
    else if (table !== 'impressions') ofAssets.set(key, { table, id, days: daysOfMonth(from.slice(0, 7)) })
    else ofAssets.set(key, { table, id, days: known ? coverBoth(known, [from, to]) : [from, to] })
  }
  const parts = new Map<string, ReplacedPart>()
  for (const { table, id, days } of ofAssets.values()) {
    const part = parts.get(`${table} ${days}`) ?? { table, ids: [], days }
    part.ids.push(id)
    parts.set(`${table} ${days}`, part)
  }
  return { removed, parts: [...parts.values()] }
}

const coverBoth = (one: Days, other: Days): Days => [
  one[0] < other[0] ? one[0] : other[0],
  one[1] > other[1] ? one[1] : other[1],
]
