/** Rounded fractions: half up, 0 where the divisor is 0. */

/** Returns an average, 2 decimals. */
export const average = (total: number, count: number): number =>
  count === 0 ? 0 : Math.round((total * 100) / count) / 100

/** Returns a part of a whole, 0 to 1, 4 decimals. */
export const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 10_000

/**
 * Returns observed over expected, 0 to 1, 4 decimals; 0 only if nothing was observed, however little that is. What was observed at an
 * earlier time may be more than is expected now; null where nothing is.
 */
export function coverage(observed: number, expected: number): number | null {
  if (observed === 0) return 0
  return expected === 0 ? null : Math.min(1, Math.max(share(observed, expected), 0.0001))
}
