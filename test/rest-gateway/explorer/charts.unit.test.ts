import { createChart, findKinds, findMeasures } from '../../../web/explorer/results/chart/charts'
import { findPartialBuckets } from '../../../web/explorer/results/chart/partial-buckets'
import { findArguments } from '../../../web/explorer/results/chart/query-arguments'
import type { Cell } from '../../../web/explorer/results/table/tables'

const table = (columns: string[], rows: Cell[][]) => ({ name: '', columns, rows, facts: [], additive: [] })

test.each([
  [
    'a time column becomes lines, one per label',
    'line',
    table(
      ['assets.name', 'date', 'impressions'],
      [
        ['A', '2026-01-01', 1],
        ['A', '2026-01-02', null],
        ['B', '2026-01-02', 3],
      ],
    ),
    {
      labels: ['2026-01-01', '2026-01-02'],
      series: [
        { name: 'A', values: [1, null] },
        { name: 'B', values: [null, 3] },
      ],
    },
  ],
  [
    'places becomes bars, labelled by the last unique column',
    'bar',
    table(
      ['country', 'city', 'impressions'],
      [
        ['DE', 'Berlin', 5],
        ['DE', 'Bonn', 2],
      ],
    ),
    { labels: ['Berlin', 'Bonn'], series: [{ values: [5, 2] }] },
  ],
  [
    'weekdays and groups becomes groups of bars',
    'bar',
    table(
      ['weekday', 'format', 'impressions'],
      [
        [1, 'billboard', 10],
        [1, 'transit', 20],
        [7, 'billboard', 30],
        [7, 'transit', null],
      ],
    ),
    {
      labels: ['Mon', 'Sun'],
      series: [
        { name: 'billboard', values: [10, 30] },
        { name: 'transit', values: [20, null] },
      ],
    },
  ],
] as const)('a table of %s', (_, kind, rows, chart) => {
  expect(findKinds(rows)[0]).toBe(kind)
  expect(createChart(rows, 'impressions', kind)).toMatchObject({ kind, omitted: 0, ...chart })
})

test('impressions are the first measure, and bars beyond the maximum are omitted', () => {
  const many = table(
    ['name', 'share', 'impressions'],
    Array.from({ length: 50 }, (_, i) => [`n${i}`, 0.5, i]),
  )
  expect(findMeasures(many)).toEqual(['impressions', 'share'])
  expect(createChart(many, 'share', 'bar')).toMatchObject({ omitted: 10, labels: { length: 40 } })
})

test('hours of the week become a heat map of the other numeric columns, with gaps where there is no data', () => {
  const profile = table(
    ['weekday', 'hour', 'hoursObserved', 'averageImpressions'],
    [
      [1, 0, 4, 12.5],
      [7, 23, 0, null],
      [7, 22, 1, 0],
    ],
  )
  expect(findMeasures(profile)).toEqual(['averageImpressions', 'hoursObserved'])
  expect(findKinds(profile)).toEqual(['matrix'])
  const { labels, series } = createChart(profile, 'averageImpressions', 'matrix')
  expect([labels.length, series.length]).toEqual([7, 24])
  expect(series[0]).toEqual({ name: '00:00', values: [12.5, null, null, null, null, null, null] })
  expect([series[22]?.values[6], series[23]?.values[6]]).toEqual([0, null])
})

test('more series than lines can be told apart become a matrix, what lacks most data first', () => {
  const rows = Array.from({ length: 12 }, (_, i): Cell[][] => [
    [`n${i}`, '2026-01-01', i === 7 ? null : 1],
    [`n${i}`, '2026-01-02', 1],
  ]).flat()
  const days = table(['name', 'date', 'impressions'], rows)
  expect(findKinds(days)).toEqual(['matrix', 'line'])
  expect(createChart(days, 'impressions', 'matrix').series[0]).toEqual({ name: 'n7', values: [null, 1] })
  expect(findKinds(table(['impressions'], [[1]]))).toEqual([])
})

const MONTHS = ['2026-09-01', '2026-10-01', '2026-11-01']
const DATA = { firstDay: '2026-01-01', lastDay: '2026-11-23' }

test.each([
  ['the range ends in it', MONTHS, { toDate: '2026-11-23' }, DATA, ['2026-11-01 to 2026-11-23']],
  ['the data end in it', MONTHS, { toDate: '2026-11-30', grain: 'month' }, DATA, ['2026-11-01 to 2026-11-23']],
  [
    'the range ends before its label',
    MONTHS,
    { toDate: '2026-10-31', grain: 'month' },
    DATA,
    ['2026-11-01 to 2026-11-01'],
  ],
  [
    'the range begins in it',
    ['2026-03-04', '2026-03-09', '2026-03-16'],
    { toDate: '2026-03-22', grain: 'week' },
    DATA,
    ['2026-03-04 to 2026-03-08'],
  ],
  [
    'the data begin in it',
    MONTHS.slice(0, 2),
    { toDate: '2026-10-31', grain: 'month' },
    { ...DATA, firstDay: '2026-09-15' },
    ['2026-09-15 to 2026-09-30'],
  ],
  [
    'it is the day that is not over',
    ['2026-11-23', '2026-11-24'],
    { toDate: '2026-11-24' },
    DATA,
    ['2026-11-24 to 2026-11-24'],
  ],
  ['no data are missing', MONTHS, { toDate: '2026-11-30', grain: 'month' }, { ...DATA, lastDay: '2026-12-05' }, []],
  ['hours', ['2026-11-23T22:00:00+01:00', '2026-11-23T23:00:00+01:00'], {}, DATA, []],
])('buckets that are not whole: %s', (_, labels, query, data, expected) => {
  const found = [...findPartialBuckets(labels, query, data).values()]
  expect(found.map(({ from, to }) => `${from} to ${to}`)).toEqual(expected)
})

test('the range of a list is that of the fields around it', () => {
  const query = `query Q($id: ID!, $from: Date!, $to: Date!) {
    impressions(assetId: $id, fromDate: $from, toDate: $to) { months: timeseries(grain: month) { rows { start } } }
    assets { nodes { impressions(fromDate: "2026-02-01", toDate: $to) { daily { rows { date } } } } }
  }`
  const variables = { id: 'a', from: '2026-01-01', to: '2026-03-31' }
  const range = { fromDate: '2026-01-01', toDate: '2026-03-31' }
  expect(findArguments(query, variables, 'impressions.months')).toEqual({ assetId: 'a', ...range, grain: 'month' })
  expect(findArguments(query, variables, 'assets.impressions.daily')).toEqual({ ...range, fromDate: '2026-02-01' })
  expect(findArguments('{', {}, 'assets')).toEqual({})
})
