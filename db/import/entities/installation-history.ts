/**
 * Applies rows of `sensors` to installation histories. A row says that from `installed_at` on the sensor is on an asset,
 * or on none, and replaces the history after that instant.
 */
import type { LocalDayCache } from '../../calendar/local-day-cache'
import type { Installation } from '../counts/installations'

/** A row, with what is stored of its sensor. Instants are in seconds since 1970; a missing column is undefined. */
export interface SensorRow {
  /** The asset after the import; undefined where the sensor is on none. */
  place: Pick<Installation, 'asset' | 'company' | 'zone'> | undefined
  /** Whether the file has the column `asset_id`. */
  namesAsset: boolean
  installedAt: number | null | undefined
  removedAt: number | null | undefined
  /** The grain after the import. */
  nativeMinutes: number
  storedAsset: number | null
  storedInstalledAt: number | null
  /** The end of the last local day with counts on the stored asset. */
  countedUntil: number | null
  now: number
}

export const NOT_AFTER = 'removed_at is not after installed_at'

const NEVER = Number.POSITIVE_INFINITY

/** Returns the history after a row, or the reason why it is rejected. */
export function historyAfter(history: readonly Installation[], row: SensorRow): readonly Installation[] | string {
  const { installedAt, removedAt, place } = row
  if (installedAt != null && removedAt != null && removedAt <= installedAt) return NOT_AFTER
  if (!place) return withoutAsset(history, row)
  const last = history.at(-1)
  const moved = place.asset !== row.storedAsset
  const from = installedAt === undefined ? findStart(last, moved, row) : installedAt
  if (from === null) return 'installed_at is required for a sensor on an asset'
  // Without an asset of its own, a row corrects the present installation.
  const corrected = !moved && (installedAt === undefined || !row.namesAsset)
  const stays = !moved && last !== undefined && (corrected || last.to > from)
  const to = removedAt === undefined ? (stays ? last.to : NEVER) : (removedAt ?? NEVER)
  if (to <= from) return NOT_AFTER
  const earlier = truncate(corrected ? history.slice(0, -1) : history, from)
  return merge([...earlier, { ...place, from, to, nativeMinutes: row.nativeMinutes }])
}

/**
 * Returns when a row without `installed_at` takes effect: for a move, the stored counts stay with the asset that the
 * sensor leaves.
 */
function findStart(last: Installation | undefined, moved: boolean, row: SensorRow): number | null {
  if (!last) return row.storedInstalledAt
  if (!moved) return last.from
  return last.to < NEVER ? last.to : Math.max(last.from, row.countedUntil ?? last.from)
}

function withoutAsset(history: readonly Installation[], row: SensorRow): readonly Installation[] | string {
  const { installedAt, removedAt } = row
  const last = history.at(-1)
  if (!last) return history
  // Otherwise installed_at is that of the installation that ended.
  const isSince = row.namesAsset && installedAt != null && installedAt > last.from
  if (removedAt != null && !isSince) {
    if (removedAt > last.from) return [...history.slice(0, -1), { ...last, to: removedAt }]
    return installedAt == null || !row.namesAsset ? NOT_AFTER : truncate(history, removedAt)
  }
  if (!row.namesAsset) return history
  if (installedAt != null) return truncate(history, installedAt)
  if (row.storedAsset === null || last.to < NEVER) return history
  return truncate(history, Math.max(row.now, last.from, row.countedUntil ?? row.now))
}

const truncate = (history: readonly Installation[], at: number): Installation[] =>
  history.filter(({ from }) => from < at).map(each => (each.to > at ? { ...each, to: at } : each))

/** Joins installations that follow one another on the same asset in the same grain. */
function merge(history: readonly Installation[]): Installation[] {
  const merged: Installation[] = []
  for (const next of history) {
    const last = merged.at(-1)
    if (last && last.to === next.from && isSamePlace(last, next)) last.to = next.to
    else merged.push({ ...next })
  }
  return merged
}

const isSamePlace = (one: Installation | undefined, other: Installation | undefined): boolean =>
  one?.asset === other?.asset && one?.nativeMinutes === other?.nativeMinutes

/** Returns the period, `to` exclusive, outside of which two histories are the same; undefined where they are equal. */
export function difference(
  before: readonly Installation[],
  after: readonly Installation[],
): { from: number; to: number } | undefined {
  const at = (history: readonly Installation[], instant: number) =>
    history.find(({ from, to }) => from <= instant && instant < to)
  const bounds = [...new Set([...before, ...after].flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const changed = bounds.flatMap((from, i) =>
    isSamePlace(at(before, from), at(after, from)) ? [] : [{ from, to: bounds[i + 1] ?? NEVER }],
  )
  const [first, last] = [changed[0], changed.at(-1)]
  return first && last && { from: first.from, to: last.to }
}

/** Returns the start of an installation on a local day on which the sensor counts another grain on the same asset. */
export function findMixedDay(history: readonly Installation[], days: LocalDayCache): Installation | undefined {
  return history.find((installation, i) => {
    const earlier = history.slice(0, i).findLast(({ asset }) => asset === installation.asset)
    if (!earlier || earlier.nativeMinutes === installation.nativeMinutes) return false
    return Math.ceil(earlier.to) > days.dayAt(installation.zone, Math.floor(installation.from)).start
  })
}
