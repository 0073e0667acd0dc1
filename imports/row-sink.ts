/** The steps of an import, implemented by each kind of file: add all rows, validate them together, store them. */
import type { StoredFigures } from '../db/figures'
import type { OnRowError, RowError } from '../db/file-errors'
import type { CountOptions } from './counts/count-options'

export interface SinkOptions extends CountOptions {
  /** Receives a line about rows that are no errors, but do not have the effect that one may expect of them. */
  onNotice?: (notice: string) => void
}

export interface RowSink {
  /** Adds a row, with values in the order of the sink's columns. Returns the reason why it is rejected, if it is. */
  add(values: readonly string[], line: number): string | undefined
  /** Writes buffered rows to the database when the buffer is full; called after each chunk of the file. */
  flushIfFull(): Promise<void>
  /** Flushes, compares the rows with each other and with what is stored, and rejects those that conflict. */
  validate(): Promise<void>
  /** Stores the rows that were not rejected. */
  store(): Promise<StoredFigures>
}

/** Counts the rows of an import and passes on the errors of rows. */
export class RowCounter {
  read = 0
  rejected = 0
  /** Returns the error of a row whose number is not its line. */
  locate = (error: RowError): RowError => error

  constructor(private readonly onRowError: OnRowError = () => {}) {}

  /** Rejects a row; called once for each rejected row. */
  reject(error: RowError): void {
    this.rejected++
    this.onRowError(this.locate(error))
  }

  /** Rejects a record of the file, which is this number of rows, with one error. */
  rejectRecord(error: RowError, rows: number): void {
    this.read += rows
    this.rejected += rows
    this.onRowError(error)
  }
}
