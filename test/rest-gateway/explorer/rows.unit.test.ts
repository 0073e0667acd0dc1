/** Rows, captions and ranges of the explorer, without a browser. */
import { parse as parseCsv } from 'csv-parse/sync'
import fc from 'fast-check'
import { guardFormula } from '../../../schema/spreadsheet-cells'
import { formatAddress, parseAddress } from '../../../web/explorer/address'
import { formatRange, listPresets, rangeBefore } from '../../../web/explorer/form/ranges'
import { writeCsv } from '../../../web/explorer/result/rows'

test('a CSV file has all values, and no text that spreadsheets would evaluate', () => {
  const cell = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null))
  fc.assert(
    fc.property(fc.array(fc.record({ a: cell, b: cell }), { minLength: 1 }), rows => {
      const text = writeCsv(['a', 'b'], rows, ',')
      const read = parseCsv(text, { bom: true, record_delimiter: '\r\n' }) as string[][]
      const written = (value: string | number | boolean | null) =>
        typeof value === 'string' ? guardFormula(value) : String(value ?? '')
      expect(read).toEqual([['a', 'b'], ...rows.map(({ a, b }) => [written(a), written(b)])])
    }),
  )
  expect(writeCsv(['share'], [{ share: 0.5 }], ';')).toBe('\ufeffshare\r\n0,5\r\n')
})

test('ranges end with the last day with data, or the last whole week or month', () => {
  expect(Object.fromEntries(listPresets('2026-03-03'))).toMatchObject({
    'Last 7 days': { from: '2026-02-25', to: '2026-03-03' },
    'Last whole week': { from: '2026-02-23', to: '2026-03-01' },
    'Month so far': { from: '2026-03-01', to: '2026-03-03' },
    'Last whole month': { from: '2026-02-01', to: '2026-02-28' },
    'Last 3 whole months': { from: '2025-12-01', to: '2026-02-28' },
    'Quarter so far': { from: '2026-01-01', to: '2026-03-03' },
    'Last whole quarter': { from: '2025-10-01', to: '2025-12-31' },
  })
  const atEnd = Object.fromEntries(listPresets('2026-02-28'))
  expect(atEnd['Last whole month']).toEqual({ from: '2026-02-01', to: '2026-02-28' })
})

test.each([
  ['days', '2026-03-10', '2026-03-12', '2026-03-07', '2026-03-09'],
  ['a month and some days', '2026-02-01', '2026-03-02', '2026-01-02', '2026-01-31'],
  ['whole weeks', '2026-03-02', '2026-03-15', '2026-02-16', '2026-03-01'],
  ['a whole month', '2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'],
  ['a whole quarter', '2026-01-01', '2026-03-31', '2025-10-01', '2025-12-31'],
  ['a whole year', '2026-01-01', '2026-12-31', '2025-01-01', '2025-12-31'],
])('%s are compared with those before', (_, from, to, before, until) =>
  expect(rangeBefore({ from, to })).toEqual({ from: before, to: until }),
)

test('an address holds a question with its variables, and one that was cut leads to the question', () => {
  const address = { question: 'typical-week', variables: { asset: 'ü', from: '2026-01-01' } }
  expect(parseAddress(formatAddress(address))).toEqual(address)
  expect(parseAddress('#question=a&variables=%7B%22as')).toEqual({ question: 'a', variables: {} })
  expect(formatRange({ from: 'x', to: '2026-01-01' })).toBe('x – 2026-01-01')
})
