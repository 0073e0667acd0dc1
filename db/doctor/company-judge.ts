/** Judges the sensors of one company: each by itself first, then beside the others. */
import { HISTORY_DAYS, MIN_HISTORY_DAYS } from '../counts/usual-counts'
import { findShifts, hoursAround, judgeLevels, NO_RATIOS, ratiosOf, type WindowHours } from './company-rules'
import { type Fault, type FaultKind, joinFaults } from './fault'
import type { SensorCounts } from './sensor-counts'
import { findImplausible, findRepeated, findStuck, findZeros } from './sensor-rules'
import { findTypicalWeek, WINDOW_DAYS } from './typical-week'

export interface Verdict {
  faults: Fault[]
  /** The rules by which the last window could not be judged, with the reason. */
  unjudged: { faults: FaultKind[]; reason: string }[]
}

interface JudgedWindow {
  ratios: Float32Array
  hours: WindowHours | undefined
}

/** The figures of a sensor, without its counts. */
interface JudgedSensor {
  faults: Fault[]
  /** By window; undefined without a typical week. */
  windows: (JudgedWindow | undefined)[]
}

/** These rules compare with weeks before. */
const WEEKLY: FaultKind[] = ['zero', 'shifted', 'level', 'implausible']

export class CompanyJudge {
  private readonly sensors: JudgedSensor[] = []
  /** The first day of each window. */
  private readonly windows: readonly number[]

  /**
   * @param from number of the first day that is judged
   * @param end number of the day after the last one
   */
  constructor(
    private readonly from: number,
    end: number,
  ) {
    const first = Math.min(from, end - WINDOW_DAYS)
    this.windows = Array.from({ length: end - WINDOW_DAYS - first + 1 }, (_, i) => first + i)
  }

  /**
   * Adds the counts of a sensor up to the last day.
   *
   * @param breaks numbers of days from which on its counts cannot be compared with those before
   */
  add(sensor: SensorCounts, breaks: readonly number[] = []): void {
    const { from } = this
    const faults = [...findStuck(sensor, from), ...findRepeated(sensor, from), ...findImplausible(sensor, from)]
    const windows = this.windows.map((window): JudgedWindow | undefined => {
      const comparable = breaks.filter(day => day < window + WINDOW_DAYS)
      const typical = findTypicalWeek(sensor, window, Math.max(sensor.first, ...comparable))
      if (!typical) return undefined
      faults.push(...findZeros(sensor, typical, window))
      return { ratios: ratiosOf(sensor, typical, window), hours: hoursAround(sensor, typical, window) }
    })
    this.sensors.push({ faults, windows })
  }

  /** Returns the verdict on each sensor, in the order in which they were added. */
  finish(): Verdict[] {
    const verdicts = this.sensors.map(({ faults, windows }): Verdict => {
      const reason = `fewer than ${MIN_HISTORY_DAYS} of the ${HISTORY_DAYS} days before have counts`
      return { faults: [...faults], unjudged: windows.at(-1) ? [] : [{ faults: WEEKLY, reason }] }
    })
    this.windows.forEach((window, i) => {
      const isLast = i === this.windows.length - 1
      findShifts(
        this.sensors.map(({ windows }) => windows[i]?.hours),
        window,
      ).forEach((fault, own) => {
        if (fault) verdicts[own]!.faults.push(fault)
      })
      judgeLevels(this.sensors.map(({ windows }) => windows[i]?.ratios ?? NO_RATIOS)).forEach((verdict, own) => {
        if (!verdict) return
        const { faults, unjudged } = verdicts[own]!
        if ('change' in verdict) {
          const figures = { share: Math.exp(verdict.change), noise: verdict.noise }
          faults.push({ fault: 'level', from: window, to: window + WINDOW_DAYS - 1, figures })
        } else if (isLast) unjudged.push({ faults: ['level'], reason: verdict.reason })
      })
    })
    return verdicts.map(({ faults, unjudged }) => ({ faults: this.conclude(faults), unjudged }))
  }

  /** Joins faults, without levels that others explain, and days that are not judged. */
  private conclude(faults: readonly Fault[]): Fault[] {
    const joined = joinFaults(faults)
    const isExplained = (level: Fault) =>
      joined.some(({ fault, from, to }) => ['zero', 'stuck'].includes(fault) && from <= level.to && to >= level.from)
    return joined
      .filter(fault => fault.to >= this.from && !(fault.fault === 'level' && isExplained(fault)))
      .map(fault => (fault.fault === 'stuck' ? fault : { ...fault, from: Math.max(fault.from, this.from) }))
  }
}
