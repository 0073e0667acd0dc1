/** What an import comes to: its figures, its faulty rows, and the fault that ends a whole file. */
import { OperatorError } from '../operator-error'

/** They add up: read = stored + unchanged + rejected + not_stored. */
export interface Figures {
  /** Rows of the file. */
  read: number
  /** Rows that made a change. */
  stored: number
  /** Good rows that said what was known already. */
  unchanged: number
  /** Faulty rows. */
  rejected: number
  /** Good rows of a file that was refused. */
  not_stored: number
}

/** A faulty row. */
export interface Fault {
  /** The line of the file on which the row begins, from 1. */
  line: number
  reason: string
  /** The row's own columns as they came, where they are still at hand. */
  record?: string[]
}

/** The whole file is refused, whatever its rows say: it cannot be read, or its header does not fit. */
export class FileFault extends OperatorError {
  /** How far the import got; set once the file is given up. */
  figures: Figures = { read: 0, stored: 0, unchanged: 0, rejected: 0, not_stored: 0 }

  /** @param line where in the file, undefined for the file as a whole */
  constructor(
    message: string,
    readonly line?: number,
  ) {
    super('IMPORT_REFUSED', message)
  }
}

/** Counts rows and passes faults on as they are found. */
export class Tally {
  read = 0
  rejected = 0

  constructor(private readonly onFault: (fault: Fault) => void = () => {}) {}

  /** Rejects a row; to be called once a row. */
  reject(line: number, reason: string, record?: string[]): void {
    this.rejected++
    this.onFault(record ? { line, reason, record } : { line, reason })
  }
}

/** A value as it is repeated in a message. */
export const told = (value: string): string => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
