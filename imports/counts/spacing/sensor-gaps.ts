/** Compares the rows of one sensor in a file: those of each local day, or of the whole file where days have too few. */
import { NATIVE_MINUTES } from '../../../db/calendar/grains'
import type { Day } from '../../../db/calendar/local-days'
import { RowGaps } from './row-gaps'

/** Rows that are too few to show how long they are, unless they are all rows of a sensor: then two do. */
const MIN_ROWS = 3

/** Rows of which a day has fewer than that are longer than this. */
const MAX_SECONDS_OF_THREE = 8 * 3600

const DAYS_OF_WEEK = 7

/** Rows that do not fit their sensor. */
export interface Misfit {
  sensor: number
  nativeMinutes: number
  gaps: RowGaps
  /** Whether no two rows are on one day; at a sensor that counts by the day, within a week. */
  isApart: boolean
}

export class SensorGaps {
  private readonly all = new RowGaps()
  /** The rows of days that have too few. */
  private readonly few = new RowGaps()
  /** The rows of days that do not fit, and those of the first such day. */
  private readonly unfit = new RowGaps()
  private firstUnfit: RowGaps | undefined
  private isApart = true
  private lastDay = Number.NEGATIVE_INFINITY

  /** @param isFitting whether other days have rows that fit */
  constructor(
    readonly sensor: number,
    readonly nativeMinutes: number,
    public isFitting: boolean,
  ) {}

  private get isDaily(): boolean {
    return this.nativeMinutes === NATIVE_MINUTES.day
  }

  /** Adds a day; days are in order. */
  add(day: Day, seconds: ReadonlySet<number>): void {
    if (seconds.size === 0) return
    const gaps = addTo(new RowGaps(), day, seconds)
    addTo(this.all, day, seconds)
    const minGap = this.isDaily ? DAYS_OF_WEEK : 1
    if (seconds.size > 1 || day.number - this.lastDay < minGap) this.isApart = false
    this.lastDay = day.number
    if (gaps.fit(this.nativeMinutes)) this.isFitting = true
    else if (seconds.size < MIN_ROWS) addTo(this.few, day, seconds)
    else {
      this.firstUnfit ??= gaps
      addTo(this.unfit, day, seconds)
    }
  }

  /**
   * Returns the rows that do not fit; undefined if there are none.
   *
   * @param areAll whether two rows are all that the sensor has in the file, so that they show how long they are
   */
  findMisfit(areAll: boolean): Misfit | undefined {
    const { all, few, unfit, firstUnfit, sensor, nativeMinutes, isApart } = this
    const misfit = (gaps: RowGaps, isApart = false): Misfit => ({ sensor, nativeMinutes, gaps, isApart })
    if (firstUnfit) return misfit(unfit.fit(nativeMinutes) ? firstUnfit : unfit)
    const rows = this.isFitting ? few : all
    // Sensors that count by the day may lack days; rows of weeks and months never come closer.
    if (
      rows.rows < (areAll && !this.isFitting ? 2 : MIN_ROWS) ||
      (this.isDaily && !isApart && rows.begin(nativeMinutes))
    )
      return undefined
    if (rows.fit(nativeMinutes))
      return !this.isFitting && isApart && rows.rows >= MIN_ROWS ? misfit(rows, true) : undefined
    return this.isFitting && rows.length <= MAX_SECONDS_OF_THREE ? undefined : misfit(rows)
  }
}

function addTo(gaps: RowGaps, day: Day, seconds: Iterable<number>): RowGaps {
  for (const second of seconds) gaps.add(day, second)
  return gaps
}
