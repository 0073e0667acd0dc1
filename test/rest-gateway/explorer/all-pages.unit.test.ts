import { buildSchema, parse, validate } from 'graphql'
import { typeDefs } from '../../../schema/executable-schema'
import { CURSOR, findPagedQuery, type PagedQuery, readAllPages } from '../../../web/explorer/results/pages/all-pages'

const QUERY = `query Q($country: String!, $from: Date!, $to: Date!) {
  meta { version }
  some: assets(limit: 2, filter: { country: [$country] }) {
    nodes { id name }
    hasMore
    impressions(fromDate: $from, toDate: $to) { total }
  }
}`

const page = (ids: string[], hasMore: boolean) => ({ nodes: ids.map(id => ({ id })), hasMore })

test('reads page after page, and keeps what is beside the list', async () => {
  const data = { meta: { version: 'v1' }, some: { ...page(['a', 'b'], true), impressions: { total: 1 } } }
  const paged = findPagedQuery(QUERY, data) as PagedQuery
  expect(validate(buildSchema(typeDefs), parse(paged.query))).toEqual([])
  expect(paged.query).toContain(`after: $${CURSOR}`)
  expect(paged.query).not.toContain('impressions')
  const cursors: unknown[] = []
  const read = async (_: string, cursor: unknown) => {
    cursors.push(cursor)
    const isFirst = cursor === null
    return { some: { ...page(isFirst ? ['a', 'b'] : ['c'], isFirst), position: isFirst ? 'b' : 'c' } }
  }
  const counts: number[] = []
  const complete = await readAllPages(paged, data, read, count => counts.push(count))
  expect(complete).toEqual({ ...data, some: { ...page(['a', 'b', 'c'], false), impressions: { total: 1 } } })
  expect([cursors, counts]).toEqual([
    [null, 'b'],
    [2, 3],
  ])
})

test.each([
  ['the last page', QUERY, { some: page(['a'], false) }],
  ['a list without pages', '{ vendors { id } }', { vendors: [{ id: 'a' }] }],
  ['a query with fragments', `${QUERY} fragment F on Asset { id }`, { some: page(['a'], true) }],
  ['a query that is no longer the one of the result', '{ meta {', { some: page(['a'], true) }],
])('there is nothing to read for %s', (_, query, data) => expect(findPagedQuery(query, data)).toBeUndefined())
