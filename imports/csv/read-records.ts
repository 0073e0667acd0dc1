/**
 * Reads CSV (RFC 4180, with any line ending, and the delimiter and encoding of `file-form.ts`) as records. Lines
 * without quotes are split at their delimiters; from the first chunk on that has anything else, csv-parse reads the
 * file. Memory is bounded for any input.
 */
import type { Readable } from 'node:stream'
import { FileError, type OnRowError, type RowError } from '../../db/file-errors'
import { type Encoding, type FormOptions, findEncoding, Transcoder } from './file-form'
import { type Batch, RecordParser } from './record-parser'
import { UnquotedLineParser } from './unquoted-line-parser'

/** Bytes parsed at once. */
const CHUNK_SIZE = 65_536

/** Bytes by which the type of a file is recognized, with all lines before the header. */
const HEAD_SIZE = 65_536

/** Characters of a line that `readLines` keeps. */
const MAX_LINE = 1024 * 1024

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/**
 * Yields the records of a file, in one form of Unicode (NFC), without blank lines. The first one is the header, also of
 * a file that has none.
 *
 * @param onRowError receives records that cannot be read
 * @throws FileError when the file is refused
 */
export async function* readRecords(
  stream: Readable,
  options: FormOptions,
  onRowError: OnRowError,
): AsyncGenerator<Batch> {
  const { footerLines = 0 } = options
  let { header } = options
  const footer = footerLines > 0 ? new Footer(footerLines) : undefined
  const parsed = parseRecords(stream, options, footer ? error => footer.addError(error) : onRowError)
  for await (const batch of parsed) {
    if (header && batch.records.length > 0) {
      yield { records: [[...header]], lines: [0] }
      header = undefined
    }
    yield footer ? footer.add(batch, onRowError) : batch
  }
}

/** Yields the lines of a file as text. */
export async function* readLines(stream: Readable, given?: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of (await openText(stream, given)).text) {
    // A carriage return at the end may be followed by a line feed.
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!.slice(0, MAX_LINE)
    yield* lines
  }
  yield* rest.split('\r')
}

async function* parseRecords(stream: Readable, options: FormOptions, onRowError: OnRowError): AsyncGenerator<Batch> {
  const { delimiter = ',', comment, headerLine = 1 } = options
  const { encoding, text } = await openText(stream, options.encoding, headerLine - 1)
  const lines = new UnquotedLineParser(delimiter, headerLine - 1, comment)
  const hasHeader = options.header !== undefined
  const recordParser = () =>
    new RecordParser(onRowError, { delimiter, encoding, comment }, lines.parsed, hasHeader || lines.hasRecords)
  let parser: RecordParser | undefined
  for await (const chunk of text) {
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

/** Returns the encoding of a file, and its text as UTF-8 behind a number of lines, in chunks to be parsed at once. */
async function openText(stream: Readable, given: Encoding | undefined, linesBefore = 0) {
  const chunks = readChunks(stream)
  const head = await readHead(chunks)
  const { encoding, mark } = findEncoding(head, given)
  return { encoding, text: decodeText(head.subarray(mark), chunks, encoding, linesBefore) }
}

async function* readChunks(stream: Readable): AsyncGenerator<Buffer> {
  for await (const data of stream) yield typeof data === 'string' ? Buffer.from(data) : (data as Buffer)
}

async function readHead(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let length = 0; length < HEAD_SIZE; ) {
    const { done, value } = await chunks.next()
    if (done) break
    parts.push(value)
    length += value.length
  }
  return Buffer.concat(parts)
}

async function* decodeText(
  head: Buffer,
  chunks: AsyncGenerator<Buffer>,
  encoding: Encoding,
  linesBefore: number,
): AsyncGenerator<Buffer> {
  const transcoder = encoding === 'utf-8' ? undefined : new Transcoder(encoding)
  const text = transcoder?.write(head) ?? head
  yield* split(text.subarray(startOfLine(text, linesBefore)))
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
    while (start < text.length && text[start] !== LINE_FEED && text[start] !== CARRIAGE_RETURN) start++
    if (start === text.length) {
      throw new FileError(`has no line ${lines + 1} (--header-line) in its first ${HEAD_SIZE / 1024} KiB`)
    }
    start += text[start] === CARRIAGE_RETURN && text[start + 1] === LINE_FEED ? 2 : 1
  }
  return start
}

/** Leaves out the last lines of a file. */
class Footer {
  /** The last records and errors, by line. */
  private last: { line: number; record?: string[]; error?: RowError }[] = []

  /** @param lines number of lines at the end, without blank ones */
  constructor(private readonly lines: number) {}

  addError(error: RowError): void {
    this.last.push({ line: error.line, error })
  }

  /** Adds records. Returns those with enough lines behind them; `onRowError` receives such that cannot be read. */
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
