/** The figures of an import, which add up: read is the sum of the others. */
export interface Figures {
  /** Rows in the file. */
  read: number
  /** Rows that changed the database. */
  stored: number
  /** Valid rows that changed nothing. */
  unchanged: number
  /** Rows that changed what is set aside, where a period of their sensor is. */
  set_aside: number
  /** Rows with an empty value that removed what was stored. */
  erased: number
  /** Rows that were left out because an option says so, or because other parts of their interval are missing. */
  dropped: number
  /** Rows with an error. */
  rejected: number
  /** Valid rows of a file that was refused. */
  not_stored: number
}

/** The figures of the valid rows; those of kinds that neither set aside, erase nor drop rows have only the first two. */
export type StoredFigures = Pick<Figures, 'stored' | 'unchanged'> &
  Partial<Pick<Figures, 'set_aside' | 'erased' | 'dropped'>>

export const NO_FIGURES: Figures = {
  read: 0,
  stored: 0,
  unchanged: 0,
  set_aside: 0,
  erased: 0,
  dropped: 0,
  rejected: 0,
  not_stored: 0,
}

/** Returns the figures of a file of which nothing was stored. */
export const refusedFigures = ({ read, rejected }: Pick<Figures, 'read' | 'rejected'>): Figures => ({
  ...NO_FIGURES,
  read,
  rejected,
  not_stored: read - rejected,
})
