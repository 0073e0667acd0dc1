/**
 * Refuses files whose rows cover more than one interval of their sensor, or, where parts are added up, lie in several.
 * Most days show by two rows that they fit. All others are compared when the whole file is staged, because a day may
 * come in parts.
 */
import type { ClientBase } from 'pg'
import { NATIVE_GRAINS, NATIVE_MINUTES, nativeGrain } from '../../../db/calendar/grains'
import type { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { type Day, dayNumber } from '../../../db/calendar/local-days'
import { readBatches } from '../../../db/cursor'
import { FileError, quote } from '../../../db/file-errors'
import type { BufferedDay } from '../count-buffer'
import type { CountOptions } from '../count-options'
import type { Sensor } from '../installations'
import { grainAdvice, intervalName } from '../intervals/interval-names'
import { COUNT_FIRST, type Parts } from '../parts'
import { durationText, RowGaps } from './row-gaps'

/** Days that are fetched at once. */
const BATCH = 500

interface DoubtfulDay {
  sensor: number
  native_minutes: number
  date: string
  zone: string
  /** Seconds of the day at which rows start, 4 bytes each. */
  row_starts: Buffer
}

export class RowSpacing {
  /** The sensors with rows that fit them, with the minutes of their grain. */
  private readonly fitting = new Set<string>()
  private hasDoubts = false

  /** @param sensors by id and serial, the serial last */
  constructor(
    private readonly sensors: ReadonlyMap<string, Sensor>,
    private readonly days: LocalDayCache,
    private readonly options: CountOptions,
  ) {}

  /** Returns the seconds of the day that rows with a count name, unless they show that the rows fit the sensor. */
  findDoubtful({ sensor, installation, day, starts, rows }: BufferedDay): Buffer | null {
    const { intervals, counts } = rows
    const { nativeMinutes } = installation
    const { sumToGrain, stamps } = this.options
    // A part that names its end is in the second before it.
    const toStamp = stamps === 'end' ? 1 : 0
    const gaps = new RowGaps()
    const seconds: number[] = []
    for (let i = 0; i < intervals.length; i++) {
      if (counts[i]! < 0) continue
      const interval = intervals[i]!
      const second = sumToGrain ? interval + toStamp : starts[interval]!
      seconds.push(second)
      gaps.add(day, second)
      // On the day of a clock change, and of parts, only all rows show whether they fit.
      if (day.regular && !sumToGrain && gaps.fit(nativeMinutes)) break
    }
    if (day.regular && gaps.fit(nativeMinutes)) {
      this.fitting.add(keyOf(sensor.number, nativeMinutes))
      return null
    }
    this.hasDoubts = true
    return Buffer.from(Uint32Array.from(seconds).buffer)
  }

  /**
   * @param areAll whether the file has no rejected rows, or only such as shall be skipped
   * @param parts refuses events: a few of them may seem to have a length
   * @throws FileError when the rows of a sensor do not fit it
   */
  async check(client: ClientBase, areAll: boolean, parts?: Parts): Promise<void> {
    if (!this.hasDoubts) return
    let first: Misfit | undefined
    let others = 0
    for await (const sensor of this.readSensors(client)) {
      const misfit = sensor.isFitting && parts?.areEvents ? undefined : sensor.findMisfit(areAll)
      if (misfit && first) others++
      first ??= misfit
    }
    if (first) throw new FileError(this.describe(first, others))
  }

  private async *readSensors(client: ClientBase): AsyncGenerator<SensorGaps> {
    const doubtful = `
      SELECT s.sensor, s.native_minutes, s.date, a.time_zone AS zone, string_agg(s.row_starts, '') AS row_starts
      FROM staged_days s JOIN assets a ON a.number = s.asset
      GROUP BY s.asset, s.sensor, s.native_minutes, s.date, a.time_zone HAVING count(s.row_starts) = count(*)
      ORDER BY s.sensor, s.native_minutes, s.date`
    let rows: SensorGaps | undefined
    for await (const days of readBatches<DoubtfulDay>(client, doubtful, BATCH)) {
      for (const { sensor, native_minutes: minutes, date, zone, row_starts } of days) {
        if (rows?.sensor !== sensor || rows.nativeMinutes !== minutes) {
          if (rows) yield rows
          rows = new SensorGaps(sensor, minutes, this.fitting.has(keyOf(sensor, minutes)))
        }
        const seconds = new Set<number>()
        for (let at = 0; at < row_starts.length; at += 4) seconds.add(row_starts.readUInt32LE(at))
        rows.add(this.days.day(zone, dayNumber(date)), seconds)
      }
    }
    if (rows) yield rows
  }

  private describe({ sensor, nativeMinutes, gaps, isApart }: Misfit, others: number): string {
    const [serial = ''] = [...this.sensors].findLast(([, { number }]) => number === sensor) ?? []
    const grain = nativeGrain(nativeMinutes)
    const interval = intervalName(grain)
    const length = durationText(gaps.length)
    const rows =
      `the rows of sensor ${quote(serial)}${others === 0 ? '' : ` (and of ${others} more)`} ` +
      (gaps.from === gaps.to ? `on ${gaps.from}` : `from ${gaps.from} to ${gaps.to}`)
    const sparse = `if the rows are only sparse, and each covers one ${interval}, give --interval ${grain}`
    if (isApart) {
      const apart = grain === 'day' ? 'within a week' : 'on the same day'
      return `${rows} are never ${apart}, but the sensor counts by the ${interval}: no grain holds such rows; ${sparse}`
    }
    const holding = NATIVE_GRAINS.find(each => NATIVE_MINUTES[each] > nativeMinutes && gaps.fit(NATIVE_MINUTES[each]))
    const exactly = gaps.begin(nativeMinutes) ? 'exactly' : `that do not begin with the ${interval}s at the asset`
    const advice = holding
      ? `if a row covers ${length}, ${grainAdvice(holding)}, and give --sum-to-grain`
      : `no grain holds rows of ${length} ${exactly}`
    const apart = `${rows} are multiples of ${length} apart`
    // Such rows cannot cover one interval of the sensor each.
    if (gaps.length <= nativeMinutes * 60)
      return `${apart}, which do not add up to its ${interval}s: ${advice}${holding ? '' : `; if they are events${COUNT_FIRST}`}`
    return `${apart}, but the sensor counts by the ${interval}: ${advice}; ${sparse}`
  }
}

const keyOf = (sensor: number, nativeMinutes: number): string => `${sensor} ${nativeMinutes}`

/** Rows that are too few to show how long they are, unless they are all rows of a sensor: then two do. */
const MIN_ROWS = 3

/** Rows of which a day has fewer than that are longer than this. */
const MAX_SECONDS_OF_THREE = 8 * 3600

const DAYS_OF_WEEK = 7

/** Rows that do not fit their sensor. */
interface Misfit {
  sensor: number
  nativeMinutes: number
  gaps: RowGaps
  /** Whether no two rows are on one day; at a sensor that counts by the day, within a week. */
  isApart: boolean
}

/** Compares the rows of one sensor in a file: those of each local day, or of the whole file where days have too few. */
class SensorGaps {
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

  /** Returns the rows that do not fit. @param areAll whether two rows are all of them, and show how long they are */
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
