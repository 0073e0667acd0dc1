import { buildSchema, parse, print, validate } from 'graphql'
import { typeDefs } from '../../../schema/executable-schema'
import { monthToDate } from '../../../web/explorer/queries/analyst-queries'
import { chooseDefaults, type MeasuredAsset, type QueryDefaults } from '../../../web/explorer/queries/query-defaults'
import { READY_QUERIES } from '../../../web/explorer/queries/ready-queries'

const DEFAULTS: QueryDefaults = {
  assetId: 'abc',
  assetIds: ['abc', 'abd'],
  country: 'DE',
  cities: ['Berlin', 'Bonn'],
  fromDate: '2026-01-05',
  toDate: '2026-01-11',
  firstDay: '2025-01-01',
  lastDay: '2026-01-13',
}

const schema = buildSchema(typeDefs)

test.each(READY_QUERIES.map(ready => [ready.title, ready] as const))(
  'the ready query “%s” is valid and has a value for each variable',
  (_, ready) => {
    const document = parse(ready.query)
    expect(validate(schema, document)).toEqual([])
    expect(ready.description).toMatch(/\.$/)
    const [operation] = document.definitions
    const declared = operation?.kind === 'OperationDefinition' ? operation.variableDefinitions : []
    expect(declared?.map(({ variable }) => print(variable).slice(1)).sort()).toEqual(
      Object.keys(ready.variables?.(DEFAULTS) ?? {}).sort(),
    )
  },
)

const asset = (id: string, more: Partial<MeasuredAsset> = {}): MeasuredAsset => ({
  id,
  country: 'DE',
  city: null,
  finestGrain: 'minute',
  measuredFrom: '2025-01-01',
  measuredTo: '2026-03-03',
  ...more,
})

test('the default asset has counts, by the minute if possible, in the country with the most such assets', () => {
  const assets = [
    asset('a', { measuredTo: null }),
    asset('b', { finestGrain: 'hour' }),
    asset('c', { city: 'Köln' }),
    asset('d', { city: 'Bonn' }),
    asset('e', { city: 'Bonn' }),
    asset('f', { country: 'GB' }),
  ]
  expect(chooseDefaults(assets, '2026-06-01')).toMatchObject({ assetId: 'c', country: 'DE', cities: ['Bonn', 'Köln'] })
  expect(chooseDefaults([]).assetId).toBe('')
})

test('ready queries start on the last whole week with data, without the day that is not over', () => {
  const dates = (more: Partial<MeasuredAsset>, today: string) => {
    const { fromDate, toDate, lastDay } = chooseDefaults([asset('a', more)], today)
    return [fromDate, toDate, lastDay]
  }
  expect(dates({ measuredTo: '2026-03-03' }, '2026-06-01')).toEqual(['2026-02-23', '2026-03-01', '2026-03-03'])
  // A Sunday that is not over.
  expect(dates({ measuredTo: '2026-03-08' }, '2026-03-08')).toEqual(['2026-02-23', '2026-03-01', '2026-03-07'])
  expect(dates({ measuredTo: '2026-03-08' }, '2026-03-09')).toEqual(['2026-03-02', '2026-03-08', '2026-03-08'])
  expect(dates({ measuredFrom: '2026-02-27' }, '2026-06-01')).toEqual(['2026-02-25', '2026-03-03', '2026-03-03'])
})

test('the month to date is compared with the same days of the month before', () => {
  const days = (day: string) => Object.values(monthToDate(day))
  expect(days('2026-03-17')).toEqual(['2026-03-01', '2026-03-17', '2026-02-01', '2026-02-17'])
  expect(days('2026-03-31')).toEqual(['2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'])
  expect(days('2026-01-01')).toEqual(['2026-01-01', '2026-01-01', '2025-12-01', '2025-12-01'])
})
