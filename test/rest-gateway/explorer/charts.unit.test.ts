import { createChart, findKinds, findMeasures } from '../../../web/explorer/results/chart/charts'
import { findPartialBuckets } from '../../../web/explorer/results/chart/partial-buckets'
import { findArguments } from '../../../web/explorer/results/chart/query-arguments'
import type { Cell } from '../../../web/explorer/results/table/tables'

const table = (columns: string[], rows: Cell[][]) => ({
  name: '',
  columns,
  rows,
  facts: [],
  additive: [],
})

test('a table with a time column becomes a line chart with one series per label', () => {
  const chart = createChart(
    table(
      ['assets.name', 'date', 'impressions'],
      [
        ['A', '2026-01-01', 1],
        ['A', '2026-01-02', null],
        ['B', '2026-01-02', 3],
      ],
    ),
    'impressions',
    'line',
  )
  expect(chart).toEqual({
    kind: 'line',
    labels: ['2026-01-01', '2026-01-02'],
    series: [
      { name: 'A', values: [1, null] },
      { name: 'B', values: [null, 3] },
    ],
    omitted: 0,
  })
})

test('a table without a time column becomes a bar chart, labelled by its last unique column', () => {
  const cities = table(
    ['country', 'city', 'impressions'],
    [
      ['DE', 'Berlin', 5],
      ['DE', 'Bonn', 2],
    ],
  )
  expect(createChart(cities, 'impressions', 'bar')).toMatchObject({
    kind: 'bar',
    labels: ['Berlin', 'Bonn'],
    series: [{ values: [5, 2] }],
  })
})

test('a cross table becomes a bar chart with one series per value of the second column', () => {
  const ages = table(
    ['ageBand', 'gender', 'impressions'],
    [
      ['1', 'm', 1],
      ['1', 'f', 2],
      ['2', 'm', 3],
      ['2', 'f', 4],
    ],
  )
  expect(createChart(ages, 'impressions', 'bar')).toMatchObject({
    labels: ['1', '2'],
    series: [
      { name: 'm', values: [1, 3] },
      { name: 'f', values: [2, 4] },
    ],
  })
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

describe('a bucket is not whole', () => {
  const data = { firstDay: '2026-01-01', lastDay: '2026-11-23' }
  const months = ['2026-09-01', '2026-10-01', '2026-11-01']

  test('if the range ends in it, or the data', () => {
    const november = { '2026-11-01': { from: '2026-11-01', to: '2026-11-23' } }
    expect(Object.fromEntries(findPartialBuckets(months, { toDate: '2026-11-30', grain: 'month' }, data))).toEqual(
      november,
    )
    expect(Object.fromEntries(findPartialBuckets(months, { toDate: '2026-11-23' }, data))).toEqual(november)
    expect(findPartialBuckets(months, { toDate: '2026-10-31', grain: 'month' }, data).size).toBe(1)
    const late = { firstDay: '2026-01-01', lastDay: '2026-12-05' }
    expect(findPartialBuckets(months, { toDate: '2026-11-30', grain: 'month' }, late).size).toBe(0)
  })

  test('if the range begins in it, or the data', () => {
    const weeks = ['2026-03-04', '2026-03-09', '2026-03-16']
    expect(Object.fromEntries(findPartialBuckets(weeks, { toDate: '2026-03-22', grain: 'week' }, data))).toEqual({
      '2026-03-04': { from: '2026-03-04', to: '2026-03-08' },
    })
    const begun = { ...data, firstDay: '2026-09-15' }
    expect([...findPartialBuckets(months, { toDate: '2026-10-31', grain: 'month' }, begun).values()][0]).toEqual({
      from: '2026-09-15',
      to: '2026-09-30',
    })
  })

  test('if it is the day that is not over', () => {
    const days = ['2026-11-22', '2026-11-23', '2026-11-24']
    expect([...findPartialBuckets(days, { toDate: '2026-11-24' }, data).keys()]).toEqual(['2026-11-24'])
    expect(findPartialBuckets(['2026-11-23T22:00:00+01:00', '2026-11-23T23:00:00+01:00'], {}, data).size).toBe(0)
  })
})

test('the range of a list is that of the fields around it', () => {
  const query = `query Q($id: ID!, $from: Date!, $to: Date!) {
    impressions(assetId: $id, fromDate: $from, toDate: $to) { months: timeseries(grain: month) { rows { start } } }
    assets { nodes { impressions(fromDate: "2026-02-01", toDate: $to) { daily { rows { date } } } } }
  }`
  const variables = { id: 'a', from: '2026-01-01', to: '2026-03-31' }
  expect(findArguments(query, variables, 'impressions.months')).toEqual({
    assetId: 'a',
    fromDate: '2026-01-01',
    toDate: '2026-03-31',
    grain: 'month',
  })
  expect(findArguments(query, variables, 'assets.impressions.daily')).toEqual({
    fromDate: '2026-02-01',
    toDate: '2026-03-31',
  })
  expect(findArguments('{', {}, 'assets')).toEqual({})
})

test('weekdays without hours become bars with their names, and one group of bars per group of assets', () => {
  const weekdays = table(
    ['weekday', 'format', 'averageDailyImpressions'],
    [
      [1, 'billboard', 10],
      [1, 'transit', 20],
      [7, 'billboard', 30],
      [7, 'transit', null],
    ],
  )
  expect(findMeasures(weekdays)).toEqual(['averageDailyImpressions'])
  expect(findKinds(weekdays)).toEqual(['bar'])
  expect(createChart(weekdays, 'averageDailyImpressions', 'bar')).toEqual({
    kind: 'bar',
    labels: ['Mon', 'Sun'],
    series: [
      { name: 'billboard', values: [10, 30] },
      { name: 'transit', values: [20, null] },
    ],
    omitted: 0,
  })
})
