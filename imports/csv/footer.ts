/** Leaves out the last lines of a file. */
import type { RowError } from '../../db/file-errors'
import type { Batch } from './record-parser'

export class Footer {
  /** The last records and errors, by line. */
  private last: (RowError & { isError: boolean })[] = []

  /** @param lines number of lines at the end, without blank ones */
  constructor(private readonly lines: number) {}

  /** Adds a record that cannot be read. */
  addError(error: RowError): void {
    this.last.push({ ...error, isError: true })
  }

  /** Returns the errors so far, of a file that turns out to have no footer. */
  takeErrors(): RowError[] {
    return this.last.splice(0).map(({ isError: _, ...error }) => error)
  }

  /**
   * Adds records.
   *
   * @param onError receives those that cannot be read and have enough lines behind them
   * @returns the records that have enough lines behind them
   */
  add({ records, lines }: Batch, onError: (error: RowError) => void): Batch {
    records.forEach((record, i) => {
      this.last.push({ line: lines[i]!, reason: '', record, isError: false })
    })
    this.last.sort((a, b) => a.line - b.line)
    const batch: Batch = { records: [], lines: [] }
    for (const { isError, ...row } of this.last.splice(0, Math.max(0, this.last.length - this.lines))) {
      if (isError) onError(row)
      else {
        batch.records.push(row.record as string[])
        batch.lines.push(row.line)
      }
    }
    return batch
  }
}
