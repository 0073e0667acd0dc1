/** Judges the sensors of one company: each by itself first, then beside the others. */
import { type Fault, type FaultKind, joinFaults } from './fault'
import { judgeLevels, NO_RATIOS, ratiosOf } from './level-rule'
import { findImplausible, findRepeated, findStuck } from './native-rules'
import { MIN_OTHERS } from './others'
import type { SensorCounts } from './sensor-counts'
import { findShifts, hoursAround, type WindowHours } from './shift-rule'
import { type EmptyHour, findEmptyHours, findSilence } from './silence'
import { findTypicalWeek, WINDOW_DAYS } from './typical-week'

export interface Verdict {
  faults: Fault[]
  /** The rules by which the last window could not be judged, with the reason. */
  unjudged: { faults: FaultKind[]; reason: string }[]
}

/** The figures of a sensor in a window. */
interface JudgedWindow {
  ratios: Float32Array
  hours: WindowHours | undefined
  empty: EmptyHour[]
}

/** The figures of a sensor, without its counts. */
interface JudgedSensor {
  slots: number
  vendor: number
  faults: Fault[]
  /** By window; undefined without a typical week. */
  windows: (JudgedWindow | undefined)[]
  /** Hours that are expected, if it never counted anything. */
  never: EmptyHour[]
}

/** The sensors of a vendor: how many there are, and in which of the judged hours any has a count. */
interface Delivery {
  sensors: number
  hours: Uint8Array
}

/** These rules compare with weeks before. */
const WEEKLY: FaultKind[] = ['silent', 'zero', 'shifted', 'level', 'implausible']

export class CompanyJudge {
  private readonly sensors: JudgedSensor[] = []
  private readonly deliveries = new Map<number, Delivery>()
  /** The first day of each window. */
  private readonly windows: readonly number[]

  /**
   * @param from number of the first day that is judged
   * @param end number of the day after the last one
   */
  constructor(
    private readonly from: number,
    private readonly end: number,
  ) {
    const first = Math.min(from, end - WINDOW_DAYS)
    this.windows = Array.from({ length: end - WINDOW_DAYS - first + 1 }, (_, i) => first + i)
  }

  /**
   * Adds the counts of a sensor up to the last day.
   *
   * @param breaks numbers of days from which on its counts cannot be compared with those before
   */
  add(sensor: SensorCounts, vendor: number, breaks: readonly number[] = []): void {
    const { from } = this
    this.noteDelivery(sensor, vendor)
    const windows = this.windows.map((window): JudgedWindow | undefined => {
      const comparable = breaks.filter(day => day < window + WINDOW_DAYS)
      const typical = findTypicalWeek(sensor, window, Math.max(sensor.first, ...comparable))
      return (
        typical && {
          ratios: ratiosOf(sensor, typical, window),
          hours: hoursAround(sensor, typical, window),
          empty: findEmptyHours(sensor, typical, window),
        }
      )
    })
    const faults = [...findStuck(sensor, from), ...findRepeated(sensor, from), ...findImplausible(sensor, from)]
    const never = sensor.days.some(day => day)
      ? []
      : findEmptyHours(sensor, new Float64Array(7 * sensor.slots), this.windows[0]!, this.end)
    this.sensors.push({ slots: sensor.slots, vendor, faults, windows, never })
  }

  /** Vendors of many sensors of which none has a count. */
  get undelivered(): number[] {
    return [...this.deliveries].flatMap(([vendor, { sensors, hours }]) =>
      sensors > MIN_OTHERS && !hours.includes(1) ? [vendor] : [],
    )
  }

  private noteDelivery({ hours, first, slots }: SensorCounts, vendor: number): void {
    const days = this.end - this.windows[0]!
    const delivery = this.deliveries.get(vendor) ?? { sensors: 0, hours: new Uint8Array(24 * days) }
    this.deliveries.set(vendor, delivery)
    delivery.sensors++
    for (let i = 0; i < delivery.hours.length; i += 24 / slots) {
      const place = (this.windows[0]! - first) * slots + (i * slots) / 24
      if (hours[place]! >= 0) delivery.hours[i] = 1
    }
  }

  /** Returns the verdict on each sensor, in the order in which they were added. */
  finish(): Verdict[] {
    const verdicts = this.sensors.map(sensor => this.judgeAlone(sensor))
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

  private judgeAlone({ slots, vendor, faults, windows, never }: JudgedSensor): Verdict {
    const { sensors, hours } = this.deliveries.get(vendor)!
    // Hours of which nothing was delivered say nothing of one sensor, where there are enough others.
    const isDelivered = ({ hour }: EmptyHour) => sensors <= MIN_OTHERS || hours[hour - 24 * this.windows[0]!] === 1
    const silence = windows.flatMap(each => (each ? findSilence(each.empty.filter(isDelivered), slots) : []))
    const expected = never.filter(isDelivered)
    if (expected.length >= WINDOW_DAYS * slots) {
      const [from, to] = [expected[0]!, expected.at(-1)!].map(({ hour }) => Math.floor(hour / 24)) as [number, number]
      silence.push({ fault: 'silent', from, to, figures: { hours: (expected.length * 24) / slots, usual: 0 } })
    }
    const isKnown = windows.at(-1) !== undefined || silence.length > 0
    const reason = 'fewer than 14 of the 56 days before have counts'
    return { faults: [...faults, ...silence], unjudged: isKnown ? [] : [{ faults: WEEKLY, reason }] }
  }

  /** Joins faults, without levels that others explain, and days that are not judged. */
  private conclude(faults: readonly Fault[]): Fault[] {
    const joined = joinFaults(faults)
    const isExplained = (level: Fault) =>
      joined.some(
        ({ fault, from, to }) => ['silent', 'zero', 'stuck'].includes(fault) && from <= level.to && to >= level.from,
      )
    return joined
      .filter(fault => fault.to >= this.from && !(fault.fault === 'level' && isExplained(fault)))
      .map(fault => (fault.fault === 'stuck' ? fault : { ...fault, from: Math.max(fault.from, this.from) }))
  }
}
