/** Recognizes the rejects file of an earlier import, which another one may overwrite. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { DELIMITERS, type Delimiter, type FormOptions } from '../../imports/csv/file-form'
import { type ReadOptions, readRecords } from '../../imports/csv/read-records'
import { isRejectedRow, originalHeader } from '../../imports/csv/rejects'

/** Bytes that are read, more than a header has. */
const MAX_HEAD_BYTES = 2 * 1024 * 1024

/** Every reason has some words. */
const REASON = /\S+\s+\S+\s+\S/

/** Returns whether a file is empty, or all its rows have a line and a reason behind the values. */
export async function isRejectsFile(
  path: string,
  columns: readonly string[],
  { encoding, headerLine, comment }: FormOptions,
): Promise<boolean> {
  const { isFile, head } = readHead(path)
  if (!isFile || head.length === 0) return isFile
  // Any bytes are text in Latin-1.
  const form = { columns, comment, encoding: encoding?.startsWith('utf-16') ? encoding : ('latin1' as const) }
  for (const delimiter of Object.keys(DELIMITERS) as Delimiter[]) {
    for (const line of new Set([undefined, headerLine])) {
      const rows = await readRows(head, { ...form, delimiter, ...(line !== undefined && { headerLine: line }) })
      // The last row may be cut off.
      if (areRejected(head.length < MAX_HEAD_BYTES ? rows : rows.slice(0, -1), columns)) return true
    }
  }
  return false
}

async function readRows(head: Buffer, form: ReadOptions): Promise<string[][]> {
  const rows: string[][] = []
  const isHeader = (names: readonly string[]) => originalHeader(names, form.columns) !== undefined
  try {
    const batches = readRecords(Readable.from([head]), { ...form, isHeader }, () => {})
    for await (const { records } of batches) rows.push(...records)
  } catch {
    // The head may end within quotes, and another form may not be readable.
  }
  return rows
}

function areRejected(rows: readonly string[][], columns: readonly string[]): boolean {
  const [first = []] = rows
  const hasHeader = originalHeader(first, columns) !== undefined
  const rejected = hasHeader ? rows.slice(1) : rows
  return (
    first.length > 2 && rejected.every(row => isRejectedRow(row, first.length - 2) && REASON.test(row.at(-1) ?? ''))
  )
}

function readHead(path: string): { isFile: boolean; head: Buffer } {
  const found = statSync(path)
  // A directory is reported by what opens it.
  if (!found.isFile() && !found.isDirectory()) return { isFile: false, head: Buffer.alloc(0) }
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAX_HEAD_BYTES)
    return { isFile: true, head: bytes.subarray(0, readSync(file, bytes)) }
  } finally {
    closeSync(file)
  }
}
