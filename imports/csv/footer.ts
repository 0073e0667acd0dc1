/** Leaves out the last lines of a file. */
import type { OnRowError, RowError } from '../../db/file-errors'
import type { Batch } from './record-parser'

export class Footer {
  /** The last records and errors, by line. */
  private last: { line: number; record?: string[]; error?: RowError }[] = []

  /** @param lines number of lines at the end, without blank ones */
  constructor(private readonly lines: number) {}

  /** Adds a record that cannot be read. */
  addError(error: RowError): void {
    this.last.push({ line: error.line, error })
  }

  /**
   * Adds records.
   *
   * @param onRowError receives those that cannot be read and have enough lines behind them
   * @returns the records that have enough lines behind them
   */
  add({ records, lines }: Batch, onRowError: OnRowError): Batch {
    for (const [i, record] of records.entries()) this.last.push({ line: lines[i]!, record })
    this.last.sort((a, b) => a.line - b.line)
    const batch: Batch = { records: [], lines: [] }
    for (const { line, record, error } of this.last.splice(0, Math.max(0, this.last.length - this.lines))) {
      if (error) onRowError(error)
      if (!record) continue
      batch.records.push(record)
      batch.lines.push(line)
    }
    return batch
  }
}
