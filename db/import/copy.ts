/** COPY into temporary tables: what an import has gathered goes to the database in few, large pieces. */
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { from } from 'pg-copy-streams'

/** Runs a `COPY … FROM STDIN` and feeds it. */
export async function copyIn(client: ClientBase, statement: string, pieces: Iterable<Buffer | string>): Promise<void> {
  const stream = client.query(from(statement))
  const done = finished(stream)
  done.catch(() => {})
  for (const piece of pieces) {
    if (stream.destroyed) break
    if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), done])
  }
  stream.end()
  await done
}

/** A row of COPY's text format; null is no value. */
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

export const BINARY_BEGIN = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
export const BINARY_END = Buffer.from([0xff, 0xff])

/** A row of COPY's binary format: whole numbers of 2, 4 or 8 bytes, and bytes; null is no value. */
export function binaryRow(values: readonly ([bytes: 2 | 4 | 8, value: number] | Buffer | null)[]): Buffer {
  let length = 2
  for (const value of values) length += 4 + (value === null ? 0 : Buffer.isBuffer(value) ? value.length : value[0])
  const row = Buffer.allocUnsafe(length)
  let at = row.writeInt16BE(values.length, 0)
  for (const value of values) {
    if (value === null) at = row.writeInt32BE(-1, at)
    else if (Buffer.isBuffer(value)) {
      at = row.writeInt32BE(value.length, at)
      at += value.copy(row, at)
    } else {
      const [bytes, number] = value
      at = row.writeInt32BE(bytes, at)
      if (bytes === 8) at = row.writeBigInt64BE(BigInt(number), at)
      else at = row.writeIntBE(number, at, bytes)
    }
  }
  return row
}
