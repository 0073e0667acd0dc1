/** The formats of lists besides JSON: their media types, and writers that turn rows into them part by part. */

import type { Column, FlatFormat, Format } from '../record'
import { parquetWriter } from './parquet'
import type { RowWriter } from './row-writer'
import { csvWriter, ndjsonWriter, spreadsheetWriter } from './text'

export const JSON_TYPE = 'application/json'

const CSV = 'text/csv; charset=utf-8; header=present'

/** The Content-Type of each format. */
export const CONTENT_TYPES: Record<Format, string> = {
  json: `${JSON_TYPE}; charset=utf-8`,
  csv: CSV,
  excel: CSV,
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
}

export const WRITERS: Record<FlatFormat, (columns: readonly Column[]) => RowWriter> = {
  csv: csvWriter,
  excel: spreadsheetWriter,
  ndjson: ndjsonWriter,
  parquet: parquetWriter,
}

/** Returns the media type of a format: its Content-Type without parameters. */
export const mediaTypeOf = (format: Format): string => CONTENT_TYPES[format].replace(/;.*/, '')

/** Returns the formats that have a media type of their own: only `output` asks for the form of CSV for spreadsheets. */
export const withOwnType = (formats: readonly Format[]): Format[] => formats.filter(format => format !== 'excel')
