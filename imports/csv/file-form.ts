/** The form of a CSV file: its encoding, the character between its values, and the line of its header. */
import { type DecoderStream, getDecoder } from 'iconv-lite'
import { FileError } from '../../db/file-errors'

export const DELIMITERS = [',', ';', '|', '\t'] as const

export type Delimiter = (typeof DELIMITERS)[number]

export interface FormOptions {
  /** The character between the values; a comma by default. */
  delimiter?: Delimiter
  /** The encoding of a file without a byte order mark; UTF-8 by default. */
  encoding?: Encoding
  /** The line of the header, from 1; the first one by default. */
  headerLine?: number
  /** The number of lines at the end that are no rows, without blank ones. */
  footerLines?: number
  /** The text with which lines begin that are left out. */
  comment?: string | undefined
  /** The names of the columns of a file without a header. */
  header?: readonly string[]
}

export interface FileForm extends Pick<FormOptions, 'comment'> {
  delimiter: Delimiter
  encoding: Encoding
}

/**
 * Returns the encoding of a file, that of its byte order mark or else the given one, and the bytes of the mark.
 *
 * @param head its first bytes
 * @throws FileError for a file of another type
 */
export function findEncoding(head: Buffer, given: Encoding = 'utf-8'): { encoding: Encoding; mark: number } {
  refuseOtherTypes(head)
  const isMarked = (bytes?: Buffer) => bytes?.equals(head.subarray(0, bytes.length))
  const encoding = ENCODINGS.find(name => isMarked(BYTE_ORDER_MARKS[name])) ?? given
  const mark = isMarked(BYTE_ORDER_MARKS[encoding]) ? BYTE_ORDER_MARKS[encoding]!.length : 0
  const content = head.subarray(mark)
  const text = (encoding === 'utf-8' ? content : new Transcoder(encoding).write(content)).toString()
  if (/^\s*(\{\s*"|\[\s*[[{])/.test(text)) throw new FileError('is JSON, not CSV: convert it to CSV first')
  if (/^\s*<(!doctype html|html|\?xml)\b/i.test(text)) throw new FileError('is HTML or XML, not CSV')
  return { encoding, mark }
}

/** Types of files that are given instead of CSV, by their first bytes. */
function refuseOtherTypes(head: Buffer): void {
  const begins = (bytes: string) => head.toString('latin1', 0, bytes.length) === bytes
  const workbook = 'save the sheet as CSV (in Excel: “CSV UTF-8”) and import that'
  if (begins('PK\x03\x04')) {
    const isWorkbook = /\[Content_Types\]\.xml|xl\/|_rels\//.test(head.toString('latin1'))
    throw new FileError(isWorkbook ? `is an Excel workbook (.xlsx): ${workbook}` : 'is a ZIP archive: unpack it first')
  }
  if (begins('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) throw new FileError(`is an Excel workbook (.xls): ${workbook}`)
  if (begins('\x1f\x8b')) throw new FileError('is gzip: decompress it first, or let its name end in .gz')
  if (begins('PAR1')) throw new FileError('is a Parquet file, not CSV')
}

export const ENCODINGS = ['utf-8', 'latin1', 'windows-1252', 'utf-16le', 'utf-16be'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** The byte order marks of the encodings that have one. */
const BYTE_ORDER_MARKS: Partial<Record<Encoding, Buffer>> = {
  'utf-8': Buffer.from([0xef, 0xbb, 0xbf]),
  'utf-16le': Buffer.from([0xff, 0xfe]),
  'utf-16be': Buffer.from([0xfe, 0xff]),
}

/** Converts bytes to UTF-8. Bytes that are not text in the encoding become U+FFFD. */
export class Transcoder {
  private readonly decoder: DecoderStream
  /** The first half of a character that continues in the next bytes. */
  private unfinished = ''
  private length = 0

  constructor(private readonly encoding: Exclude<Encoding, 'utf-8'>) {
    this.decoder = getDecoder(encoding, { stripBOM: false })
  }

  write(bytes: Buffer): Buffer {
    this.length += bytes.length
    const text = this.unfinished + this.decoder.write(bytes)
    this.unfinished = /[\ud800-\udbff]$/.exec(text)?.[0] ?? ''
    return Buffer.from(this.unfinished === '' ? text : text.slice(0, -1))
  }

  end(): Buffer {
    const isCut = this.encoding.startsWith('utf-16') && this.length % 2 === 1
    return Buffer.from(`${this.unfinished}${this.decoder.end() ?? ''}${isCut ? '\ufffd' : ''}`)
  }
}
