/**
 * Reads CSV (RFC 4180, UTF-8, with or without BOM, any line ending) as records with the lines on which they begin.
 * Memory is bounded whatever comes. Most files hold nothing but values between commas, and are split as they stand, which
 * takes a seventh of the time; from the first piece on that has anything else in it the parser reads.
 */
import type { Readable } from 'node:stream'
import { FileFault } from '../figures'
import { type Batch, type OnFault, RecordParser } from './csv-parser'

/** At most so many bytes are read before what they held is taken away. */
const PIECE = 65_536

/** A line may go on from one piece to the next by so much to be split, which keeps its values below what a record may have. */
const LONGEST_REST = 32_768

/** What a line must not have in it to be split at its commas. A line break of its own is no part of a line. */
const SPECIAL = /["\0\ufffd]|\r(?!\n)/

const LINE_FEED = 10

const BOM = '\ufeff'

/**
 * The records of a stream of bytes, blank lines left out, piece by piece.
 *
 * @param onFault gets records that cannot be read, as line and reason
 * @throws FileFault when what follows cannot be told apart
 */
export async function* readRecords(stream: Readable, onFault: OnFault): AsyncGenerator<Batch> {
  const reader = new RecordReader(onFault)
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
    for (let at = 0; at < bytes.length; at += PIECE) yield* reader.read(bytes.subarray(at, at + PIECE))
  }
  yield* reader.finish()
}

class RecordReader {
  /** The beginning of a line that has not ended yet. */
  private rest: Buffer = Buffer.alloc(0)
  /** Lines that were split. */
  private lines = 0
  private begun = false
  private parser: RecordParser | undefined

  constructor(private readonly onFault: OnFault) {}

  *read(piece: Buffer): Generator<Batch> {
    if (this.parser) return yield this.parser.parse(piece)
    const bytes = Buffer.concat([this.rest, piece])
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    const batch = this.split(bytes.toString('utf8', 0, end))
    if (batch) yield batch
    this.rest = batch ? Buffer.from(bytes.subarray(end)) : bytes
    if (!batch || this.rest.length > LONGEST_REST) yield this.parseRest()
  }

  *finish(): Generator<Batch> {
    const batch = this.parser ? undefined : this.split(this.rest.toString())
    if (batch) return yield batch
    if (!this.parser) yield this.parseRest()
    yield (this.parser as unknown as RecordParser).finish()
  }

  /** The records of whole lines, if they are plain. */
  private split(text: string): Batch | undefined {
    if (SPECIAL.test(text)) return undefined
    const start = this.lines === 0 && text.startsWith(BOM) ? BOM.length : 0
    const batch: Batch = { records: [], lines: [] }
    for (const line of text.slice(start).replaceAll('\r\n', '\n').split('\n')) {
      this.lines++
      if (line === '') continue
      batch.records.push(valuesOf(line))
      batch.lines.push(this.lines)
      this.begun = true
    }
    // Behind the last line break there is no line yet.
    this.lines--
    return batch
  }

  private parseRest(): Batch {
    if (this.lines === 0 && /^(fffe|feff)/.test(this.rest.toString('hex', 0, 2))) {
      throw new FileFault('is UTF-16: save it as UTF-8', 1)
    }
    this.parser = new RecordParser(this.onFault, this.lines, this.begun)
    return this.parser.parse(this.rest)
  }
}

/** What stands between the commas of a line. For so few values `split` would take twice the time. */
function valuesOf(line: string): string[] {
  const values: string[] = []
  let at = 0
  for (let comma = line.indexOf(','); comma >= 0; comma = line.indexOf(',', at)) {
    values.push(line.slice(at, comma))
    at = comma + 1
  }
  values.push(line.slice(at))
  return values
}
