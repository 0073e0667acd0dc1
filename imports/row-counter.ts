/** Counts the rows of an import and passes on the errors of rows. */
import type { OnRowError, RowError } from '../db/file-errors'

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
