import fc from 'fast-check'
import { encode } from 'iconv-lite'
import { BYTE_ORDER_MARKS, ENCODINGS } from '../../imports/csv/encodings'
import type { Delimiter } from '../../imports/csv/file-form'
import { chunksOf, readCsv } from '../support/csv'
import { lineEnding } from '../support/csv-bytes'
import { testProperty } from '../support/fuzz'

const HEADER = ['sensor', 'start', 'Zähler']

const value = fc.oneof(
  fc.stringMatching(/^[a-z0-9 .,;|:äöüé€-]{0,12}$/),
  fc.constantFrom('"', 'a "quoted" one', 'two\nlines', 'a\tb', ''),
)

const form = fc.record({
  delimiter: fc.constantFrom<Delimiter>(',', ';', '|', '\t'),
  encoding: fc.constantFrom(...ENCODINGS),
  mark: fc.boolean(),
  ending: lineEnding,
  titles: fc.array(fc.constantFrom('', 'Zählstellen 2024', 'a;b', 'x,y,z', 'sensor', '"'), { maxLength: 4 }),
  rows: fc.array(fc.tuple(value, value, value), { maxLength: 8 }),
  quoteAll: fc.boolean(),
  size: fc.integer({ min: 1, max: 100 }),
})

testProperty(
  'CSV bytes',
  'a file of any delimiter, encoding, line ending and lines before the header is read as it was written, by its lines too',
  form,
  async ({ delimiter, encoding, mark, ending, titles, rows, quoteAll, size }) => {
    const isLatin1 = encoding === 'latin1'
    const text = (value: string) => (isLatin1 ? value.replaceAll('€', 'E') : value)
    const quoted = (value: string) =>
      quoteAll || /[",;|\t\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
    const content = rows.map(row => row.map(text))
    const lines = [...titles, ...[HEADER, ...content].map(row => row.map(quoted).join(delimiter))]
    const bytes = encode(lines.join(ending) + ending, encoding)
    const marked = mark && BYTE_ORDER_MARKS[encoding]
    const file = marked ? Buffer.concat([marked, bytes]) : bytes
    const read = await readCsv(chunksOf(file, size), {
      ...(marked ? {} : { encoding }),
      delimiter,
      headerLine: titles.length + 1,
    })
    const isBlank = (row: string[]) => !quoteAll && row.every(value => value === '') && row.length === 1
    expect(read).toMatchObject({ records: [HEADER, ...content.filter(row => !isBlank(row))], errors: [] })
    expect(read.lines[0]).toBe(titles.length + 1)
  },
)
