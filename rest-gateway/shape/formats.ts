/** The formats of lists besides JSON: their media types, and writers that turn rows into them in chunks. */

import type { Column, FlatFormat, Format, RowWriter } from '../record'
import { parquetWriter } from './parquet'
import { csvWriter, ndjsonWriter } from './text'

export const JSON_TYPE = 'application/json'

/** The Content-Type of each format. */
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
