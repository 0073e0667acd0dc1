import { parse as parseCsv } from 'csv-parse/sync'
import fc from 'fast-check'
import { guardFormula } from '../../../db/formulas'
import { addFacts, writeCsv } from '../../../web/explorer/results/downloads/text-files'
import { selectPart, sortRows, sumColumns } from '../../../web/explorer/results/table/table-state'
import { type Cell, findTables, type Table } from '../../../web/explorer/results/table/tables'

describe('findTables', () => {
  test('returns one table per list of objects, the longest first', () => {
    const tables = findTables({
      demographics: {
        total: 3,
        gender: [{ gender: 'male', impressions: 3 }],
        age: [{ ageBand: '65+' }, { ageBand: 'unknown' }],
      },
    })
    expect(tables).toEqual([
      {
        name: 'demographics.age',
        columns: ['ageBand'],
        rows: [['65+'], ['unknown']],
        facts: [['total', 3]],
        additive: [false],
      },
      {
        name: 'demographics.gender',
        columns: ['gender', 'impressions'],
        rows: [['male', 3]],
        facts: [['total', 3]],
        additive: [false, true],
      },
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

  test('keeps the values beside a list, with the part of their name that the list does not have', () => {
    const [top] = findTables({
      assets: {
        count: 2,
        impressions: {
          total: 10,
          compare: { change: -2, changeRate: -0.1667 },
          top: [{ asset: { name: 'A' }, impressions: 10 }],
        },
      },
      meta: { version: 'v1' },
    })
    expect(top?.facts).toEqual([
      ['count', 2],
      ['total', 10],
      ['compare.change', -2],
      ['compare.changeRate', -0.1667],
    ])
  })

  test('returns one row for a result without lists, and no table without a result', () => {
    expect(findTables({ meta: { version: 'v1' } })).toMatchObject([
      { name: 'result', columns: ['meta.version'], rows: [['v1']], facts: [] },
    ])
    for (const data of [undefined, null, 'x', [], {}, { asset: null }]) expect(findTables(data)).toEqual([])
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

test('a part of a table has the rows with all words of the filter, the chosen columns, and totals of what can be added', () => {
  const [table] = findTables({
    rows: [
      { city: 'Bonn', name: 'East Gate', impressions: 5, coverage: 0.5 },
      { city: 'Bonn', name: 'West Gate', impressions: null, coverage: 0 },
      { city: 'Köln', name: 'East Gate', impressions: 7, coverage: 1 },
    ],
  })
  const part = selectPart(table as Table, { filter: 'gate  bonn', hidden: new Set(['name']) })
  expect(part.columns).toEqual(['city', 'impressions', 'coverage'])
  expect(part.rows).toEqual([
    ['Bonn', 5, 0.5],
    ['Bonn', null, 0],
  ])
  expect(sumColumns(part)).toEqual([null, 5, null])
})

test('files have the values beside the list in each row', () => {
  const [table] = findTables({ daily: { total: 3, rows: [{ date: '2026-01-01', total: 1 }] } })
  const records = addFacts(table as Table)
  expect(records).toEqual({ columns: ['date', 'total', 'result.total'], rows: [['2026-01-01', 1, 3]] })
})

test('CSV begins with a byte order mark, which Excel needs to read UTF-8; with semicolons, numbers have a decimal comma', () => {
  expect(writeCsv({ columns: ['name'], rows: [['Söhne']] }, ',')).toBe('\ufeffname\r\nSöhne\r\n')
  expect(writeCsv({ columns: ['name', 'share'], rows: [['a;b', 0.25]] }, ';')).toBe(
    '\ufeffname;share\r\n"a;b";0,25\r\n',
  )
})

test('writeCsv writes what a CSV parser reads back, without formulas', () => {
  const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null), fc.boolean())
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), rows => {
      const records = parseCsv(writeCsv({ columns: ['a', 'b'], rows }, ','), {
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
