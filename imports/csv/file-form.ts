/** The form of a CSV file: its encoding, its delimiter and the line of its header. Parts that no option gives are detected. */
import { parse } from 'csv-parse/sync'
import { FileError } from '../../db/file-errors'
import { countOf } from '../../db/text/count-of'
import { BYTE_ORDER_MARKS, type Encoding, markedEncoding, Transcoder, unmarkedUtf16 } from './encodings'

/** By the names that options have for them. */
export const DELIMITERS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const

export type Delimiter = keyof typeof DELIMITERS

export interface FormOptions {
  /** Detected from the header by default. */
  delimiter?: Delimiter
  /** The encoding of a file without a byte order mark; UTF-8 by default. */
  encoding?: Encoding
  /** The line of the header, from 1; by default the first line with the columns that are required. */
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
  hasByteOrderMark: boolean
  /** The lines before the header, which are not read. */
  linesBefore: readonly string[]
}

/** Lines among which a header is looked for. */
const MAX_LINES_BEFORE = 20

/** Bytes in which it is looked for. */
export const MAX_HEAD_BYTES = 65_536

/**
 * Detects the form of a file.
 *
 * @param head its first bytes
 * @param isComplete whether there are no others
 * @param isHeader whether a line of these values has the columns that are required; by default the first line is the header
 * @throws FileError for a file of another type
 */
export function detectForm(
  head: Buffer,
  isComplete: boolean,
  options: FormOptions,
  isHeader?: (names: readonly string[]) => boolean,
): FileForm {
  refuseOtherTypes(head)
  const marked = markedEncoding(head)
  const encoding = marked ?? options.encoding ?? 'utf-8'
  const utf16 = encoding === 'utf-8' ? unmarkedUtf16(head) : undefined
  if (utf16) throw new FileError(`is UTF-16, not UTF-8: give --encoding ${utf16}`, 1)
  const text = toUtf8(head.subarray(marked ? BYTE_ORDER_MARKS[marked].length : 0), encoding)
    .toString()
    .normalize('NFC')
  if (/^\s*(\{\s*"|\[\s*[[{])/.test(text)) throw new FileError('is JSON, not CSV: convert it to CSV first')
  if (/^\s*<(!doctype html|html|\?xml)\b/i.test(text)) throw new FileError('is HTML or XML, not CSV')
  const lines = text.split(/\r\n|\n|\r/)
  if (!isComplete && lines.length > 1) lines.pop()
  if ((options.headerLine ?? 1) > lines.length) {
    throw new FileError(`has no line ${options.headerLine} (--header-line) in its first ${MAX_HEAD_BYTES / 1024} KiB`)
  }
  const { delimiter, line } = findHeader(lines, options, isHeader)
  const linesBefore = lines.slice(0, line)
  const isBlank = options.headerLine === undefined && linesBefore.every(before => before.trim() === '')
  const { comment } = options
  return {
    delimiter,
    encoding,
    hasByteOrderMark: marked !== undefined,
    linesBefore: isBlank ? [] : linesBefore,
    comment,
  }
}

/** Returns a form in words, as far as it differs from UTF-8 with commas and the header first. */
export function describeForm({ delimiter, encoding, linesBefore }: FileForm): string[] {
  const parts: string[] = []
  if (delimiter !== ',') parts.push(DELIMITERS[delimiter])
  if (encoding !== 'utf-8') parts.push(encoding)
  if (linesBefore.length > 0) parts.push(`${countOf(linesBefore.length, 'line')} before the header`)
  return parts
}

const toUtf8 = (bytes: Buffer, encoding: Encoding): Buffer =>
  encoding === 'utf-8' ? bytes : new Transcoder(encoding).write(bytes)

/** @returns the delimiter, and the index of the line of the header */
function findHeader(
  lines: readonly string[],
  { delimiter, headerLine, header, comment }: FormOptions,
  isHeader?: (names: readonly string[]) => boolean,
): { delimiter: Delimiter; line: number } {
  const delimiters = delimiter ? [delimiter] : (Object.keys(DELIMITERS) as Delimiter[])
  const mostFrequent = (line = '') => best(delimiters, candidate => splitLine(line, candidate).length)
  const from = (headerLine ?? 1) - 1
  const single = lines
    .map((text, line) => ({ text, line }))
    .filter(({ text, line }) => line >= from && !(comment && text.startsWith(comment)))
  if (header) {
    const first = single.find(({ text }) => text.trim() !== '')?.text
    const hasWidth = (candidate: Delimiter) => splitLine(first ?? '', candidate).length === header.length
    return { delimiter: delimiters.find(hasWidth) ?? mostFrequent(first), line: 0 }
  }
  const joined = joinQuoted(single)
  const candidatesOf = (all: readonly HeadLine[]) => all.slice(0, headerLine === undefined ? MAX_LINES_BEFORE + 1 : 1)
  for (const { text, line } of isHeader ? [single, joined].flatMap(candidatesOf) : []) {
    const fitting = delimiters.filter(candidate => isHeader?.(splitLine(text, candidate)))
    if (fitting.length > 0) return { delimiter: best(fitting, candidate => splitLine(text, candidate).length), line }
  }
  const candidates = candidatesOf(joined)
  const first = candidates.find(({ text }) => text.trim() !== '') ?? { text: '', line: from }
  if (!isHeader) return { delimiter: mostFrequent(first.text), line: from }
  // The file will be refused: the message shows the line that looks most like a header.
  const isTable = (index: number) => {
    const delimiter = mostFrequent(joined[index]?.text)
    const [width, next] = [index, index + 1].map(at => splitLine(joined[at]?.text ?? '', delimiter).length)
    return width !== 1 && width === next
  }
  const { text, line } = candidates.find((_, index) => isTable(index)) ?? first
  return { delimiter: mostFrequent(text), line }
}

interface HeadLine {
  text: string
  /** Its index in the file. */
  line: number
}

/** Lines that a quoted name of a column may have. */
const MAX_QUOTED_LINES = 10

/** Returns lines, each with those that belong to it because a quote is open. */
function joinQuoted(lines: readonly HeadLine[]): HeadLine[] {
  const joined: HeadLine[] = []
  for (let i = 0; i < lines.length; i++) {
    const { text, line } = lines[i]!
    let whole = text
    let end = i
    while (isQuoteOpen(whole) && end + 1 < Math.min(lines.length, i + MAX_QUOTED_LINES)) {
      whole += `\n${lines[++end]?.text}`
    }
    const isClosed = !isQuoteOpen(whole)
    joined.push({ text: isClosed ? whole : text, line })
    if (isClosed) i = end
  }
  return joined
}

const isQuoteOpen = (text: string): boolean => text.split('"').length % 2 === 0

/** Returns the first of the candidates with the highest score. */
const best = (candidates: readonly Delimiter[], score: (candidate: Delimiter) => number): Delimiter =>
  candidates.reduce((first, next) => (score(next) > score(first) ? next : first))

/** Returns the values of one line; quotes that are not closed on it are text. */
function splitLine(line: string, delimiter: Delimiter): string[] {
  if (!line.includes('"')) return line.split(delimiter)
  try {
    const [record = ['']] = parse(line, { delimiter, relax_quotes: true, relax_column_count: true }) as string[][]
    return record
  } catch {
    return line.split(delimiter)
  }
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
  if (begins('PAR1')) throw new FileError('is a Parquet file, not CSV')
}
