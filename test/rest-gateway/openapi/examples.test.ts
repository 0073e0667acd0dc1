/**
 * Compares the recorded examples of the documentation with real responses on the demo data.
 * `EXAMPLES=write npx jest openapi/examples` records them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cursor } from '../../../rest-gateway/read/params'
import type { RouteRecord } from '../../../rest-gateway/record'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import { type DemoService, startDemoAt } from '../../support/demo'
import type { World } from '../../support/world'

const NOW = Date.parse('2026-11-01T12:00:00Z')
const DAYS = 30
/** Longer lists are cut. */
const MAX_ROWS = 3

const file = join(__dirname, '..', '..', '..', 'rest-gateway', 'openapi', 'examples.json')

let world: World
let keyOf: DemoService['keyOf']

beforeAll(async () => {
  ;({ service: world, keyOf } = await startDemoAt(NOW, DAYS, { cursorSecret: Buffer.alloc(32), quota: 600 }))
  await world.owner.query(
    `UPDATE assets SET created_at = '2025-03-01T09:00:00Z', updated_at = '2026-06-01T09:00:00Z';
    UPDATE sensors SET updated_at = '2026-06-01T09:00:00Z'; UPDATE notes SET updated_at = '2026-10-02T09:00:00Z';
    UPDATE changes SET commit_number = 1; UPDATE transactions SET committed_at = '2026-10-26T04:00:00Z' WHERE commit_number = 1;
    UPDATE set_asides SET created_at = '2026-10-24T09:00:00Z'`,
  )
}, 120_000)
afterAll(() => world.stop())

/** Returns the URL of a route with the examples of its required parameters and of `limit`. */
function urlOf({ path, parameters }: RouteRecord): string {
  const sent = parameters.filter(({ required, name }) => required || name === 'limit')
  const query = sent.flatMap(({ name, in: location, example }) => (location === 'query' ? [`${name}=${example}`] : []))
  const filled = sent.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

/** Returns a body with long lists cut. */
function cut(body: unknown): unknown {
  if (Array.isArray(body)) return body.slice(0, MAX_ROWS).map(cut)
  if (body === null || typeof body !== 'object') return body
  const entries = Object.entries(body)
  const isMap = entries.every(([name]) => /^\d+$/.test(name))
  return Object.fromEntries((isMap ? entries.slice(0, MAX_ROWS) : entries).map(([name, each]) => [name, cut(each)]))
}

async function recordResponses(): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {}
  for (const route of [...partnerRoutes, ...legacyRoutes]) {
    const body = await world.read(urlOf(route), keyOf(route.scope ? 'legacy' : 'partner'))
    // It contains numbers of transactions, which are others in each database.
    if (route.operation === 'ListChanges') body.pagination.cursor = cursor.example
    // When the demo was loaded.
    for (const row of route.operation === 'ListRestatements' ? body.data : []) row.restated_at = '2026-11-01T12:00:00Z'
    for (const row of route.operation === 'ListNotes' ? body.data : [])
      if (row.id.startsWith('r')) row.updated_at = '2026-11-01T12:00:00Z'
    responses[route.operation] = cut(body)
  }
  return responses
}

test('the recorded examples equal the responses on the demo data', async () => {
  const examples = await recordResponses()
  if (process.env.EXAMPLES === 'write') writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`)
  expect(examples).toEqual(JSON.parse(readFileSync(file, 'utf8')))
})

test('the examples of parameters are valid on the demo data', async () => {
  const { pagination } = await world.read('/v1/partner/assets?limit=2', keyOf('partner'))
  expect(pagination.cursor).toBe(cursor.example)
  const aggregate = partnerRoutes.find(({ operation }) => operation === 'ReadAggregateDemographics') as RouteRecord
  const all = aggregate.parameters.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`).join('&')
  expect(await world.read(`${aggregate.path}?${all}`, keyOf('partner'))).toMatchObject({
    asset_count: 2,
  })
})
