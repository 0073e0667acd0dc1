import { parse as parseCsv } from 'csv-parse/sync'
import fc from 'fast-check'
import { buildSchema, parse, print, validate } from 'graphql'
import { READY_QUERIES } from '../../../rest-gateway/explorer/browser/ready-queries'
import { asRest, type FixedRoute } from '../../../rest-gateway/explorer/browser/rest-call'
import { chartOf, measuresOf } from '../../../rest-gateway/explorer/browser/results/charts'
import { csvOf } from '../../../rest-gateway/explorer/browser/results/csv'
import { sortRows } from '../../../rest-gateway/explorer/browser/results/sorting'
import { type Cell, tablesOf } from '../../../rest-gateway/explorer/browser/results/tables'
import { sampleOf } from '../../../rest-gateway/explorer/browser/sample'
import { partnerRoutes } from '../../../rest-gateway/routes/partner'
import { typeDefs } from '../../../schema/sdl'

const SAMPLE = { assetId: 'abc', country: 'DE', fromDate: '2026-01-01', toDate: '2026-01-07' }

describe('tables', () => {
  test('every list of records is a table, the longest first', () => {
    const tables = tablesOf({
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

  test('a list in a list becomes rows that stand alone, with what is around them', () => {
    const day = (date: string, impressions: number | null) => ({ date, impressions })
    const [rows, assets] = tablesOf({
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

  test('what has no list is one row, and no answer is no table', () => {
    expect(tablesOf({ meta: { version: 'v1' } })).toEqual([
      { name: 'result', columns: ['meta.version'], rows: [['v1']] },
    ])
    for (const nothing of [undefined, null, 'x', []]) expect(tablesOf(nothing)).toEqual([])
  })

  test('sort numbers by size, texts as people do, and missing values last', () => {
    const sorted = (cells: Cell[], descending: boolean) =>
      sortRows(
        cells.map(cell => [cell]),
        { column: 0, descending },
      ).map(([cell]) => cell)
    expect(sorted([10, null, 9, 100], false)).toEqual([9, 10, 100, null])
    expect(sorted([10, null, 9, 100], true)).toEqual([100, 10, 9, null])
    expect(sorted(['b10', 'B9', null, 'ä'], false)).toEqual(['ä', 'B9', 'b10', null])
  })
})

test('CSV reads back as it was, and no text of it is a formula', () => {
  const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null), fc.boolean())
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), rows => {
      const read = parseCsv(csvOf({ name: '', columns: ['a', 'b'], rows }), { relax_column_count: false })
      expect(read[0]).toEqual(['a', 'b'])
      rows.flat().forEach((value, i) => {
        const text = read.flat()[i + 2]
        if (typeof value === 'number') expect(text).toBe(String(value))
        else expect(text).toBe(/^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value ?? ''))
      })
    }),
  )
})

describe('charts', () => {
  const table = (columns: string[], rows: Cell[][]) => ({ name: '', columns, rows })

  test('rows that follow time are lines, one for each thing that is told apart', () => {
    const chart = chartOf(
      table(
        ['assets.name', 'date', 'impressions'],
        [
          ['A', '2026-01-01', 1],
          ['A', '2026-01-02', null],
          ['B', '2026-01-02', 3],
        ],
      ),
      'impressions',
    )
    expect(chart).toEqual({
      kind: 'line',
      labels: ['2026-01-01', '2026-01-02'],
      series: [
        { name: 'A', values: [1, null] },
        { name: 'B', values: [null, 3] },
      ],
      left: 0,
    })
  })

  test('a breakdown is bars, named by its narrowest column; a crossing has a bar for each pair', () => {
    const cities = table(
      ['country', 'city', 'impressions'],
      [
        ['DE', 'Berlin', 5],
        ['DE', 'Bonn', 2],
      ],
    )
    expect(chartOf(cities, 'impressions')).toMatchObject({
      kind: 'bar',
      labels: ['Berlin', 'Bonn'],
      series: [{ values: [5, 2] }],
    })
    const crossing = table(
      ['ageBand', 'gender', 'impressions'],
      [
        ['1', 'm', 1],
        ['1', 'f', 2],
        ['2', 'm', 3],
        ['2', 'f', 4],
      ],
    )
    expect(chartOf(crossing, 'impressions')).toMatchObject({
      labels: ['1', '2'],
      series: [
        { name: 'm', values: [1, 3] },
        { name: 'f', values: [2, 4] },
      ],
    })
  })

  test('impressions are shown first; more than can be told apart is left out and counted', () => {
    const many = table(
      ['name', 'share', 'impressions'],
      Array.from({ length: 50 }, (_, i) => [`n${i}`, 0.5, i]),
    )
    expect(measuresOf(many)).toEqual(['impressions', 'share'])
    expect(chartOf(many, 'share')).toMatchObject({ left: 10, labels: { length: 40 } })
  })
})

describe('the call of a fixed route', () => {
  const routes: FixedRoute[] = partnerRoutes

  test.each(partnerRoutes.map(route => [route.operation, route] as const))('%s answers its own query', (_, route) => {
    const values: Record<string, unknown> = {
      id: 'abc',
      from_date: '2026-01-01',
      to_date: '2026-01-02',
      grain: 'day',
      limit: 20,
    }
    const query = new URLSearchParams()
    for (const { name, in: place } of route.parameters)
      if (place === 'query' && name in values) query.set(name, String(values[name]))
    const address = `${route.path.replace('{id}', 'abc')}${query.size > 0 ? `?${query}` : ''}`
    expect(asRest(routes, route.query, values)).toBe(address)
  })

  test('is told for less than it answers, whatever names, fragments and literals are used', () => {
    const path = '/v1/partner/assets/abc/impressions/timeseries?from_date=2026-01-01&to_date=2026-01-02&grain=hour'
    const query = `query X($a: ID = "abc") {
      numbers: impressions(assetId: $a, fromDate: "2026-01-01", toDate: "2026-01-02") { ...Some __typename }
    }
    fragment Some on Impressions { series: timeseries(grain: hour) { ... on ImpressionsSeries { all: total } } }`
    expect(asRest(routes, query)).toBe(path)
    expect(asRest(routes, '{ assets { nodes { id } } }')).toBe('/v1/partner/assets')
    expect(asRest(routes, '{ assets(limit: 7) { nodes { id } } }')).toBe('/v1/partner/assets?limit=7')
    expect(
      asRest(
        routes,
        '{ demographicsAggregate(fromDate: "2026-01-01", toDate: "2026-01-02", assetIds: ["a", "b"]) { total } }',
      ),
    ).toBe('/v1/partner/demographics/aggregate?from_date=2026-01-01&to_date=2026-01-02&asset_ids=a,b')
  })

  test.each([
    ['two questions', '{ meta { version } asset(id: "a") { id } }'],
    [
      'two grains',
      '{ impressions(assetId: "a", fromDate: "2026-01-01", toDate: "2026-01-01") { a: timeseries(grain: day) { total } b: timeseries(grain: week) { total } } }',
    ],
    ['a later page, whose cursor is another one', '{ assets(after: "x") { nodes { id } } }'],
    ['what no route selects', '{ legacyAssets { id } }'],
    ['a missing value', 'query ($id: ID!) { asset(id: $id) { id } }'],
    ['conditions', '{ meta { version @skip(if: true) } }'],
    ['what is not a query yet', '{ meta {'],
  ])('there is none for %s', (_, query) => expect(asRest(routes, query)).toBeUndefined())
})

describe('the shelf', () => {
  const schema = buildSchema(typeDefs)

  test.each(READY_QUERIES.map(ready => [ready.title, ready] as const))(
    '%s fits the vocabulary and its variables',
    (_, ready) => {
      const document = parse(ready.query)
      expect(validate(schema, document)).toEqual([])
      expect(ready.sentence).toMatch(/\.$/)
      const [operation] = document.definitions
      const declared = operation?.kind === 'OperationDefinition' ? operation.variableDefinitions : []
      expect(declared?.map(({ variable }) => print(variable).slice(1)).sort()).toEqual(
        Object.keys(ready.variables?.(SAMPLE) ?? {}).sort(),
      )
    },
  )

  test('starts from an asset with counts, by the minute where there is one', () => {
    const asset = (id: string, finestGrain: string | null, measuredTo: string | null) => ({
      id,
      country: 'DE',
      finestGrain,
      measuredTo,
    })
    expect(
      sampleOf([asset('a', 'minute', null), asset('b', 'hour', '2026-01-05'), asset('c', 'minute', '2026-03-03')]),
    ).toEqual({
      assetId: 'c',
      country: 'DE',
      fromDate: '2026-02-25',
      toDate: '2026-03-03',
    })
    expect(sampleOf([]).assetId).toBe('')
  })
})
