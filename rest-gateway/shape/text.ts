/** Writers of CSV (RFC 4180) and of newline-delimited JSON. */
import type { Column, RowWriter } from '../record'
import { isText, readValue } from './columns'

const CRLF = '\r\n'

/** With a header row; null is empty. */
export function csvWriter(columns: readonly Column[]): RowWriter {
  const cells = columns.map(column => (isText(column) && !column.plain ? textCell : plainCell))
  const before = columns.map((_, i) => (i === 0 ? '' : ','))
  return {
    begin: () => columns.map(({ name }) => name).join() + CRLF,
    write: rows => [writeLines(rows, columns, cells, before, CRLF)],
    end: () => '',
  }
}

export function ndjsonWriter(columns: readonly Column[]): RowWriter {
  const keys = columns.map(({ name }, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const cells = columns.map(column => (!isText(column) ? jsonPlain : column.plain ? jsonQuoted : jsonText))
  return {
    begin: () => '',
    write: rows => [writeLines(rows, columns, cells, keys, '}\n')],
    end: () => '',
  }
}

function writeLines(
  rows: readonly object[],
  columns: readonly Column[],
  cells: readonly ((value: unknown) => string)[],
  before: readonly string[],
  end: string,
): string {
  let text = ''
  for (const row of rows) {
    for (let i = 0; i < cells.length; i++) text += before[i]! + cells[i]!(readValue(row, columns[i]!.path))
    text += end
  }
  return text
}

const plainCell = (value: unknown): string => (value == null ? '' : `${value}`)

const NEEDS_QUOTES = /[",\r\n]/

/** An empty text is quoted, because null is empty. */
function textCell(value: unknown): string {
  const text = value == null ? undefined : joinElements(value)
  if (text === undefined) return ''
  return text === '' || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const jsonPlain = (value: unknown): string => (value == null ? 'null' : `${value}`)

const jsonQuoted = (value: unknown): string => (value == null ? 'null' : `"${value}"`)

const jsonText = (value: unknown): string => (value == null ? 'null' : JSON.stringify(joinElements(value)))

/** A list is its elements, separated by blanks. */
export const joinElements = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : (value as string))
