/**
 * Parses CSV without quotes by splitting lines at the delimiter, which takes about a fifth of the time of csv-parse.
 * Most files of counts have nothing but such lines.
 */
import type { Delimiter } from './file-form'
import type { Batch } from './record-parser'

/** Bytes of a line that continues from chunk to chunk; keeps its values below the limits of `RecordParser`. */
const MAX_UNFINISHED_LINE = 32_768

/** Characters that need csv-parse: quotes, NUL, the replacement for invalid UTF-8, and CR without LF. */
const SPECIAL = /["\0\ufffd]|\r(?!\n)/

const LINE_FEED = 10

export class UnquotedLineParser {
  hasRecords = false
  /** Bytes that were not parsed: the start of a line, or everything from the first chunk that needs csv-parse. */
  unparsed: Buffer = Buffer.alloc(0)

  /** @param parsed number of lines that were parsed; at first those before the header */
  constructor(
    private readonly delimiter: Delimiter,
    public parsed: number,
    private readonly comment?: string,
  ) {}

  /** Parses the lines that end in the next bytes; returns undefined, without parsing any, if they need csv-parse. */
  parse(chunk: Buffer): Batch | undefined {
    const bytes = Buffer.concat([this.unparsed, chunk])
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    const batch = bytes.length - end > MAX_UNFINISHED_LINE ? undefined : this.split(bytes.toString('utf8', 0, end))
    this.unparsed = batch ? Buffer.from(bytes.subarray(end)) : bytes
    return batch
  }

  /** Parses a last line without a line break, in the same way. */
  finish(): Batch | undefined {
    return this.split(this.unparsed.toString())
  }

  private split(text: string): Batch | undefined {
    if (SPECIAL.test(text)) return undefined
    const batch: Batch = { records: [], lines: [] }
    const isNormalized = text === text.normalize('NFC')
    for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
      this.parsed++
      if (line === '' || (this.comment && line.startsWith(this.comment))) continue
      const record = line.split(this.delimiter)
      batch.records.push(isNormalized ? record : record.map(value => value.normalize('NFC')))
      batch.lines.push(this.parsed)
      this.hasRecords = true
    }
    // The text behind the last line break is not a line.
    this.parsed--
    return batch
  }
}
