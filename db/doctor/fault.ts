/** Faults that `doctor` finds in counts: days of a sensor that cannot be trusted, and the figures that show it. */
import type { ImplausibleValue } from '../counts/usual-counts'

/** Figures by fault. Days are numbers since 1970-01-01, intervals are those of a day. */
interface FaultFigures {
  /** Hours in a row, and the impressions that are usual in them. */
  zero: { hours: number; usual: number }
  /** The count, and the number of intervals in a row that had it, from one of the first day to one of the last. */
  stuck: { count: number; intervals: number; interval: number; lastInterval: number }
  /** The day that is repeated, and how many of the compared intervals are equal. */
  repeated_days: { of: number; equal: number; compared: number }
  /** Hours by which counts come late, and their distance from what is expected as a share of that without a shift. */
  shifted: { hours: number; share: number }
  /** Counts as a share of what is expected, and the noise of its logarithm. */
  level: { share: number; noise: number }
  implausible: ImplausibleValue
}

export type FaultKind = keyof FaultFigures

export const FAULT_KINDS: readonly FaultKind[] = ['zero', 'stuck', 'repeated_days', 'shifted', 'level', 'implausible']

/** From `from` to `to`, both inclusive, numbers of local days. */
export type Fault = {
  [Kind in FaultKind]: { fault: Kind; from: number; to: number; figures: FaultFigures[Kind] }
}[FaultKind]

/** Joins faults of one kind that overlap or adjoin, with the figures of the most obvious one; of stuck counts, the same ones. */
export function joinFaults(faults: readonly Fault[]): Fault[] {
  const joined: Fault[] = []
  for (const fault of [...faults].sort((a, b) => a.from - b.from)) {
    const i = joined.findLastIndex(other => belongTogether(other, fault))
    if (i < 0) joined.push(fault)
    else {
      const { from, to } = joined[i]!
      const shown = obviousness(fault) > obviousness(joined[i]!) ? fault : joined[i]!
      joined[i] = { ...shown, from, to: Math.max(to, fault.to) } as Fault
    }
  }
  return joined
}

const belongTogether = (a: Fault, b: Fault): boolean =>
  a.fault === 'stuck' && b.fault === 'stuck'
    ? a.from === b.from && a.figures.interval === b.figures.interval
    : a.fault === b.fault && b.from <= a.to + 1

function obviousness({ fault, figures }: Fault): number {
  if (fault === 'zero') return figures.usual
  if (fault === 'stuck') return figures.intervals
  if (fault === 'shifted') return -figures.share
  if (fault === 'level') return Math.abs(Math.log(figures.share))
  if (fault === 'implausible') return figures.value / figures.usual
  return figures.equal
}
