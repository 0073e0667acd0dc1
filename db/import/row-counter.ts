/** Counts the rows of an import and passes on the errors of rows. */
import type { OnRowError, RowError } from './errors'

export class RowCounter {
  read = 0
  rejected = 0

  constructor(private readonly onRowError: OnRowError = () => {}) {}

  /** Rejects a row; called once for each rejected row. */
  reject(error: RowError): void {
    this.rejected++
    this.onRowError(error)
  }
}
