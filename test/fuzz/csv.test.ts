import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { readRecords } from '../../db/import/csv/csv'
import { type Batch, RecordParser } from '../../db/import/csv/csv-parser'
import { FileFault } from '../../db/import/import-file'
import { anyText, testProperty } from '../support/fuzz'
import { Imports } from '../support/importing'

interface Read {
  records: string[][]
  lines: number[]
  faults: string[]
}

/** What is read of bytes that arrive in pieces of this size. */
const read = (bytes: Buffer, piece: number): Promise<Read> =>
  gather(onFault => {
    const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, i) =>
      bytes.subarray(i * piece, (i + 1) * piece),
    )
    return readRecords(Readable.from(pieces), onFault)
  })

/** What the parser alone makes of bytes. */
const parse = (bytes: Buffer): Promise<Read> =>
  gather(async function* (onFault) {
    const parser = new RecordParser(onFault, 0, false)
    yield parser.parse(bytes)
    yield parser.finish()
  })

async function gather(batches: (onFault: (line: number, reason: string) => void) => AsyncGenerator<Batch>) {
  const all: Read = { records: [], lines: [], faults: [] }
  try {
    for await (const { records, lines } of batches((line, reason) => all.faults.push(`${line}: ${reason}`))) {
      all.records.push(...records)
      all.lines.push(...lines)
    }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    // Nothing of it is stored, however far it was read.
    return { records: [], lines: [], faults: [...all.faults, `${error.line}: ${error.message}`] }
  }
  return all
}

const END = fc.constantFrom('\n', '\r\n', '\r')

const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`

const textOfRows = (rows: string[][], end: string): string => rows.map(row => row.map(quoted).join(',')).join(end)

/** Text of the kind that a spreadsheet writes, and what becomes of it under way. */
const damaged = fc
  .tuple(
    fc.array(
      fc.array(fc.oneof(anyText, fc.constantFrom('companya1', 'name', 'id', 'X')), { minLength: 1, maxLength: 4 }),
      { maxLength: 6 },
    ),
    END,
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom('utf8', 'utf16le', 'latin1'),
    fc.array(fc.tuple(fc.nat({ max: 200 }), fc.constantFrom(0, 10, 13, 34, 44, 0xff, 0xc3, 0xef, 0xbb)), {
      maxLength: 4,
    }),
  )
  .map(([rows, end, bom, encoding, changes]) => {
    const bytes = Buffer.from(bom + textOfRows(rows, end), encoding as BufferEncoding)
    for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
    return bytes
  })

/** Lines of nothing but values between commas, until something else comes. */
const mostlyPlain = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom('a', 'é', ' ', ',', '\n', '\r\n') },
      { weight: 1, arbitrary: fc.constantFrom('"', '"b,\n"', '\r', '\0', '\ufffd', '\ufeff') },
    ),
    { maxLength: 120 },
  )
  .map(parts => Buffer.from(parts.join('')))

const anyBytes = fc.oneof(
  damaged,
  mostlyPlain,
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom('"', ',', '\n', '\r', 'a', '\0', 'é', '😀', '\ufeff'), { maxLength: 60 })
    .map(parts => Buffer.from(parts.join(''))),
)

testProperty(
  'CSV bytes',
  'any bytes are read as records or refused by line, alike however they arrive and however plain they are',
  fc.tuple(anyBytes, fc.integer({ min: 1, max: 20 })),
  async ([bytes, piece]) => {
    // Among bytes that are no text, the replacement character is taken for one of them.
    fc.pre(isUtf8(bytes) || !bytes.includes('\ufffd'))
    const whole = await read(bytes, 1_000_000)
    expect(await read(bytes, piece)).toEqual(whole)
    if (!/^(fffe|feff)/.test(bytes.toString('hex'))) expect(await parse(bytes)).toEqual(whole)
    for (const line of whole.lines) expect(line).toBeGreaterThan(0)
  },
)

describe('in the database', () => {
  let imports: Imports
  beforeAll(async () => {
    imports = await Imports.open()
  })
  afterAll(() => imports.close())

  const company = fc.tuple(fc.oneof(fc.stringMatching(/^[a-z][a-z0-9]{7,10}$/), anyText), anyText)

  testProperty(
    'CSV file',
    'a file is stored as its figures say, or not at all',
    fc.tuple(
      fc.oneof(
        { weight: 1, arbitrary: anyBytes },
        {
          weight: 3,
          arbitrary: fc
            .tuple(fc.array(company, { maxLength: 8 }), END)
            .map(([rows, end]) => Buffer.from(textOfRows([['id', 'name'], ...rows.map(row => [...row])], end))),
        },
      ),
      fc.boolean(),
    ),
    async ([bytes, skipFaulty]) => {
      await imports.clear()
      const { read, stored, rejected, faults } = await imports.run('companies', bytes, { skipFaulty })
      const [{ count }] = (await imports.rows('SELECT count(*)::int FROM companies')) as [{ count: number }]
      expect(count).toBe(stored)
      if (rejected > 0 && !skipFaulty) expect(stored).toBe(0)
      expect(stored + rejected <= read || faults.length > rejected).toBe(true)
    },
  )
})
