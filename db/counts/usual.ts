/**
 * Finds what is usual for a sensor: the greatest value of its history. Values that stand out there are not usual, so that an error
 * that was stored does not hide the next one, until they recur, as on market days or at a busier place.
 */

/** The days before a day that are compared with it. */
export const HISTORY_DAYS = 56

/** Fewer days with data show nothing. */
export const MIN_HISTORY_DAYS = 14

/** Values that stand out on so many days of a history are usual. */
export const MIN_RECURRING = 7

/** Values above `factor` times the usual one and `margin` more are implausible. */
interface Limit {
  factor: number
  margin: number
}

export const INTERVAL_LIMIT: Limit = { factor: 5, margin: 50 }

export const DAY_LIMIT: Limit = { factor: 3, margin: 0 }

export const isAbove = (value: number, usual: number, { factor, margin }: Limit): boolean =>
  value > factor * usual + margin

/** Returns SQL: whether a value is within the limit. */
export const isWithinSql = (value: string, usual: string, { factor, margin }: Limit): string =>
  `${value} <= ${factor} * ${usual} + ${margin}`

/**
 * Returns what is usual if a value is implausible beside it. Nothing is usual where the history is short or has nothing but
 * zeros.
 */
export function findUsual(value: number, history: readonly number[], limit: Limit): number | undefined {
  if (history.length < MIN_HISTORY_DAYS) return undefined
  let near = 0
  for (const earlier of history) if (!isAbove(value, earlier, limit) && ++near === MIN_RECURRING) return undefined
  const ascending = history.filter(earlier => earlier > 0).sort((a, b) => a - b)
  const standsOut = (earlier: number, i: number) =>
    i > 0 && ascending.length - i < MIN_RECURRING && isAbove(earlier, ascending[i - 1]!, limit)
  const first = ascending.findIndex(standsOut)
  const usual = first < 0 ? ascending.at(-1) : ascending[first - 1]
  return usual !== undefined && isAbove(value, usual, limit) ? usual : undefined
}
