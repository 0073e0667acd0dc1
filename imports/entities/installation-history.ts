/**
 * Applies rows of `sensors` to installation histories. A row says that from `installed_at` on it is on an asset,
 * or on none. If that is what is recorded for that instant, what follows it stays; otherwise the row replaces it.
 */
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { type Hardware, type Installation, installationAt } from '../counts/installations'

/** A row, with what is stored of its sensor. Instants are in seconds since 1970; a missing column is undefined. */
export interface SensorRow {
  /** The asset that the row names; undefined where it names none. */
  place: Pick<Installation, 'asset' | 'company' | 'zone'> | undefined
  /** Whether the file has the column `asset_id`. */
  namesAsset: boolean
  /** Whether the file has the column `vendor_id`, and with it the grain. */
  namesVendor: boolean
  installedAt: number | null | undefined
  removedAt: number | null | undefined
  /** After the import. */
  hardware: Hardware
  /** The end of the last local day with counts on the stored asset. */
  countedUntil: number | null
  now: number
}

const NOT_AFTER = 'removed_at is not after installed_at'
const NO_START = 'installed_at is required for a sensor on an asset'

const NEVER = Number.POSITIVE_INFINITY

/** Returns the history after a row, the same object if it repeats what is recorded, or why the row is rejected. */
export function historyAfter(history: readonly Installation[], row: SensorRow): readonly Installation[] | string {
  const { installedAt, removedAt, place, namesAsset } = row
  const isRemoved = namesAsset && !place
  if (installedAt != null && removedAt != null && (isRemoved ? removedAt < installedAt : removedAt <= installedAt))
    return NOT_AFTER
  if (!namesAsset) return correctLast(history, row)
  if (!place) return withoutAsset(history, row)
  const from = installedAt === undefined ? findStart(history.at(-1), place.asset, row) : installedAt
  if (from === null) return NO_START
  const recorded = installationAt(history, from)
  if (recorded && repeats(history, recorded, place.asset, row) && !isReplaced(recorded, from, row)) return history
  const to = removedAt ?? NEVER
  if (to <= from) return NOT_AFTER
  const hardware = hardwareUntil(to, recorded?.asset === place.asset ? recorded : undefined, row)
  return merge([...truncate(history, from), { ...place, from, to, ...hardware }])
}

/** Returns the last installation of a sensor if it is installed: a recorded removal takes it away, whenever that is. */
export function presentInstallation(history: readonly Installation[]): Installation | undefined {
  const last = history.at(-1)
  return last?.to === NEVER ? last : undefined
}

/** Returns whether a row says of an asset what is recorded. An installation that ends with a move was not removed. */
function repeats(
  history: readonly Installation[],
  recorded: Installation,
  asset: number,
  { namesVendor, hardware, removedAt }: SensorRow,
): boolean {
  if (recorded.asset !== asset || (namesVendor && recorded.nativeMinutes !== hardware.nativeMinutes)) return false
  if (removedAt === undefined) return true
  let { to } = recorded
  let next = installationAt(history, to)
  while (next?.asset === asset) {
    to = next.to
    next = installationAt(history, to)
  }
  return (next ? NEVER : to) === (removedAt ?? NEVER)
}

/** Returns whether a row says that the present hardware was replaced, rather than what it has been from the start. */
const isReplaced = (recorded: Installation, from: number, { hardware }: SensorRow): boolean =>
  recorded.to === NEVER && from > recorded.from && !isSameHardware(recorded, hardware)

export const isSameHardware = (one: Hardware, other: Hardware): boolean =>
  one.vendor === other.vendor && one.model === other.model && one.nativeMinutes === other.nativeMinutes

/** Returns when a row without `installed_at` takes effect: counts stay with the asset that the sensor leaves. */
function findStart(last: Installation | undefined, asset: number, row: SensorRow): number | null {
  if (!last) return null
  if (last.asset === asset) return last.from
  return last.to < NEVER ? last.to : Math.max(last.from, row.countedUntil ?? last.from)
}

/** Returns the hardware of an installation: an ended one keeps its own, unless the file's vendor has another grain. */
function hardwareUntil(to: number, recorded: Installation | undefined, { namesVendor, hardware }: SensorRow): Hardware {
  if (to === NEVER || !recorded) return hardware
  const isOther = recorded.nativeMinutes !== hardware.nativeMinutes
  const { vendor, model, nativeMinutes } = (namesVendor && isOther) || recorded.to === NEVER ? hardware : recorded
  return { vendor, model, nativeMinutes }
}

/** Corrects the last installation, by a row of a file without `asset_id`. */
function correctLast(history: readonly Installation[], row: SensorRow): readonly Installation[] | string {
  const { installedAt, removedAt } = row
  const last = history.at(-1)
  if (!last || (last.to < NEVER && installedAt === undefined && removedAt === undefined)) return history
  if (installedAt == null && removedAt === last.from) return truncate(history, removedAt)
  const from = installedAt ?? last.from
  const to = removedAt === undefined ? last.to : (removedAt ?? NEVER)
  if (installedAt === null && to === NEVER) return NO_START
  if (to <= from) return NOT_AFTER
  const corrected = { ...last, from, to, ...hardwareUntil(to, last, row) }
  return merge([...truncate(history.slice(0, -1), from), corrected])
}

function withoutAsset(history: readonly Installation[], row: SensorRow): readonly Installation[] | string {
  const { installedAt, removedAt } = row
  const last = history.at(-1)
  if (!last) return history
  // Otherwise installed_at is that of the installation that ended.
  const isSince = installedAt != null && installedAt > last.from
  if (removedAt != null && !isSince) {
    if (removedAt > last.from) return [...history.slice(0, -1), { ...last, to: removedAt }]
    return installedAt == null && removedAt < last.from ? NOT_AFTER : truncate(history, removedAt)
  }
  if (installedAt != null) return installationAt(history, installedAt) ? truncate(history, installedAt) : history
  if (last.to < NEVER) return history
  return truncate(history, Math.max(row.now, last.from, row.countedUntil ?? row.now))
}

const truncate = (history: readonly Installation[], at: number): Installation[] =>
  history.filter(({ from }) => from < at).map(each => (each.to > at ? { ...each, to: at } : each))

/** Joins installations that follow one another on the same asset with the same hardware. */
function merge(history: readonly Installation[]): Installation[] {
  const merged: Installation[] = []
  for (const next of history) {
    const last = merged.at(-1)
    if (last?.to === next.from && last.asset === next.asset && isSameHardware(last, next)) last.to = next.to
    else merged.push({ ...next })
  }
  return merged
}

const isSamePlace = (one: Installation | undefined, other: Installation | undefined): boolean =>
  one?.asset === other?.asset && one?.nativeMinutes === other?.nativeMinutes

/** Returns the period, `to` exclusive, in which counts have another place or grain in two histories, if any. */
export function difference(
  before: readonly Installation[],
  after: readonly Installation[],
): { from: number; to: number } | undefined {
  const bounds = [...new Set([...before, ...after].flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const changed = bounds.flatMap((from, i) =>
    isSamePlace(installationAt(before, from), installationAt(after, from))
      ? []
      : [{ from, to: bounds[i + 1] ?? NEVER }],
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
