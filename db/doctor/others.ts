/** The median of what the other sensors of a company did, with which a sensor is compared. */
import { lastAtMost } from '../calendar/zone-rules'

/** Fewer others show nothing. */
export const MIN_OTHERS = 5

/**
 * Returns the median of the ratios without one of them, or without none if NaN is given; NaN if there are fewer than MIN_OTHERS
 * others.
 *
 * @param ratios of all sensors; NaN of those that have none
 */
export function medianOfOthers(ratios: readonly number[]): (own: number) => number {
  const sorted = Float64Array.from(ratios.filter(ratio => !Number.isNaN(ratio))).sort()
  return own => {
    const place = Number.isNaN(own) ? sorted.length : lastAtMost(sorted, own)
    const others = sorted.length - (place < sorted.length ? 1 : 0)
    if (others < MIN_OTHERS) return Number.NaN
    const other = (i: number) => sorted[i < place ? i : i + 1]!
    const middle = others >> 1
    return others % 2 === 1 ? other(middle) : (other(middle - 1) + other(middle)) / 2
  }
}
