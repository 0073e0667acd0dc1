/**
 * Finds the stretches in which sensors have no counts, with the reason of each. Together they are the intervals that coverage
 * misses, future ones included, and the times without a sensor.
 */
import { countIntervals, type Dates, type Day, listDays, listStarts } from '../../db/calendar/local-days'
import { MISSING, unpack } from '../../db/calendar/packed-counts'
import type { AssetGaps, KnownTime, LastDay, ObservedDays, ObservedSensor } from '../../db/queries/gaps'
import type { Installation } from '../../db/queries/impressions'
import { ApiError } from '../../schema/errors'
import type { GapReason, Gap as GapRow } from '../../schema/generated'
import { Turns } from '../turns'
import { coversDay, listExpected } from './expected-intervals'
import { timestamp } from './timestamps'

/** Instants are in seconds since 1970; `to` is exclusive. */
interface Gap {
  sensorId: string | null
  from: number
  to: number
  /** The native intervals that are expected, all of which are missing. */
  intervals: number
  reason: GapReason
}

/** The number of gaps that a request may have, and may still have. */
export interface GapBudget {
  readonly max: number
  left: number
}

/** The native intervals of a sensor on a day. */
interface Intervals {
  day: Day
  /** Seconds from the start of the day. */
  starts: readonly number[]
  /** The indexes of the first interval that begins while the sensor is installed, and behind the last one. */
  expected: readonly [first: number, end: number]
}

/** Returns the gaps of an asset as rows, by time and sensor. @throws ApiError RANGE_TOO_LARGE, INTERNAL */
export async function listGaps(asset: AssetGaps, dates: Dates, budget: GapBudget): Promise<GapRow[]> {
  const turns = new Turns()
  const rows: GapRow[] = []
  for (const { sensorId, from, to, intervals, reason } of await findGaps(asset, dates, budget, turns)) {
    const [begin, end] = [timestamp(asset.rules, from), timestamp(asset.rules, to)]
    rows.push({ assetId: asset.id, sensorId, from: begin, to: end, expected: intervals, missing: intervals, reason })
    if (turns.isOver) await turns.next()
  }
  return rows
}

async function findGaps(asset: AssetGaps, dates: Dates, budget: GapBudget, turns: Turns): Promise<Gap[]> {
  const days = listDays(asset.rules, ...dates)
  const gaps: Gap[] = []
  const add = (gap: Gap) => {
    if (budget.left-- <= 0) throw tooManyGaps(days.length, budget.max)
    gaps.push(gap)
  }
  const finders = new Map<number, SensorGaps>()
  const measured: Pick<Gap, 'from' | 'to'>[] = []
  try {
    for (const installation of asset.installations) {
      const { sensor } = installation
      const finder = finders.get(sensor) ?? new SensorGaps(asset.sensors.get(sensor)!, asset.days.get(sensor), add)
      finders.set(sensor, finder)
      for (const [i, day] of days.entries()) {
        const intervals = listIntervals(day, installation)
        if (!intervals) continue
        const [from, to] = [startOf(intervals, intervals.expected[0]), startOf(intervals, intervals.expected[1])]
        const before = measured.at(-1)
        if (before?.to === from) before.to = to
        else measured.push({ from, to })
        finder.addDay(intervals, i, asset.erased.has(i))
        if (turns.isOver) await turns.next()
      }
    }
  } catch (error) {
    // Counts of another length than their day, which `verify` reports.
    throw error instanceof RangeError ? new ApiError('INTERNAL') : error
  }
  let end = days[0]!.start
  for (const { from, to } of [...measured.sort((a, b) => a.from - b.from), { from: days.at(-1)!.end, to: 0 }]) {
    if (from > end) add({ sensorId: null, from: end, to: from, intervals: 0, reason: 'no_sensor' })
    end = Math.max(end, to)
  }
  return gaps.sort((a, b) => a.from - b.from || (a.sensorId! < b.sensorId! ? -1 : 1))
}

/** Undefined for a day on which nothing is expected. */
function listIntervals(day: Day, installation: Installation): Intervals | undefined {
  const starts = listStarts(day, installation.nativeMinutes)
  if (coversDay(installation, day))
    return starts.length === 0 ? undefined : { day, starts, expected: [0, starts.length] }
  const expected = listExpected(day, installation)
  if (expected.length === 0) return undefined
  const first = starts.indexOf(expected[0]!)
  return { day, starts, expected: [first, first + expected.length] }
}

