import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { readCsv } from '../support/csv'
import { anyText, testProperty } from '../support/fuzz'

/** Lines that are plain until something else occurs, and bytes that are no text at all. */
const anyBytes = fc.oneof(
  fc
    .array(
      fc.oneof(
        { weight: 30, arbitrary: fc.constantFrom('a', 'é', ' ', ',', '\n', '\r\n') },
        { weight: 2, arbitrary: fc.constantFrom('"', '"b,\n"', '\r', '\0', '\ufffd', '\ufeff', '😀') },
        { weight: 1, arbitrary: anyText },
      ),
      { maxLength: 120 },
    )
    .chain(parts =>
      fc.constantFrom<BufferEncoding>('utf8', 'utf16le', 'latin1').map(form => Buffer.from(parts.join(''), form)),
    ),
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
)

testProperty(
  'CSV bytes',
  'any bytes are read as records or rejected by line, alike in any chunks',
  fc.tuple(anyBytes, fc.integer({ min: 1, max: 20 })),
  async ([bytes, size]) => {
    // In bytes that are not UTF-8, the replacement character is taken for one of them.
    fc.pre(isUtf8(bytes) || !bytes.includes('\ufffd'))
    const whole = await readCsv([bytes])
    expect(await readCsv(chunksOf(bytes, size))).toEqual(whole)
    for (const line of whole.lines) expect(line).toBeGreaterThan(0)
  },
)

/** Returns the bytes in chunks of this size. */
function chunksOf(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = []
  for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size))
  return chunks
}
