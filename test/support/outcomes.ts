/** The figures of imports, as tests expect them. */
import { type Figures, NO_FIGURES } from '../../db/figures'

export interface Outcome extends Figures {
  /** `LINE: reason`, by line. */
  errors: string[]
}

/** Returns the outcome of a file of which every row is stored. */
export const stored = (rows: number) => ({
  ...NO_FIGURES,
  read: rows,
  stored: rows,
  errors: [],
})

export const unchanged = (rows: number) => ({ ...stored(0), read: rows, unchanged: rows })

/** Returns the outcome of a file that is refused for these rows. */
export const refused = (rows: number, errors: (string | RegExp)[]) => ({
  ...NO_FIGURES,
  read: rows,
  rejected: errors.length,
  not_stored: rows - errors.length,
  errors: errors.map(fault => (typeof fault === 'string' ? fault : expect.stringMatching(fault))),
})
