/**
 * Writes rejected rows to a CSV file of the same form: their values, then the line and the reason. The file can be imported
 * with the same options after its rows were corrected.
 */
import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { encode } from 'iconv-lite'
import { FileError, type RowError } from '../../db/file-errors'
import { guardFormula } from '../../db/formulas'
import { OperatorError } from '../../db/operator-error'
import { BYTE_ORDER_MARKS } from '../../imports/csv/encodings'
import type { FileForm, FormOptions } from '../../imports/csv/file-form'
import type { ColumnOptions } from '../../imports/csv/header/column-options'
import { readRecords } from '../../imports/csv/read-records'
import { originalHeader, rejectColumns } from '../../imports/csv/rejects'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'
import { UsageError } from '../usage-error'
import { isRejectsFile } from './is-rejects-file'
import type { Source } from './source'

/** Limits the memory for rows whose values have to be read again. */
const MAX_PENDING = 1_000_000

/** Rows that are written at once. */
const BUFFER_SIZE = 1000

/** Length of the reasons of a line. */
const MAX_REASON_LENGTH = 1000

/** A line of a wide file, or with times across, has several rows: its reasons are joined. */
type RejectsOptions = FormOptions & Pick<ColumnOptions, 'wide' | 'across'>

export class RejectsFile {
  private header: readonly string[] | undefined
  private form: FileForm | undefined
  /** Reasons by line, of rows that were rejected after their values had left memory. */
  private readonly pending = new Map<number, string>()
  private buffer: string[] = []

  private constructor(
    private readonly file: number,
    /** All columns of the kind. */
    private readonly columns: readonly string[],
    private readonly options: RejectsOptions,
  ) {}

  /**
   * @param inputs the files that are imported
   * @throws OperatorError when the file cannot be written or is another one, UsageError when it is one of the inputs
   */
  static async create(
    path: string,
    kind: Kind,
    inputs: readonly string[],
    options: RejectsOptions,
  ): Promise<RejectsFile> {
    const real = (name: string) => realpath(name).catch(() => resolve(name))
    for (const input of inputs) {
      if (input !== '-' && (await real(input)) === (await real(path))) {
        throw new UsageError('USAGE', '--rejects must not be one of the imported files')
      }
    }
    const { columns } = KINDS[kind]
    try {
      if (existsSync(path) && !(await isRejectsFile(path, columns, options))) {
        throw new OperatorError(
          'IMPORT_REFUSED',
          `--rejects ${path} exists and is not the rejects file of an earlier import: name another file`,
        )
      }
      return new RejectsFile(openSync(path, 'w'), columns, options)
    } catch (error) {
      if (error instanceof OperatorError) throw error
      throw new OperatorError('IMPORT_REFUSED', `--rejects cannot be written (${(error as { code?: string }).code})`)
    }
  }

  /** Sets the header and the form of the next file, which must be those of the files before. */
  setHeader(record: readonly string[], form: FileForm): void {
    const header = originalHeader(record, this.columns) ?? record
    const isSame = (a: readonly string[], b: readonly string[] = []) => a.join('\0') === b.join('\0')
    if (this.form && this.form.delimiter === form.delimiter && this.form.encoding === form.encoding) {
      if (isSame(header, this.header)) return
    }
    if (this.form) {
      throw new FileError('has another header than the file before, so that --rejects cannot be used: import it alone')
    }
    this.form = form
    this.header = header
    if (form.hasByteOrderMark) writeSync(this.file, BYTE_ORDER_MARKS[form.encoding])
    this.buffer.push(...form.linesBefore.map(line => `${line}\n`))
    if (!this.options.header) this.buffer.push(this.csvRow([...header, ...rejectColumns(header, this.columns)]))
  }

  add({ line, reason, record }: RowError): void {
    const earlier = this.pending.get(line)
    if (record && !this.options.wide && !this.options.across) this.write(line, reason, record)
    else if (earlier !== undefined) this.pending.set(line, `${earlier}; ${reason}`.slice(0, MAX_REASON_LENGTH))
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
    const { form, columns, options } = this
    if (!form) return
    const { delimiter, encoding, comment, linesBefore } = form
    const header = options.header ? { header: options.header } : { headerLine: linesBefore.length + 1 }
    const onRowError = ({ line, record }: RowError) => this.writePending(line, record ?? [])
    const batches = readRecords(source.read(), { columns, delimiter, encoding, comment, ...header }, onRowError)
    for await (const { records, lines } of batches) {
      for (let i = 0; i < lines.length; i++) this.writePending(lines[i]!, records[i] as string[])
      if (this.pending.size === 0) return
    }
  }

  private writePending(line: number, record: readonly string[]): void {
    const reason = this.pending.get(line)
    if (reason === undefined) return
    this.pending.delete(line)
    this.write(line, reason, record)
  }

  /** Values beyond the header are left out, so that line and reason stay in their columns. */
  private write(line: number, reason: string, record: readonly string[]): void {
    const values = (this.header ?? []).map((_, i) => record[i] ?? '')
    this.buffer.push(this.csvRow([...values, String(line), reason]))
    if (this.buffer.length >= BUFFER_SIZE) this.flush()
  }

  private flush(): void {
    if (this.buffer.length > 0) writeSync(this.file, encode(this.buffer.join(''), this.form?.encoding ?? 'utf-8'))
    this.buffer = []
  }

  private csvRow(values: readonly string[]): string {
    const delimiter = this.form?.delimiter ?? ','
    const [first = '', ...others] = values.map(value => quoted(guardFormula(value), delimiter))
    const row = [first, ...others].join(delimiter)
    // A row is no comment.
    const isComment = this.form?.comment && row.startsWith(this.form.comment)
    return `${isComment ? [`"${first}"`, ...others].join(delimiter) : row}\n`
  }
}

const quoted = (value: string, delimiter: string): string =>
  value.includes(delimiter) || /["\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
