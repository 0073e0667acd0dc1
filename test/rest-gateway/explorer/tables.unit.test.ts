import { parse as parseCsv } from 'csv-parse/sync'
import fc from 'fast-check'
import { guardFormula } from '../../../db/import/csv/formulas'
import { writeCsv } from '../../../rest-gateway/explorer/browser/results/csv'
import { sortRows } from '../../../rest-gateway/explorer/browser/results/sorting'
import { type Cell, findTables } from '../../../rest-gateway/explorer/browser/results/tables'

describe('tablesOf', () => {
  test('returns one table per list of objects, the longest first', () => {
    const tables = findTables({
      demographics: {
        total: 3,
        gender: [{ gender: 'male', impressions: 3 }],
        age: [{ ageBand: '65+' }, { ageBand: 'unknown' }],
      },
    })
    expect(tables).toEqual([
      { name: 'demographics.age', columns: ['ageBand'], rows: [['65+'], ['unknown']] },
      { name: 'demographics.gender', columns: ['gender', 'impressions'], rows: [['male', 3]] },
    ])
  })

  test('flattens nested lists and repeats the values of the outer objects', () => {
    const day = (date: string, impressions: number | null) => ({ date, impressions })
    const [rows, assets] = findTables({
      assets: {
        nodes: [
          {
            id: 'a',
            tags: ['x', 'y'],
            health: { status: 'healthy' },
            impressions: { daily: { rows: [day('1', 5), day('2', null)] } },
          },
          { id: 'b', tags: [], health: null, impressions: { daily: { rows: [day('1', 7)] } } },
        ],
      },
    })
    expect(rows?.name).toBe('assets.impressions.daily')
    expect(rows?.columns).toEqual([
      'assets.id',
      'assets.tags',
      'assets.health.status',
      'date',
      'impressions',
      'assets.health',
    ])
    expect(rows?.rows.map(row => [row[0], row[3], row[4]])).toEqual([
      ['a', '1', 5],
      ['a', '2', null],
      ['b', '1', 7],
    ])
    expect(assets?.rows).toEqual([
      ['a', 'x; y', 'healthy', null],
      ['b', '', null, null],
    ])
  })

  test('returns one row for a result without lists, and no table without a result', () => {
    expect(findTables({ meta: { version: 'v1' } })).toEqual([
      { name: 'result', columns: ['meta.version'], rows: [['v1']] },
    ])
    for (const data of [undefined, null, 'x', []]) expect(findTables(data)).toEqual([])
  })
})

test('sortRows sorts numbers by value and text by collation, with null last', () => {
  const sorted = (cells: Cell[], descending: boolean) =>
    sortRows(
      cells.map(cell => [cell]),
      { column: 0, descending },
    ).map(([cell]) => cell)
  expect(sorted([10, null, 9, 100], false)).toEqual([9, 10, 100, null])
  expect(sorted([10, null, 9, 100], true)).toEqual([100, 10, 9, null])
  expect(sorted(['b10', 'B9', null, 'ä'], false)).toEqual(['ä', 'B9', 'b10', null])
})

test('csvOf begins with a byte order mark, which Excel needs to read UTF-8', () => {
  expect(writeCsv({ name: '', columns: ['name'], rows: [['Söhne']] })).toBe('\ufeffname\r\nSöhne\r\n')
})

test('csvOf writes what a CSV parser reads back, without formulas', () => {
  const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null), fc.boolean())
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), rows => {
      const records = parseCsv(writeCsv({ name: '', columns: ['a', 'b'], rows }), {
        bom: true,
        relax_column_count: false,
      })
      expect(records[0]).toEqual(['a', 'b'])
      rows.flat().forEach((value, i) => {
        const text = records.flat()[i + 2]
        expect(text).toBe(typeof value === 'string' ? guardFormula(value) : String(value ?? ''))
      })
    }),
  )
})
