/** The questions of the explorer on the demo data, without a browser. */

import { FILTERS, type FilterName } from '../../../web/explorer/form/filters'
import { firstVariables } from '../../../web/explorer/form/variables'
import { QUESTIONS } from '../../../web/explorer/questions'
import { findMeasured, type Scope } from '../../../web/explorer/request'
import { readLists } from '../../../web/explorer/result/rows'
import { type DemoService, startDemo } from '../../support/demo'

let demo: DemoService
let scope: Scope

beforeAll(async () => {
  demo = await startDemo()
  const { assets } = await read(
    '{ assets(limit: 500) { nodes { id name country region city format mediaType status finestGrain measuredFrom measuredTo } } }',
  )
  const today = new Date().toISOString().slice(0, 10)
  scope = { companies: [], assets: assets.nodes, measured: findMeasured(assets.nodes, today) }
})
afterAll(() => demo.service.stop())

async function read(query: string, variables: object = {}) {
  const { body } = await demo.service.get('/graphql', {
    key: demo.keyOf('analyst'),
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  expect(body.errors).toBeUndefined()
  return body.data
}

test.each(QUESTIONS.map(question => [question.title, question] as const))(
  '“%s” is answered with rows that have the columns which are shown',
  async (_, question) => {
    const { query, text, show } = question
    expect(text).toMatch(/\.$/)
    const { lists } = readLists(await read(query, firstVariables(question, scope)), new Map())
    const [row] = lists.get(show.rows) ?? []
    expect(lists.get(show.beside ?? show.rows)).toBeDefined()
    expect(row).toBeDefined()
    for (const column of [show.x, show.y, show.beside ? undefined : show.color])
      if (column) expect(Object.keys(row!)).toContain(column)
    expect(show.kind === 'table' || show.unit !== undefined).toBe(true)
  },
)

test('every value of every choice is accepted', async () => {
  for (const question of QUESTIONS)
    for (const field of question.fields)
      if (typeof field === 'object' && 'variable' in field)
        for (const value of Object.values(field.values)) {
          const variables = { ...firstVariables(question, scope), [field.variable]: value }
          // A minute is a grain of few days.
          await read(question.query, { ...variables, ...('from' in variables && { from: variables.to }) })
        }
})

test('every question has every filter, by which its answer is narrowed or its assets are chosen', async () => {
  for (const question of QUESTIONS) {
    if (question.fields.includes('asset')) continue
    const filter = Object.fromEntries(Object.keys(FILTERS).map(name => [name, [scope.assets[0]![name as FilterName]]]))
    const answer = await read(question.query, { ...firstVariables(question, scope), filter })
    expect(Object.values(answer)).not.toContain(null)
  }
})

test('a question about one asset begins with an asset of the filter that the question before had', () => {
  for (const question of QUESTIONS.filter(({ fields }) => fields.includes('asset')))
    for (const { city } of scope.assets) {
      const { asset } = firstVariables(question, scope, { filter: { city: [city] } })
      expect(scope.assets.find(({ id }) => id === asset)?.city).toBe(city)
    }
})
