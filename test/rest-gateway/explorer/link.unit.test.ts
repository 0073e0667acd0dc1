import fc from 'fast-check'
import { formatLink, parseLink } from '../../../web/explorer/editor/link'
import { VIEWS } from '../../../web/explorer/results/views'

test('a link is read as it was written', () => {
  const link = fc.record({
    query: fc.string({ unit: 'grapheme' }),
    variables: fc.json(),
    view: fc.constantFrom(undefined, ...VIEWS),
  })
  fc.assert(fc.property(link, value => expect(parseLink(formatLink(value))).toEqual(value)))
})

test('a link of the documentation has only a query, and an address without a query is no link', () => {
  expect(parseLink(`#query=${encodeURIComponent('{ meta { version } }')}`)).toEqual({
    query: '{ meta { version } }',
    variables: '',
    view: undefined,
  })
  expect(parseLink('')).toBeUndefined()
  expect(parseLink('#reference')).toBeUndefined()
})
