/** What `doctor` finds: days of a sensor whose counts cannot be trusted, and the figures that show it. */

/** Figures by fault. Days are numbers since 1970-01-01, intervals are those of a day. */
interface FaultFigures {
  /** Hours in a row, and the impressions that are usual in them; 0 where nothing was ever counted. */
  silent: { hours: number; usual: number }
  zero: { hours: number; usual: number }
  /** How many intervals in a row had a count, from one of the first day to one of the last. */
  stuck: { count: number; intervals: number; interval: number; lastInterval: number }
  /** The day that is repeated, and how many of the compared intervals are equal. */
  repeated_days: { of: number; equal: number; compared: number }
  /** Hours by which counts come late, and their distance from what is expected as a share of that without a shift. */
  shifted: { hours: number; share: number }
  /** Counts as a share of what is expected, and the noise of its logarithm. */
  level: { share: number; noise: number }
  /** The greatest count of an interval, or the total of a day (interval -1), and what is usual at most. */
  implausible: { value: number; usual: number; interval: number; minutes: number }
}

export type FaultKind = keyof FaultFigures

/** From `from` to `to`, both inclusive, numbers of local days. */
export type Fault = {
  [Kind in FaultKind]: { fault: Kind; from: number; to: number; figures: FaultFigures[Kind] }
}[FaultKind]

/** Joins faults of one kind that overlap or adjoin, with the figures of the most obvious one. */
export function joinFaults(faults: readonly Fault[]): Fault[] {
  const joined: Fault[] = []
  for (const fault of [...faults].sort((a, b) => (a.fault === b.fault ? a.from - b.from : a.fault < b.fault ? -1 : 1))) {
    const last = joined.at(-1)
    // Figures of stuck counts say where they begin and end.
    if (last?.fault !== fault.fault || fault.fault === 'stuck' || fault.from > last.to + 1) joined.push(fault)
    else {
      const days = { from: last.from, to: Math.max(last.to, fault.to) }
      joined[joined.length - 1] = { ...(obviousness(fault) > obviousness(last) ? fault : last), ...days } as Fault
    }
  }
  return joined
}

function obviousness({ fault, figures }: Fault): number {
  if (fault === 'silent' || fault === 'zero') return figures.usual
  if (fault === 'shifted') return -figures.share
  if (fault === 'level') return Math.abs(Math.log(figures.share))
  if (fault === 'implausible') return figures.value / figures.usual
  return 0
}
