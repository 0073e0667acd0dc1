/** The formats of lists besides JSON: their media types, and writers that turn rows into them part by part. */

import type { Column, FlatFormat, Format } from '../record'
import { parquetWriter } from './parquet'
import type { RowWriter } from './row-writer'
import { csvWriter, ndjsonWriter, spreadsheetWriter } from './text'

interface FormatDefinition {
  mediaType: string
  /** As in Content-Type. */
  contentType: string
  writer(columns: readonly Column[]): RowWriter
}

const CSV = { mediaType: 'text/csv', contentType: 'text/csv; charset=utf-8; header=present' }

export const FLAT_FORMATS = {
  csv: { ...CSV, writer: csvWriter },
  excel: { ...CSV, writer: spreadsheetWriter },
  ndjson: { mediaType: 'application/x-ndjson', contentType: 'application/x-ndjson', writer: ndjsonWriter },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    contentType: 'application/vnd.apache.parquet',
    writer: parquetWriter,
  },
} as const satisfies Record<FlatFormat, FormatDefinition>

export const JSON_TYPE = 'application/json'

/** The Content-Type of JSON. */
const JSON_CONTENT_TYPE = `${JSON_TYPE}; charset=utf-8`

export const mediaTypeOf = (format: Format): string => (format === 'json' ? JSON_TYPE : FLAT_FORMATS[format].mediaType)

/** Returns the formats that have a media type of their own: only `output` asks for the form of CSV for spreadsheets. */
export const withOwnType = (formats: readonly Format[]): Format[] => formats.filter(format => format !== 'excel')

export const contentTypeOf = (format: Format): string =>
  format === 'json' ? JSON_CONTENT_TYPE : FLAT_FORMATS[format].contentType
