import { buildSchema, parse, print, validate } from 'graphql'
import { chooseDefaults } from '../../../rest-gateway/explorer/browser/queries/query-defaults'
import { READY_QUERIES } from '../../../rest-gateway/explorer/browser/queries/ready-queries'
import { typeDefs } from '../../../schema/sdl'

const DEFAULTS = { assetId: 'abc', country: 'DE', fromDate: '2026-01-01', toDate: '2026-01-07' }

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

test('the default asset has counts, by the minute if possible', () => {
  const asset = (id: string, finestGrain: string | null, measuredTo: string | null) => ({
    id,
    country: 'DE',
    finestGrain,
    measuredTo,
  })
  expect(
    chooseDefaults([asset('a', 'minute', null), asset('b', 'hour', '2026-01-05'), asset('c', 'minute', '2026-03-03')]),
  ).toEqual({
    assetId: 'c',
    country: 'DE',
    fromDate: '2026-02-25',
    toDate: '2026-03-03',
  })
  expect(chooseDefaults([]).assetId).toBe('')
})
