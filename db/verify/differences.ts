/** Differences between what is stored and what it is derived from. */

export interface Difference {
  table: string
  /** The row, for people. */
  row: string
  column: string
  /** As text; null for null. */
  stored: string | null
  expected: string | null
  /** Whether the repair sets the expected value. */
  repairable: boolean
}

/** Receives each difference; the check goes on when its promise is fulfilled. */
export type OnDifference = (difference: Difference) => Promise<void>
