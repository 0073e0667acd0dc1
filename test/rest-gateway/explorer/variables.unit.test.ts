import { buildSchema } from 'graphql'
import { typeDefs } from '../../../schema/executable-schema'
import { listPresets } from '../../../web/explorer/variables/date-presets'
import { describeVariables } from '../../../web/explorer/variables/describe-variables'

const schema = buildSchema(typeDefs)

test('a variable is described by its type and its use', () => {
  const query = `query Q(
    $id: ID!, $ids: [ID!], $company: ID!, $countries: [String!], $city: String, $text: String, $from: Date!, $to: Date!,
    $grain: Grain! = day, $formats: [AssetFormat!], $own: Boolean, $limit: Int = 20, $box: BoundingBox, $sensor: ID
  ) {
    asset(id: $id) { impressions(fromDate: $from, toDate: $to) { timeseries(grain: $grain) { total } } }
    assets(limit: $limit, filter: {
      id: $ids, companyId: [$company], country: $countries, city: [$city], nameContains: $text, format: $formats,
      hasOwnSensor: $own, box: $box
    }) { count }
    sensors(after: $sensor) { hasMore }
  }`
  const described = describeVariables(schema, query)?.map(({ name, kind, isList, isRequired }) => [
    name,
    `${isList ? 'list of ' : ''}${kind}${isRequired ? ', required' : ''}`,
  ])
  expect(Object.fromEntries(described ?? [])).toEqual({
    id: 'asset, required',
    ids: 'list of asset',
    company: 'company, required',
    countries: 'list of country',
    city: 'city',
    text: 'text',
    from: 'date, required',
    to: 'date, required',
    grain: 'enum',
    formats: 'list of enum',
    own: 'boolean',
    limit: 'number',
    box: 'json',
    sensor: 'text',
  })
  const [, , , , , , from, , grain] = describeVariables(schema, query) ?? []
  expect(from?.usedAs).toBe('fromDate')
  expect([grain?.defaultValue, grain?.values[0]]).toEqual(['day', 'minute'])
})

test('a query that is being written has no description, one without variables an empty one', () => {
  expect(describeVariables(schema, 'query Q($id: ID!')).toBeUndefined()
  expect(describeVariables(schema, '{ meta { version } }')).toEqual([])
})

test('ranges end with the last day with data, or the last whole week or month', () => {
  expect(listPresets('2026-03-03')).toMatchObject({
    'Last 7 days': { from: '2026-02-25', to: '2026-03-03' },
    'Last whole week': { from: '2026-02-23', to: '2026-03-01' },
    'Last whole month': { from: '2026-02-01', to: '2026-02-28' },
    'Last 3 whole months': { from: '2025-12-01', to: '2026-02-28' },
  })
  expect(listPresets('2026-02-28')['Last whole month']).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  expect(listPresets('2026-01-31')['Last 12 whole months']).toEqual({ from: '2025-02-01', to: '2026-01-31' })
})
