/** Arbitrary bytes that resemble CSV. */
import fc from 'fast-check'
import { anyText } from './fuzz'

export const lineEnding = fc.constantFrom('\n', '\r\n', '\r')

const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`

export const csvText = (rows: string[][], ending: string): string =>
  rows.map(row => row.map(quoted).join(',')).join(ending)

/** The output of a spreadsheet, with a few bytes changed. */
const damaged = fc
  .tuple(
    fc.array(
      fc.array(fc.oneof(anyText, fc.constantFrom('companya1', 'name', 'id', 'X')), { minLength: 1, maxLength: 4 }),
      { maxLength: 6 },
    ),
    lineEnding,
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom('utf8', 'utf16le', 'latin1'),
    fc.array(fc.tuple(fc.nat({ max: 200 }), fc.constantFrom(0, 10, 13, 34, 44, 0xff, 0xc3, 0xef, 0xbb)), {
      maxLength: 4,
    }),
  )
  .map(([rows, ending, mark, encoding, changes]) => {
    const bytes = Buffer.from(mark + csvText(rows, ending), encoding as BufferEncoding)
    for (const [index, byte] of changes) if (index < bytes.length) bytes[index] = byte
    return bytes
  })

/** Lines without quotes, until something else occurs. */
const mostlyPlain = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom('a', 'é', ' ', ',', '\n', '\r\n') },
      { weight: 1, arbitrary: fc.constantFrom('"', '"b,\n"', '\r', '\0', '\ufffd', '\ufeff') },
    ),
    { maxLength: 120 },
  )
  .map(parts => Buffer.from(parts.join('')))

export const anyCsvBytes = fc.oneof(
  damaged,
  mostlyPlain,
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom('"', ',', '\n', '\r', 'a', '\0', 'é', '😀', '\ufeff'), { maxLength: 60 })
    .map(parts => Buffer.from(parts.join(''))),
)
