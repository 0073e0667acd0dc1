/**
 * Writes rejected rows to a CSV file: their values, then the line and the reason. The file can be imported after its rows
 * were corrected.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { guardFormula } from '../../db/import/csv/formulas'
import { readRecords } from '../../db/import/csv/read-records'
import { originalHeader, rejectColumns } from '../../db/import/csv/rejects'
import { FileError, type RowError } from '../../db/import/errors'
import { KINDS, type Kind } from '../../db/import/kinds'
import { OperatorError } from '../../db/operator-error'
import { UsageError } from '../output'
import type { Source } from './source'

/** Limits the memory for rows whose values have to be read again. */
const MAX_PENDING = 1_000_000

/** Rows that are written at once. */
const BUFFER_SIZE = 1000

export class RejectsFile {
  private header: readonly string[] | undefined
  /** Reasons by line, of rows that were rejected after their values had left memory. */
  private readonly pending = new Map<number, string>()
  private buffer: string[] = []

  private constructor(
    private readonly file: number,
    /** All columns of the kind. */
    private readonly columns: readonly string[],
  ) {}

  /**
   * @param inputs the files that are imported
   * @throws OperatorError when the file cannot be written, UsageError when it is one of the inputs
   */
  static async create(path: string, kind: Kind, inputs: readonly string[]): Promise<RejectsFile> {
    const real = (name: string) => realpath(name).catch(() => resolve(name))
    for (const input of inputs) {
      if (input !== '-' && (await real(input)) === (await real(path))) {
        throw new UsageError('USAGE', '--rejects must not be one of the imported files')
      }
    }
    try {
      return new RejectsFile(openSync(path, 'w'), KINDS[kind].columns)
    } catch (error) {
      throw new OperatorError('IMPORT_REFUSED', `--rejects cannot be written (${(error as { code?: string }).code})`)
    }
  }

  /** Sets the header of the next file, which must be that of the files before. */
  setHeader(record: readonly string[]): void {
    const header = originalHeader(record, this.columns) ?? record
    if (!this.header) {
      this.buffer.push(csvRow([...header, ...rejectColumns(header, this.columns)]))
      this.header = header
    } else if (this.header.join('\0') !== header.join('\0')) {
      throw new FileError('has another header than the file before, so that --rejects cannot be used: import it alone')
    }
  }

  add({ line, reason, record }: RowError): void {
    if (record) this.write(line, reason, record)
    else if (this.pending.size >= MAX_PENDING) throw new FileError('more than a million rows conflict with others')
    else this.pending.set(line, reason)
  }

  /** Writes what is pending at the end of a file, which is read again for that. */
  async finish(source: Source): Promise<void> {
    // Rows that cannot be found again are written without their values.
    if (this.pending.size > 0) await this.writeFound(source).catch(() => {})
    for (const [line, reason] of this.pending) this.write(line, reason, [])
    this.pending.clear()
    this.flush()
  }

  close(): void {
    closeSync(this.file)
  }

  private async writeFound(source: Source): Promise<void> {
    for await (const { records, lines } of readRecords(source.read(), this.columns, () => {})) {
      for (let i = 0; i < lines.length; i++) {
        const line = lines[i] as number
        const reason = this.pending.get(line)
        if (reason === undefined) continue
        this.pending.delete(line)
        this.write(line, reason, records[i] as string[])
      }
      if (this.pending.size === 0) return
    }
  }

  /** Values beyond the header are left out, so that line and reason stay in their columns. */
  private write(line: number, reason: string, record: readonly string[]): void {
    const values = (this.header ?? []).map((_, i) => record[i] ?? '')
    this.buffer.push(csvRow([...values, String(line), reason]))
    if (this.buffer.length >= BUFFER_SIZE) this.flush()
  }

  private flush(): void {
    if (this.buffer.length > 0) writeSync(this.file, this.buffer.join(''))
    this.buffer = []
  }
}

const csvRow = (values: readonly string[]): string => `${values.map(value => quoted(guardFormula(value))).join(',')}\n`

const quoted = (value: string): string => (/[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
