import { buildSchema, type GraphQLObjectType, Kind, parse } from 'graphql'
import { nodeJson } from '../../../resolvers/json/node-json'

const schema = buildSchema(`
  type Asset { id: ID! name: String floors: [Int!] center: Point sensors: [Sensor!] status: Status }
  type Point { latitude: Float! longitude: Float! }
  type Sensor { serial: String! at: Point }
  enum Status { active inactive }
  type Query { asset: Asset }
`)

function writerOf(text: string) {
  const document = parse(text)
  const [selection, ...fragments] = document.definitions.map(definition => {
    if (definition.kind === Kind.OPERATION_DEFINITION) return definition
    if (definition.kind === Kind.FRAGMENT_DEFINITION) return definition
    throw new Error('not executable')
  })
  const byName = Object.fromEntries(
    fragments.flatMap(node => (node?.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )
  return nodeJson(byName, selection?.selectionSet, schema.getType('Asset') as GraphQLObjectType)
}

test('a node is written with the selected fields, in their order and under their aliases', () => {
  const write = writerOf(`
    { key: id ...Place sensors { serial ...Location } status }
    fragment Place on Asset { center { longitude latitude } }
    fragment Location on Sensor { at { latitude } }
  `)
  const node = {
    status: 'active',
    sensors: [
      { serial: '1', at: { latitude: 3, longitude: 4 } },
      { serial: '2', at: null },
    ],
    center: { latitude: 1.5, longitude: -2 },
    id: 'a',
    name: 'not selected',
  }
  expect(write(node)).toBe(
    '{"key":"a","center":{"longitude":-2,"latitude":1.5},"sensors":[{"serial":"1","at":{"latitude":3}},{"serial":"2","at":null}],"status":"active"}',
  )
})

test('missing values are null', () => {
  const write = writerOf('{ name floors center { latitude } sensors { serial } }')
  expect(write({ name: undefined, floors: null })).toBe('{"name":null,"floors":null,"center":null,"sensors":null}')
})

test.each(['{ id @skip(if: false) }', '{ ... on Asset { id } }', '{ __typename }'])(
  '%s is not a selection of plain properties',
  text => {
    expect(() => writerOf(text)).toThrow('more than plain properties')
  },
)
