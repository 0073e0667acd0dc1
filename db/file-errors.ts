/** Errors of an import: of a single row, and of a file as a whole. */

import { type Figures, NO_FIGURES } from './figures'
import { OperatorError } from './operator-error'

export interface RowError {
  /** The line of the file on which the row begins, from 1. */
  line: number
  reason: string
}

export type OnRowError = (error: RowError) => void

const IMPORT_REFUSED = 'IMPORT_REFUSED'

/** The file as a whole is refused: it cannot be read, its header does not fit, or the database failed. */
export class FileError extends OperatorError {
  /** The figures at the time of the failure; set by `importFile`. */
  figures: Figures = NO_FIGURES

  /** @param line where in the file; undefined for the file as a whole */
  constructor(
    message: string,
    readonly line?: number,
    code = IMPORT_REFUSED,
  ) {
    super(code, message)
  }
}

/**
 * Returns a handler of errors: what the database refused to another command than an import has a code of its own. Other errors are
 * thrown as they are.
 */
export const refuseAs =
  (code: string) =>
  (error: unknown): never => {
    throw error instanceof FileError && error.code === IMPORT_REFUSED ? new OperatorError(code, error.message) : error
  }

/** Characters that look like a blank, or like nothing. */
const UNSEEN = /(?! )\p{Zs}|[\u200c\u200d]/gu

/** Returns a value as a message shows it, in which characters that look like others are escapes. */
export const quote = (value: string): string =>
  JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value).replace(
    UNSEEN,
    unseen => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
