import { parse } from 'graphql'
import { isCompilable } from '../../../rest-gateway/graphql/compilable'

const aliases = (n: number) => Array.from({ length: n }, (_, i) => `a${i}: id`).join(' ')

test('a query is compiled unless it is so large that this would block the event loop', () => {
  expect(isCompilable(parse(`{ asset(id: "x") { ${aliases(100)} } }`))).toBe(true)
  expect(isCompilable(parse(`{ asset(id: "x") { ${aliases(300)} } }`))).toBe(false)
})

test('fragments count wherever they are used', () => {
  const uses = (n: number) => `{ ${Array.from({ length: n }, (_, i) => `b${i}: asset(id: "x") { ...F }`).join(' ')} }`
  const fragments = `fragment F on Asset { ...G ... on Asset { name } } fragment G on Asset { ${aliases(20)} }`
  expect(isCompilable(parse(`${uses(5)} ${fragments}`))).toBe(true)
  expect(isCompilable(parse(`${uses(20)} ${fragments}`))).toBe(false)
})

test.each([
  ['a directive', '{ meta { version @skip(if: false) } }'],
  ['the alias __proto__', '{ __proto__: meta { version } }'],
  ['the variable __proto__', 'query ($__proto__: ID!) { asset(id: $__proto__) { id } }'],
])('a query with %s is not compiled', (_, query) => {
  expect(isCompilable(parse(query))).toBe(false)
})
