/** `COPY … FROM STDIN`, and rows in its text and binary formats. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { from } from 'pg-copy-streams'

/** Runs a `COPY … FROM STDIN` with this input. */
export const copyIn = (client: ClientBase, statement: string, chunks: Iterable<Buffer | string>): Promise<void> =>
  pipeline(Readable.from(chunks), client.query(from(statement)))

/** Returns a row in text format. */
export function textRow(values: readonly (string | number | boolean | null)[]): string {
  let row = ''
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (i > 0) row += '\t'
    if (value === null || value === undefined) row += '\\N'
    else if (typeof value !== 'string') row += value
    else row += /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, escaped) : value
  }
  return `${row}\n`
}

const escaped = (char: string): string => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[char] as string

/** The bytes before and after the rows in binary format. */
export const BINARY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
export const BINARY_TRAILER = Buffer.from([0xff, 0xff])

/** Returns a row in binary format, of integers of 2, 4 or 8 bytes and of bytea values. */
export function binaryRow(values: readonly ([bytes: 2 | 4 | 8, value: number] | Buffer | null)[]): Buffer {
  let length = 2
  for (const value of values) length += 4 + (value === null ? 0 : Buffer.isBuffer(value) ? value.length : value[0])
  const row = Buffer.allocUnsafe(length)
  let offset = row.writeInt16BE(values.length, 0)
  for (const value of values) {
    if (value === null) offset = row.writeInt32BE(-1, offset)
    else if (Buffer.isBuffer(value)) {
      offset = row.writeInt32BE(value.length, offset)
      offset += value.copy(row, offset)
    } else {
      const [bytes, number] = value
      offset = row.writeInt32BE(bytes, offset)
      if (bytes === 8) offset = row.writeBigInt64BE(BigInt(number), offset)
      else offset = row.writeIntBE(number, offset, bytes)
    }
  }
  return row
}
