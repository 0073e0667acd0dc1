/** Reads and writes the CSV files of a copy record by record: a file may be larger than the memory of the process. */
import { closeSync, existsSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { parse } from 'csv-parse/sync'

const CRLF = '\r\n'

const CHUNK_BYTES = 256 * 1024

const BUFFER_BYTES = 64 * 1024

/** The most bytes of UTF-8 that a UTF-16 unit takes. */
const MAX_BYTES_PER_UNIT = 3

/** Returns the text of each record behind the header; none of a file that does not exist. */
export function* readRecords(file: string): Generator<string> {
  if (!existsSync(file)) return
  const descriptor = openSync(file, 'r')
  try {
    yield* splitRecords(readChunks(descriptor))
  } finally {
    closeSync(descriptor)
  }
}

function* readChunks(descriptor: number): Generator<string> {
  const decoder = new StringDecoder('utf8')
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let bytes = readSync(descriptor, buffer); bytes > 0; bytes = readSync(descriptor, buffer)) {
    yield decoder.write(buffer.subarray(0, bytes))
  }
}

/** A line that ends within quotes is continued by the next one. */
function* splitRecords(chunks: Iterable<string>): Generator<string> {
  let isHeader = true
  let rest = ''
  let open: string | undefined
  for (const chunk of chunks) {
    const lines = (rest + chunk).split(CRLF)
    rest = lines.pop()!
    for (const line of lines) {
      const record: string = open === undefined ? line : open + CRLF + line
      open = isWithinQuotes(record) ? record : undefined
      if (open !== undefined) continue
      if (!isHeader) yield record
      isHeader = false
    }
  }
}

const isWithinQuotes = (text: string): boolean => text.includes('"') && text.split('"').length % 2 === 0

/** Returns the values of a record; null is empty. */
export const fieldsOf = (record: string): string[] =>
  record.includes('"') ? parse(record, { relax_column_count: true })[0]! : record.split(',')

/** Writes a new file, which is complete after `flush`. */
export class RecordWriter {
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  private used = 0
  private isBegun = false

  /** @param header the first line, with its end */
  constructor(
    readonly file: string,
    header: string,
  ) {
    this.write(header)
  }

  writeRecord(record: string): void {
    this.write(record + CRLF)
  }

  /** @param records with their ends */
  write(records: string): void {
    // A text that was added to would be as large, and much more work for the garbage collector.
    const most = records.length * MAX_BYTES_PER_UNIT
    if (this.used + most > BUFFER_BYTES) this.flush()
    if (most > BUFFER_BYTES) this.append(Buffer.from(records))
    else this.used += this.buffer.write(records, this.used)
  }

  flush(): void {
    this.append(this.buffer.subarray(0, this.used))
    this.used = 0
  }

  private append(bytes: Buffer): void {
    if (!this.isBegun) mkdirSync(dirname(this.file), { recursive: true })
    writeFileSync(this.file, bytes, { flag: this.isBegun ? 'a' : 'w' })
    this.isBegun = true
  }
}
