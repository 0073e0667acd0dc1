/**
 * Reads CSV (RFC 4180, with any line ending, delimiter and encoding of `file-form.ts`) as records. Lines without quotes are
 * split at their delimiters; from the first chunk on that has anything else, csv-parse reads the file. Memory is bounded for
 * any input.
 */
import type { Readable } from 'node:stream'
import type { OnRowError } from '../../db/file-errors'
import { unguardFormula } from '../../db/formulas'
import { BYTE_ORDER_MARKS, Transcoder } from './encodings'
import { detectForm, type FileForm, type FormOptions, MAX_HEAD_BYTES } from './file-form'
import { Footer } from './footer'
import { type Batch, RecordParser } from './record-parser'
import { isRejectedRow, originalHeader, rejectColumns } from './rejects'
import { UnquotedLineParser } from './unquoted-line-parser'

/** Bytes parsed at once. */
const CHUNK_SIZE = 65_536

/** Lines that are read before the form is detected, unless there are fewer. */
const HEAD_LINES = 25

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

export interface ReadOptions extends FormOptions {
  /** All columns of the kind. */
  columns: readonly string[]
  /** Whether these names are a header, for its detection. */
  isHeader?: (names: readonly string[]) => boolean
  /** Receives the form before any record. */
  onForm?: (form: FileForm) => void
}

/**
 * Yields the records of a file, in one form of Unicode (NFC), without blank lines. The first one is the header, also of a file that has none. Values of a
 * file of rejected rows are restored.
 *
 * @param onRowError receives records that cannot be read
 * @throws FileError when the file is refused
 */
export async function* readRecords(
  stream: Readable,
  options: ReadOptions,
  onRowError: OnRowError,
): AsyncGenerator<Batch> {
  const { columns, header: given, footerLines = 0 } = options
  const footer = footerLines > 0 ? new Footer(footerLines) : undefined
  let isRejects: boolean | undefined
  const restore = (record: string[]) => (isRejects ? record.map(unguardFormula) : record)
  const onError: OnRowError = ({ record, ...error }) =>
    onRowError(record ? { ...error, record: restore([...record]) } : error)
  // A file of rejected rows has no footer.
  const parsed = parseRecords(stream, options, error =>
    footer && !isRejects ? footer.addError(error) : onError(error),
  )
  let isFirst = true
  for await (const batch of parsed) {
    const [first] = batch.records
    if (first && isFirst) {
      isRejects = given ? isRejectedRow(first, given.length) : originalHeader(first, columns) !== undefined
      if (given) yield { records: [[...given, ...(isRejects ? rejectColumns(given, columns) : [])]], lines: [0] }
      isFirst = false
      if (isRejects) footer?.takeErrors().forEach(onError)
    }
    const { records, lines } = footer && !isRejects ? footer.add(batch, onError) : batch
    yield { records: isRejects ? records.map(restore) : records, lines }
  }
}

async function* parseRecords(stream: Readable, options: ReadOptions, onRowError: OnRowError): AsyncGenerator<Batch> {
  const chunks = readChunks(stream)
  const headLines = options.comment ? Number.POSITIVE_INFINITY : Math.max(HEAD_LINES, (options.headerLine ?? 0) + 1)
  const { head, isComplete } = await readHead(chunks, headLines)
  const form = detectForm(head, isComplete, options, options.isHeader)
  options.onForm?.(form)
  const lines = new UnquotedLineParser(form.delimiter, form.linesBefore.length, form.comment)
  const hasHeader = options.header !== undefined
  const recordParser = () => new RecordParser(onRowError, form, lines.parsed, hasHeader || lines.hasRecords)
  let parser: RecordParser | undefined
  for await (const chunk of decodeText(head, chunks, form)) {
    const batch = parser ? await parser.parse(chunk) : lines.parse(chunk)
    if (batch) yield batch
    else {
      parser = recordParser()
      yield await parser.parse(lines.unparsed)
    }
  }
  const last = parser ? await parser.finish() : lines.finish()
  if (last) return yield last
  parser = recordParser()
  yield await parser.parse(lines.unparsed)
  yield await parser.finish()
}

async function* readChunks(stream: Readable): AsyncGenerator<Buffer> {
  for await (const data of stream) yield typeof data === 'string' ? Buffer.from(data) : (data as Buffer)
}

/** Reads chunks until there are enough lines or bytes to detect the form. */
async function readHead(chunks: AsyncGenerator<Buffer>, lines: number): Promise<{ head: Buffer; isComplete: boolean }> {
  const parts: Buffer[] = []
  let [length, breaks] = [0, 0]
  while (length < MAX_HEAD_BYTES && breaks < lines) {
    const { done, value } = await chunks.next()
    if (done) return { head: Buffer.concat(parts), isComplete: true }
    parts.push(value)
    length += value.length
    for (let at = value.indexOf(LINE_FEED); at >= 0 && breaks < lines; at = value.indexOf(LINE_FEED, at + 1)) breaks++
  }
  return { head: Buffer.concat(parts), isComplete: false }
}

/** Returns the file as UTF-8 from the header on, without byte order mark, in chunks to be parsed at once. */
async function* decodeText(head: Buffer, chunks: AsyncGenerator<Buffer>, form: FileForm): AsyncGenerator<Buffer> {
  const { encoding, hasByteOrderMark, linesBefore } = form
  const transcoder = encoding === 'utf-8' ? undefined : new Transcoder(encoding)
  const content = head.subarray(hasByteOrderMark ? BYTE_ORDER_MARKS[encoding].length : 0)
  const text = transcoder?.write(content) ?? content
  yield* split(text.subarray(startOfLine(text, linesBefore.length)))
  for await (const chunk of chunks) yield* split(transcoder?.write(chunk) ?? chunk)
  if (transcoder) yield transcoder.end()
}

function* split(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_SIZE) yield bytes.subarray(start, start + CHUNK_SIZE)
}

/** Returns the index behind this number of line breaks. */
function startOfLine(text: Buffer, lines: number): number {
  let start = 0
  for (let line = 0; line < lines; line++) {
    while (text[start] !== LINE_FEED && text[start] !== CARRIAGE_RETURN) start++
    start += text[start] === CARRIAGE_RETURN && text[start + 1] === LINE_FEED ? 2 : 1
  }
  return start
}
