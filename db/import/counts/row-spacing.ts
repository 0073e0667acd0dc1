/** Notes how far apart the counts of each sensor are, to find files whose rows cover more than one interval. */
import type { NativeGrain } from '../../../schema/generated'
import { NATIVE_GRAINS, NATIVE_MINUTES, nativeGrain } from '../../calendar/grains'
import type { LocalDay } from '../../calendar/local-day-cache'
import { FileError, quote } from '../errors'
import type { Sensor } from './installations'
import { grainAdvice, intervalName } from './intervals/interval-names'

/** Returns the seconds between the starts of two rows of a grain, at least. The shortest day has 23 hours. */
const minSeconds = (grain: NativeGrain): number => Math.min(NATIVE_MINUTES[grain] * 60, 23 * 3600)

/** Counts that are too few to show the interval of their rows. */
const MIN_COUNTS = 3

/** The starts of one sensor that are compared across days. */
const MAX_STARTS = 1000

/** The counts of one sensor in one grain, as long as none of them are as close as its intervals. */
interface Spacing {
  grain: NativeGrain
  /** Empty when two of them were as close as the intervals of the sensor. */
  starts: number[]
  isCoarse: boolean
}

export class RowSpacing {
  private readonly spacings = new Map<string, Spacing>()

  /** @param sensors by id and serial, the serial last */
  constructor(private readonly sensors: ReadonlyMap<string, Sensor>) {}

  /**
   * Notes counts of one day.
   *
   * @param counts one for each native interval; negative where there is none
   */
  include(
    sensor: number,
    nativeMinutes: number,
    day: LocalDay,
    starts: readonly number[],
    counts: ArrayLike<number>,
  ): void {
    const spacing = this.openSpacing(sensor, nativeGrain(nativeMinutes))
    const { grain } = spacing
    if (!spacing.isCoarse) return
    let previous = Number.NEGATIVE_INFINITY
    for (let i = 0; i < starts.length; i++) {
      if ((counts[i] as number) < 0) continue
      const start = starts[i] as number
      if (coarserGrain(grain, start - previous) === undefined) {
        Object.assign(spacing, { starts: [], isCoarse: false })
        return
      }
      if (spacing.starts.length < MAX_STARTS) spacing.starts.push(day.start + start)
      previous = start
    }
  }

  /** @throws FileError when the counts of a sensor are never closer than the intervals of a coarser grain */
  check(): void {
    const [first, ...others] = this.findCoarse()
    if (!first) return
    const { sensor, grain, rows } = first
    const [serial = ''] = [...this.sensors].findLast(([, { number }]) => number === sensor) ?? []
    const also = others.length === 0 ? '' : ` (and of ${others.length} more)`
    throw new FileError(
      `the rows of sensor ${quote(serial)}${also} are never closer than one ${intervalName(rows)}, but the sensor counts ` +
        `by the ${intervalName(grain)}: if a row covers one ${intervalName(grain)}, give --interval ${grain}; ` +
        `if it covers one ${intervalName(rows)}, ${grainAdvice(rows)}`,
    )
  }

  private *findCoarse(): Generator<{ sensor: number; grain: NativeGrain; rows: NativeGrain }> {
    for (const [key, { grain, starts, isCoarse }] of this.spacings) {
      // A day may have come in several parts.
      const ordered = [...new Set(starts)].sort((a, b) => a - b)
      if (!isCoarse || ordered.length < MIN_COUNTS) continue
      const closest = Math.min(...ordered.slice(1).map((start, i) => start - (ordered[i] as number)))
      const rows = coarserGrain(grain, closest)
      if (rows) yield { sensor: Number.parseInt(key, 10), grain, rows }
    }
  }

  private openSpacing(sensor: number, grain: NativeGrain): Spacing {
    const key = `${sensor} ${grain}`
    const known = this.spacings.get(key)
    if (known) return known
    const spacing: Spacing = { grain, starts: [], isCoarse: grain !== 'day' }
    this.spacings.set(key, spacing)
    return spacing
  }
}

/** Returns the coarsest grain, coarser than this one, whose rows may be so many seconds apart. */
const coarserGrain = (grain: NativeGrain, seconds: number): NativeGrain | undefined =>
  NATIVE_GRAINS.findLast(each => NATIVE_MINUTES[each] > NATIVE_MINUTES[grain] && minSeconds(each) <= seconds)
