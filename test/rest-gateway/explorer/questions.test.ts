/** The questions of the explorer on the demo data, without a browser. */
import { QUESTIONS } from '../../../web/explorer/questions'
import { findMeasured, type Scope, type ScopeAsset } from '../../../web/explorer/request'
import { readLists } from '../../../web/explorer/rows'
import { firstVariables } from '../../../web/explorer/variables'
import { type DemoService, startDemo } from '../../support/demo'

let demo: DemoService
let scope: Scope

beforeAll(async () => {
  demo = await startDemo()
  const { assets } = await read(
    '{ assets(limit: 500) { nodes { id name city country finestGrain measuredFrom measuredTo } } }',
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
    const names = [show.rows].flat()
    for (const name of names) expect([...lists.keys()]).toContain(name)
    const [row] = names.flatMap(name => lists.get(name) ?? [])
    expect(row).toBeDefined()
    for (const column of [show.x, show.y, show.color]) if (column) expect(Object.keys(row!)).toContain(column)
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

test('a question begins with an asset that has the newest data, by the minute if possible, and the city with most assets', () => {
  const made: [id: string, more: Partial<ScopeAsset>][] = [
    ['a', { measuredTo: null }],
    ['b', { measuredTo: '2026-02-01' }],
    ['c', { finestGrain: 'hour', city: 'Bonn' }],
    ['d', { city: 'Köln' }],
    ['e', { city: 'Bonn' }],
  ]
  const measured = { measuredFrom: '2025-01-01', measuredTo: '2026-03-03' }
  const common = { city: null, country: 'DE', finestGrain: 'minute', ...measured } as const
  const assets = made.map(([id, more]): ScopeAsset => ({ id, name: id, ...common, ...more }))
  const first = (id: string) =>
    firstVariables(QUESTIONS.find(question => question.id === id)!, {
      ...{ companies: [], assets, measured: findMeasured(assets, '2026-06-01') },
    })
  expect(first('typical-week')).toEqual({ asset: 'd', from: '2026-02-02', to: '2026-03-01' })
  expect(first('typical-week-of-city')).toMatchObject({ city: 'Bonn' })
  const weeks = { from: '2026-02-23', to: '2026-03-01', before: '2026-02-16', until: '2026-02-22' }
  expect(first('changed-most')).toEqual({ gained: false, by: 'change_rate', ...weeks })
})
