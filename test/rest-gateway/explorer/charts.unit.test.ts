import { arrangeWeek, createChart, findMeasures } from '../../../rest-gateway/explorer/browser/results/chart/charts'
import type { Cell } from '../../../rest-gateway/explorer/browser/results/table/tables'

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
  expect(createChart(cities, 'impressions')).toMatchObject({
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
  expect(createChart(ages, 'impressions')).toMatchObject({
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
  expect(createChart(many, 'share')).toMatchObject({ omitted: 10, labels: { length: 40 } })
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
  const week = arrangeWeek(profile, 'averageImpressions')
  expect(week.map(day => day.length)).toEqual(Array(7).fill(24))
  expect([week[0]?.[0], week[6]?.[22], week[6]?.[23], week[3]?.[12]]).toEqual([12.5, 0, null, null])
})
