/** Finds the places of the counts of a stored sensor-day after installations or time zones have changed. */
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { type Day, dayNumber, listStarts } from '../../db/calendar/local-days'
import { MISSING, unpack } from '../../db/calendar/packed-counts'
import type { StagedDay } from '../../db/counts/staged-days'
import { type Installation, installationAt } from '../counts/installations'
import { type Obstacle, Placement } from './placement'

/** A row of `sensor_days` or `set_aside_days`. */
export interface StoredDay {
  /** The number of the period with which it is set aside. */
  set_aside: number | null
  asset: number
  sensor: number
  native_minutes: number
  date: string
  /** The time zone in which it was stored. */
  zone: string
  counts: Buffer
}

/** A change of installations or of time zones. */
export interface PlacementChange {
  /** The installations of the sensors concerned after the change, with the time zones after it. */
  histories: ReadonlyMap<number, readonly Installation[]>
  /** The local days by the rules before the change and after it: the same, unless the rules of a zone change. */
  before: LocalDayCache
  after: LocalDayCache
  /** The time zones before the change, by asset, of the assets where it changes. */
  formerZones?: ReadonlyMap<number, string>
  /**
   * The stored days that may change: of assets, on and after the date of each; of sensors in a period (seconds since
   * 1970); or of a period that is set aside.
   */
  days:
    | { assets: ReadonlyMap<number, string> }
    | { sensors: readonly { sensor: number; from: number; to: number }[] }
    | { setAside: number }
}

/** Returns the days that have the counts of a stored day after a change; undefined where nothing changes. */
export function relocate(
  stored: StoredDay,
  { histories, before, after }: PlacementChange,
  onObstacle: (obstacle: Obstacle, instant: number) => void,
): StagedDay[] | undefined {
  const { sensor, asset, native_minutes: minutes, zone } = stored
  const installations = [...(histories.get(sensor) ?? [])]
  const day = before.day(zone, dayNumber(stored.date))
  const isHere = (installation: Installation) =>
    installation.asset === asset && installation.zone === zone && installation.nativeMinutes === minutes
  const first = installationAt(installations, day.start)
  if (first && first.to >= day.end && isHere(first) && isSameDay(after.day(zone, day.number), day)) return undefined
  const placement = new Placement({ number: sensor, installations }, after)
  const starts = listStarts(day, minutes)
  const counts = unpack(stored.counts, starts.length)
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] === MISSING) continue
    const instant = day.start + starts[i]!
    const obstacle = placement.place({ minutes, asset, day: day.number, instant }, counts[i]!)
    if (obstacle) onObstacle(obstacle, instant)
  }
  const [part, other] = placement.parts
  if (!part || (!other && isHere(part.installation) && isSameDay(part.day, day))) return undefined
  return placement.stagedDays(stored.set_aside)
}

/** Returns whether a day by two sets of rules has the same intervals. */
const isSameDay = (a: Day, b: Day): boolean =>
  a === b ||
  (a.number === b.number &&
    a.end === b.end &&
    a.zoneIntervals.length === b.zoneIntervals.length &&
    a.zoneIntervals.every(({ at, offset }, i) => at === b.zoneIntervals[i]?.at && offset === b.zoneIntervals[i].offset))