/** Returns the instant at which an interval begins; behind the last one, that at which the day ends. */
const startOf = ({ day, starts }: Intervals, index: number): number =>
  index < starts.length ? day.start + starts[index]! : day.end

/** The gaps of one sensor, whose days are added in order. Neighbours of one reason are one gap. */
class SensorGaps {
  /** The instant at which the last interval with a count begins, wherever the sensor was. */
  private readonly lastCount: number
  private readonly setAside: Periods
  private readonly offline: Periods
  private last: Gap | undefined

  constructor(
    private readonly sensor: ObservedSensor,
    private readonly observed: ObservedDays | undefined,
    private readonly addGap: (gap: Gap) => void,
  ) {
    this.lastCount = Math.max(...sensor.lastDays.map(findLastCount))
    this.setAside = new Periods(sensor.knownTimes.filter(({ reason }) => reason === 'set_aside'))
    this.offline = new Periods(sensor.knownTimes.filter(({ reason }) => reason === 'sensor_offline'))
  }

  /** @param index of the day in the range */
  addDay(intervals: Intervals, index: number, isErased: boolean): void {
    if (this.observed?.complete.has(index)) return
    const { day, starts, expected } = intervals
    // A daily count.
    if (starts.length === 1 && this.observed?.setAside.has(index)) {
      this.add(intervals, expected, 'set_aside')
      return
    }
    const packed = this.observed?.counts.get(index)
    const begin = startOf(intervals, expected[0])
    const isKnown = [this.setAside, this.offline].some(periods => periods.endingAfter(begin) < day.end)
    const isDelivered = this.lastCount >= day.end
    if (!packed && !isKnown && (isDelivered || this.lastCount < day.start)) {
      this.add(intervals, expected, explain(isErased, isDelivered))
      return
    }
    const counts = packed && unpack(packed, starts.length)
    for (let i = expected[0]; i < expected[1]; i++) {
      if (counts && counts[i] !== MISSING) continue
      const [from, to] = [startOf(intervals, i), startOf(intervals, i + 1)]
      const reason = isKnown ? this.findKnown(from, to) : undefined
      this.add(intervals, [i, i + 1], reason ?? explain(isErased, from <= this.lastCount))
    }
  }

  /** Counts are set aside by the begin of their interval. A sensor that was offline in a part of an interval did not count it. */
  private findKnown(from: number, to: number): KnownTime['reason'] | undefined {
    if (this.setAside.endingAfter(from) <= from) return 'set_aside'
    return this.offline.endingAfter(from) < to ? 'sensor_offline' : undefined
  }

  private add(intervals: Intervals, [first, end]: readonly [number, number], reason: GapReason): void {
    const [from, to] = [startOf(intervals, first), startOf(intervals, end)]
    if (this.last?.to === from && this.last.reason === reason) {
      this.last.to = to
      this.last.intervals += end - first
      return
    }
    this.last = { sensorId: this.sensor.id, from, to, intervals: end - first, reason }
    this.addGap(this.last)
  }
}

/** Times that do not overlap, in order, of which one after the other is looked up. */
class Periods {
  private next = 0

  constructor(private readonly periods: readonly KnownTime[]) {}

  /** Returns the begin of the first period that ends after an instant; infinity without one. @param instant not before the last one */
  endingAfter(instant: number): number {
    const { periods } = this
    while (this.next < periods.length && periods[this.next]!.to <= instant) this.next++
    return periods[this.next]?.from ?? Number.POSITIVE_INFINITY
  }
}

/** Returns the reason why an interval is missing of which nothing else is known. */
const explain = (isErased: boolean, isDelivered: boolean): GapReason =>
  isErased ? 'erased' : isDelivered ? 'unknown' : 'not_delivered'

/** Returns the instant at which the last interval of a day with a count begins. */
function findLastCount({ rules, date, nativeMinutes, counts }: LastDay): number {
  if (!counts) return Number.POSITIVE_INFINITY
  const [day] = listDays(rules, date, date) as [Day]
  const last = unpack(counts, countIntervals(day, nativeMinutes)).findLastIndex(count => count !== MISSING)
  return day.start + (listStarts(day, nativeMinutes)[last] ?? 0)
}

const tooManyGaps = (days: number, max: number) =>
  new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: Math.floor(days / 2) },
    `The range has more than ${max} gaps. Choose fewer days or assets.`,
  )
