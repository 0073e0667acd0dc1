/** Reads CSV without a database. */
import { Readable } from 'node:stream'
import { FileError, type OnRowError } from '../../db/file-errors'
import type { FormOptions } from '../../imports/csv/file-form'
import { readRecords } from '../../imports/csv/read-records'

export interface ReadCsv {
  records: string[][]
  /** The line on which each record begins. */
  lines: number[]
  /** `LINE: REASON` of rejected records, and of the file if it is refused. */
  errors: string[]
}

/** Reads bytes that arrive in chunks; by default with commas. A refused file has no records. */
export async function readCsv(chunks: Iterable<Buffer>, form: FormOptions = {}): Promise<ReadCsv> {
  const result: ReadCsv = { records: [], lines: [], errors: [] }
  const onRowError: OnRowError = ({ line, reason }) => result.errors.push(`${line}: ${reason}`)
  try {
    for await (const { records, lines } of readRecords(Readable.from(chunks), form, onRowError)) {
      result.records.push(...records)
      result.lines.push(...lines)
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return { records: [], lines: [], errors: [...result.errors, `${error.line}: ${error.message}`] }
  }
  return result
}
