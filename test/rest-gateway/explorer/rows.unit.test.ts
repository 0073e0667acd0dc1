/** Rows, captions and ranges of the explorer, without a browser. */
import { parse as parseCsv } from 'csv-parse/sync'
import fc from 'fast-check'
import { guardFormula } from '../../../db/formulas'
import { formatAddress, parseAddress } from '../../../web/explorer/address'
import { formatRange, listPresets, rangeBefore } from '../../../web/explorer/form/ranges'
import { columnsOf, formatCell, readLists, writeCsv } from '../../../web/explorer/result/rows'

test('a list is rows, with the values of the objects that contain it; other values are facts', () => {
  const day = (date: string, impressions: number | null) => ({ date, impressions })
  const { lists, facts } = readLists(
    {
      assets: {
        count: 2,
        nodes: [
          { name: 'a', tags: ['x', 'y'], daily: { total: 5, rows: [day('1', 5), day('2', null)] } },
          { name: 'b', health: null, daily: { total: 7, rows: [day('1', 7)] } },
        ],
      },
    },
    new Map(),
  )
  expect(facts).toEqual({ 'assets.count': 2 })
  expect(lists.get('assets.nodes.daily.rows')).toEqual([
    { name: 'a', tags: 'x; y', 'daily.total': 5, date: '1', impressions: 5 },
    { name: 'a', tags: 'x; y', 'daily.total': 5, date: '2', impressions: null },
    { name: 'b', health: null, 'daily.total': 7, date: '1', impressions: 7 },
  ])
  expect(columnsOf(lists.get('assets.nodes')!)).toEqual(['name', 'tags', 'daily.total', 'health'])
})

test('ids have the names of assets', () => {
  const { lists } = readLists({ a: [{ b: [{ assetId: 'x' }] }] }, new Map([['x', 'Zoo']]))
  expect(lists.get('a.b')).toEqual([{ asset: 'Zoo', assetId: 'x' }])
})

test.each([
  ['impressions', 1234567, '1,234,567'],
  ['asset.impressions', null, '–'],
  ['share', 0.1234, '12.3%'],
  ['relativeChangePerDay', -0.2961, '-29.6%'],
  ['weekday', 7, 'Sun'],
  ['suppressed', false, 'no'],
  ['start', '2026-03-29T01:00:00+01:00', '2026-03-29 01:00 +01:00'],
  ['lastSeenAt', '2026-03-29T01:00:42Z', '2026-03-29 01:00 UTC'],
])('%s %s is shown as %s', (column, cell, text) => expect(formatCell(column, cell)).toBe(text))

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
