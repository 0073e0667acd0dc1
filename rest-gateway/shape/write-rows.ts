/** The media types of formats, and the rows of lists written in one of them, in chunks. Long lists are written in turns, between which other requests are served. */
import { Turns } from '../../resolvers/turns'
import type { Column, FlatFormat, Format, RowWriter } from '../record'
import { readValue } from './columns'
import { parquetWriter } from './parquet'
import { csvWriter, ndjsonWriter } from './text'

export const JSON_TYPE = 'application/json'

export const CONTENT_TYPES: Record<Format, string> = {
  json: `${JSON_TYPE}; charset=utf-8`,
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
}

export const WRITERS: Record<FlatFormat, (columns: readonly Column[]) => RowWriter> = {
  csv: csvWriter,
  ndjson: ndjsonWriter,
  parquet: parquetWriter,
}

/** Returns the media type of a format: its Content-Type without parameters. */
export const mediaTypeOf = (format: Format): string => CONTENT_TYPES[format].replace(/;.*/, '')

/** Rows and values that are written without a look at the time. */
const MAX_ROWS_PER_CHUNK = 2_000
const MAX_VALUES_PER_CHUNK = 100_000

/** @param onRows called with the number of rows whenever some have been taken over */
export async function* writeRows(
  format: FlatFormat,
  columns: readonly Column[],
  batches: Iterable<readonly object[]> | AsyncIterable<readonly object[]>,
  onRows?: (rows: number) => void,
): AsyncGenerator<string | Uint8Array> {
  const turns = new Turns()
  const size = Math.ceil(Math.min(MAX_ROWS_PER_CHUNK, MAX_VALUES_PER_CHUNK / columns.length))
  let writer: RowWriter | undefined
  const begin = (first?: object): RowWriter => {
    // Columns that the response does not have are left out; without rows, those that not all responses have.
    const isPresent = ({ optional, path }: Column) => !optional || readValue(first, path) !== undefined
    return WRITERS[format](columns.filter(isPresent))
  }
  for await (const rows of batches) {
    for (let from = 0; from < rows.length; from += size) {
      if (turns.isOver) await turns.next()
      const chunk = rows.slice(from, from + size)
      if (!writer) {
        writer = begin(chunk[0])
        yield writer.begin()
      }
      yield* writer.write(chunk)
      onRows?.(chunk.length)
    }
  }
  if (!writer) {
    writer = begin()
    yield writer.begin()
  }
  yield writer.end()
}

/** Returns chunks as one body: a string where all of them are text. */
export async function joinChunks(chunks: AsyncIterable<string | Uint8Array>): Promise<string | Buffer> {
  const all: (string | Uint8Array)[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all.every(chunk => typeof chunk === 'string')
    ? all.join('')
    : Buffer.concat(all.map(chunk => Buffer.from(chunk)))
}
