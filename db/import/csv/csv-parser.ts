/**
 * CSV of any kind, byte by byte. A stray quote, NUL bytes or bytes that are no UTF-8 make a record faulty; a quote after
 * which records cannot be told apart any more, or an endless record, ends the file.
 */
import { isUtf8 } from 'node:buffer'
import { type CsvError, Parser } from 'csv-parse'
import { FileFault } from '../figures'

/** Records of a piece of the file, and for each the line on which it begins. */
export interface Batch {
  records: string[][]
  lines: number[]
}

/** No record may be longer, in bytes. */
const MAX_RECORD = 1024 * 1024

/** Nor may it have more values: separators do not count as bytes of a record. */
const MOST_VALUES = 100_000

export type OnFault = (line: number, reason: string, record?: string[]) => void

export class RecordParser extends Parser {
  private batch: Batch = { records: [], lines: [] }
  private failure: FileFault | undefined
  /** Line breaks that the parser counted twice: CR LF within quotes. */
  private drift = 0
  private lastEmpty = 0
  private lastSkipped = 0
  /** The end of a piece that may be the beginning of a character. */
  private tail: Buffer = Buffer.alloc(0)
  private hasNul = false
  private isText = true

  /**
   * @param lastLine lines of the file that were read otherwise, up to where this begins
   * @param begun whether a record was among them
   */
  constructor(
    private readonly onFault: OnFault,
    private lastLine: number,
    private begun: boolean,
  ) {
    super({
      bom: lastLine === 0,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: MAX_RECORD,
      on_skip: error => this.skip(error as CsvError),
    })
    Object.assign(this.info, { lines: lastLine + 1 })
    this.on('error', () => {})
  }

  parse(bytes: Buffer): Batch {
    this.inspect(bytes)
    this.write(bytes)
    this.boundValues((this as unknown as Unfinished).state.record)
    return this.handOver()
  }

  finish(): Batch {
    if (this.tail.length > 0) this.isText = false
    this.end()
    return this.handOver()
  }

  /** Called by the parser for each record, while it is at the record's end. */
  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null)
    if (this.failure) return true
    const line = this.lineOf(record)
    this.boundValues(record, line)
    const fault = this.faultOf(record)
    if (fault && this.begun) this.onFault(line, fault, record)
    else if (fault) this.failure ??= new FileFault(`its header ${fault}`, line)
    else {
      this.batch.records.push(record)
      this.batch.lines.push(line)
    }
    this.begun = true
    return true
  }

  private faultOf(record: string[]): string | undefined {
    if (this.hasNul && record.some(field => field.includes('\0'))) return 'has a NUL byte'
    if (!this.isText && record.some(field => field.includes('\ufffd'))) return 'is not UTF-8'
    return undefined
  }

  private boundValues(record: string[], line = this.info.lines - this.drift): void {
    if (record.length > MOST_VALUES) this.failure ??= new FileFault(`a row has more than ${MOST_VALUES} values`, line)
  }

  private handOver(): Batch {
    if (this.failure) throw this.failure
    const batch = this.batch
    this.batch = { records: [], lines: [] }
    return batch
  }

  /** The line on which a record begins that ends here. */
  private lineOf(record: string[]): number {
    const { lines, empty_lines } = this.info
    let breaks = 0
    if (lines - this.lastLine !== 1 + empty_lines - this.lastEmpty) {
      for (const field of record) {
        const pairs = field.match(/\r\n/g)?.length ?? 0
        breaks += (field.match(/[\r\n]/g)?.length ?? 0) - pairs
        this.drift += pairs
      }
    }
    this.lastLine = lines
    this.lastEmpty = empty_lines
    return lines - this.drift - breaks
  }

  private skip(error: CsvError): undefined {
    if (this.failure) return
    const line = this.info.lines - this.drift
    if (String(error.code) === 'INVALID_OPENING_QUOTE') {
      // A record may have several.
      if (line !== this.lastSkipped) this.onFault(line, 'has a quote within a value that does not begin with one')
      this.lastSkipped = line
      if (!this.begun) this.failure = new FileFault('its header has a stray quote', line)
    } else {
      this.failure ??= new FileFault(MESSAGES[error.code] ?? 'is not CSV', line)
      throw this.failure
    }
  }

  /** Looks for bytes that are no text. They become U+FFFD, or stay NUL, and are looked for in records from here on. */
  private inspect(bytes: Buffer): void {
    const text = this.tail.length > 0 ? Buffer.concat([this.tail, bytes]) : bytes
    const end = text.length - unfinished(text)
    this.tail = Buffer.from(text.subarray(end))
    if (!isUtf8(text.subarray(0, end))) this.isText = false
    if (bytes.includes(0)) this.hasNul = true
  }
}

/** The record that is not at its end yet, which csv-parse keeps to itself. */
interface Unfinished {
  state: { record: string[] }
}

const MESSAGES: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE:
    'a quote ends a value, but text follows it (a quote within quotes is doubled); the rest cannot be told apart',
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 1 MiB',
}

/** How many bytes at the end begin a character that is not complete. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}
