/**
 * Reads CSV (RFC 4180, UTF-8, with or without byte order mark, any line ending) as records. Lines without quotes are split
 * at their commas; from the first chunk on that has anything else, csv-parse reads the file. Memory is bounded for any
 * input.
 */
import type { Readable } from 'node:stream'
import { FileError, type OnRowError } from '../errors'
import { unguardFormula } from './formulas'
import { type Batch, RecordParser } from './record-parser'
import { originalHeader } from './rejects'
import { UnquotedLineParser } from './unquoted-line-parser'

/** Bytes parsed at once. */
const CHUNK_SIZE = 65_536

/**
 * Yields the records of a file, without blank lines. Values of a file of rejected rows are restored.
 *
 * @param columns all columns of the kind
 * @param onRowError receives records that cannot be read
 * @throws FileError when the file is refused
 */
export async function* readRecords(
  stream: Readable,
  columns: readonly string[],
  onRowError: OnRowError,
): AsyncGenerator<Batch> {
  let isRejects: boolean | undefined
  const restore = (record: string[]) => (isRejects ? record.map(unguardFormula) : record)
  const parsed = parseRecords(stream, ({ record, ...error }) =>
    onRowError(record ? { ...error, record: restore([...record]) } : error),
  )
  for await (const { records, lines } of parsed) {
    const [header] = records
    if (header) isRejects ??= originalHeader(header, columns) !== undefined
    yield { records: isRejects ? records.map(restore) : records, lines }
  }
}

async function* parseRecords(stream: Readable, onRowError: OnRowError): AsyncGenerator<Batch> {
  const lines = new UnquotedLineParser()
  let parser: RecordParser | undefined
  for await (const chunk of chunksOf(stream)) {
    const batch = parser ? await parser.parse(chunk) : lines.parse(chunk)
    if (batch) yield batch
    else {
      parser = continueAfter(lines, onRowError)
      yield await parser.parse(lines.unparsed)
    }
  }
  const last = parser ? await parser.finish() : lines.finish()
  if (last) return yield last
  parser = continueAfter(lines, onRowError)
  yield await parser.parse(lines.unparsed)
  yield await parser.finish()
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  for await (const data of stream) {
    const bytes = typeof data === 'string' ? Buffer.from(data) : (data as Buffer)
    for (let start = 0; start < bytes.length; start += CHUNK_SIZE) yield bytes.subarray(start, start + CHUNK_SIZE)
  }
}

function continueAfter(lines: UnquotedLineParser, onRowError: OnRowError): RecordParser {
  if (lines.parsed === 0 && /^(fffe|feff)/.test(lines.unparsed.toString('hex', 0, 2))) {
    throw new FileError('is UTF-16: save it as UTF-8', 1)
  }
  return new RecordParser(onRowError, lines.parsed, lines.hasRecords)
}
