/**
 * Parses any CSV, by csv-parse. A stray quote, a NUL byte or invalid UTF-8 rejects the record. The file is refused when
 * a quote makes it impossible to find the end of a record, or when a record is too long.
 */
import { type CsvError, Parser } from 'csv-parse'
import { FileError, type OnRowError } from '../../db/file-errors'
import type { FileForm } from './file-form'

/** Records of a part of the file, with the line on which each begins. */
export interface Batch {
  records: string[][]
  lines: number[]
}

/** Bytes of the values of a record. */
const MAX_RECORD_SIZE = 1024 * 1024

/** csv-parse does not count separators towards the size of a record. */
const MAX_VALUES = 100_000

const MAX_STRAY_QUOTES = 1000

/** A record within both limits has fewer bytes than this, even if every byte is a quote and doubled. */
const MAX_RECORD_BYTES = 3 * MAX_RECORD_SIZE

const REASONS: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE:
    'text follows the quote at the end of a value (a quote within quotes is doubled); the rows behind it cannot be read',
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 1 MiB',
}

export class RecordParser extends Parser {
  private batch: Batch = { records: [], lines: [] }
  private failure: FileError | undefined
  private readonly decoder = new TextDecoder('utf-8', { fatal: true })
  /** Whether U+FFFD may be text itself: csv-parse and the conversion to UTF-8 make it of other bytes. */
  private isUtf8: boolean
  private hasNul = false
  /** Line breaks that `info.lines` has too many: csv-parse counts CR LF in quotes twice. */
  private excessLines = 0
  private lastLine = 0
  private lastEmptyLines = 0
  private lastRejectedLine = 0
  private rejected = 0
  /** Stray quotes of the last rejected line: csv-parse reports each, with the value so far. */
  private strayQuotes = 0
  /** Records, blank lines, comments and errors so far, and the bytes since. */
  private progress = 0
  private bytesSinceProgress = 0

  /**
   * @param form its encoding is that of the file before it became UTF-8, for messages
   * @param linesBefore number of lines of the file before the first byte
   * @param hasHeader whether the header is among them
   */
  constructor(
    private readonly onRowError: OnRowError,
    private readonly form: FileForm,
    private readonly linesBefore = 0,
    private hasHeader = false,
  ) {
    super({
      delimiter: form.delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      comment: form.comment ?? null,
      comment_no_infix: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: MAX_RECORD_SIZE,
      on_skip: error => this.onCsvError(error as CsvError),
    })
    this.isUtf8 = form.encoding === 'utf-8'
    // Errors are passed on by `parse`.
    this.on('error', () => {})
  }

  /** Parses the next bytes. Returns the records that end in them. @throws FileError when the file is refused */
  async parse(bytes: Buffer): Promise<Batch> {
    this.checkBytes(bytes)
    await new Promise<void>((resolve, reject) => this.write(bytes, error => (error ? reject(error) : resolve())))
    this.limitValues(bytes.length)
    return this.takeBatch()
  }

  /** Ends the file, whose last record may have no line break. */
  async finish(): Promise<Batch> {
    this.checkBytes()
    await new Promise<void>(resolve => this.end(resolve))
    return this.takeBatch()
  }

  /**
   * Receives each record from csv-parse. Overridden because `info`, which has the number of lines, is exact only at
   * this moment; the options `info` and `on_record` copy it for every record, which takes three times as long.
   */
  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null)
    if (this.failure) return true
    const line = this.findStartLine(record)
    const reason = this.invalidReason(record)
    if (record.length > MAX_VALUES) this.failure = tooManyValues(line)
    else if (!reason) {
      this.batch.records.push(record.map(value => value.normalize('NFC')))
      this.batch.lines.push(line)
    } else if (this.hasHeader) this.onRowError({ line, reason })
    else this.failure = new FileError(`its header ${reason}`, line)
    this.hasHeader = true
    return true
  }

  private takeBatch(): Batch {
    if (this.failure) throw this.failure
    const { batch } = this
    this.batch = { records: [], lines: [] }
    return batch
  }

  /** Looks for bytes that are not text. */
  private checkBytes(bytes?: Buffer): void {
    if (bytes?.includes(0)) this.hasNul = true
    if (!this.isUtf8) return
    try {
      this.decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      this.isUtf8 = false
    }
  }

  private invalidReason(record: string[]): string | undefined {
    const { encoding } = this.form
    if (this.hasNul && record.some(value => value.includes('\0')))
      return 'has a NUL byte; if the file is UTF-16, give --encoding'
    if (this.isUtf8 || !record.some(value => value.includes('\ufffd'))) return undefined
    return encoding === 'utf-8' ? 'is not UTF-8: name the encoding of the file with --encoding' : `is not ${encoding}`
  }

  /** Refuses a record without an end, of which csv-parse would hold an unlimited number of values in memory. */
  private limitValues(bytes: number): void {
    const progress = this.info.records + this.info.empty_lines + this.info.comment_lines + this.rejected
    this.bytesSinceProgress = progress === this.progress ? this.bytesSinceProgress + bytes : 0
    this.progress = progress
    if (this.bytesSinceProgress > MAX_RECORD_BYTES) this.failure ??= tooManyValues(this.currentLine())
  }

  private currentLine(): number {
    return this.linesBefore + this.info.lines - this.excessLines
  }

  /** Returns the line on which the record begins that ends now. */
  private findStartLine(record: string[]): number {
    const { lines, empty_lines } = this.info
    let breaks = 0
    if (lines - this.lastLine !== 1 + empty_lines - this.lastEmptyLines) {
      for (const value of record) {
        const pairs = value.match(/\r\n/g)?.length ?? 0
        breaks += (value.match(/[\r\n]/g)?.length ?? 0) - pairs
        this.excessLines += pairs
      }
    }
    this.lastLine = lines
    this.lastEmptyLines = empty_lines
    return this.currentLine() - breaks
  }

  private onCsvError(error: CsvError): undefined {
    if (this.failure) return
    this.rejected++
    const line = this.currentLine()
    if (String(error.code) !== 'INVALID_OPENING_QUOTE') {
      this.failure = new FileError(REASONS[error.code] ?? 'is not CSV', line)
    } else if (!this.hasHeader) {
      this.failure = new FileError(
        'its header has a stray quote: if the header is on another line, give --header-line',
        line,
      )
    } else if (line === this.lastRejectedLine) {
      this.strayQuotes++
      // csv-parse returns what is thrown here, and stops.
      if (this.strayQuotes > MAX_STRAY_QUOTES)
        throw new FileError(`a row has more than ${MAX_STRAY_QUOTES} stray quotes`, line)
    } else {
      this.lastRejectedLine = line
      this.strayQuotes = 0
      this.onRowError({ line, reason: 'has a quote within a value that does not begin with one' })
    }
  }
}

const tooManyValues = (line: number): FileError => new FileError(`a row has more than ${MAX_VALUES} values`, line)
