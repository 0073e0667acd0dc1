/**
 * Compares the recorded examples of the documentation with real responses on the demo data.
 * `EXAMPLES=write npx jest openapi/examples` records them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { partnerRoutes } from '../../../rest-gateway/all-routes'
import type { Example, Examples } from '../../../rest-gateway/docs/examples'
import { legacyCode } from '../../../rest-gateway/middleware/error-handler'
import { assetId, cursor, fromDate, toDate } from '../../../rest-gateway/read/params'
import type { RouteRecord } from '../../../rest-gateway/record'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import { ERRORS, type ErrorCode } from '../../../schema/errors'
import { type DemoService, startDemoAt } from '../../support/demo'
import type { RequestOptions } from '../../support/http'
import type { World } from '../../support/world'

const NOW = Date.parse('2026-11-01T12:00:00Z')
const DAYS = 30
/** Longer lists are cut. */
const MAX_ROWS = 3

const file = join(__dirname, '..', '..', '..', 'rest-gateway', 'docs', 'examples.json')

let world: World
let keyOf: DemoService['keyOf']

beforeAll(async () => {
  ;({ service: world, keyOf } = await startDemoAt(NOW, DAYS, { cursorSecret: Buffer.alloc(32), quota: 600 }))
  await world.owner.query(
    `UPDATE assets SET created_at = '2025-03-01T09:00:00Z', updated_at = '2026-06-01T09:00:00Z';
    UPDATE sensors SET updated_at = '2026-06-01T09:00:00Z'; UPDATE notes SET updated_at = '2026-10-02T09:00:00Z';
    UPDATE changes SET number = to_microseconds('2026-10-26T04:00:00Z');
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

/** Returns an example of a body with long lists cut. */
function cut(body: unknown): Example {
  let isCut = false
  const shorten = <Item>(list: Item[]): Item[] => {
    if (list.length > MAX_ROWS) isCut = true
    return list.slice(0, MAX_ROWS)
  }
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return shorten(value).map(walk)
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value)
    const isMap = entries.every(([name]) => /^\d+$/.test(name))
    return Object.fromEntries((isMap ? shorten(entries) : entries).map(([name, each]) => [name, walk(each)]))
  }
  const value = walk(body)
  return { summary: isCut ? `From the demo data; lists are cut after ${MAX_ROWS} rows` : 'From the demo data', value }
}

async function recordResponses(): Promise<Examples['responses']> {
  const kindsOf = ({ operation, scope }: RouteRecord): Parameters<typeof keyOf>[0][] =>
    scope ? ['legacy'] : operation === 'LegacyListAssets' ? ['partner', 'reseller'] : ['partner']
  const responses: Examples['responses'] = {}
  for (const route of [...partnerRoutes, ...legacyRoutes]) {
    const examples: Record<string, Example> = {}
    for (const kind of kindsOf(route)) {
      const body = await world.read(urlOf(route), keyOf(kind))
      // It contains numbers of transactions, which are others in each database.
      if (route.operation === 'ListChanges') body.pagination.cursor = cursor.example
      // When the demo was loaded.
      if (route.operation === 'ListRestatements') {
        for (const row of body.data) row.restated_at = '2026-11-01T12:00:00Z'
      }
      if (route.operation === 'ListNotes') {
        for (const row of body.data) if (row.id.startsWith('r')) row.updated_at = '2026-11-01T12:00:00Z'
      }
      examples[kind] = cut(body)
    }
    responses[route.operation] = examples
  }
  return responses
}

const partner = '/v1/partner/assets'
const range = `from_date=${fromDate.example}&to_date=${toDate.example}`
const daily = `${partner}/${assetId.example}/impressions/daily`
/** An asset whose sensor counts quarter hours. */
const QUARTER_HOUR_ASSET = 'Hermannplatz Süd'

const requests: Partial<Record<ErrorCode, [path: string, options?: RequestOptions]>> = {
  MISSING_API_KEY: [partner, { headers: {} }],
  INVALID_API_KEY: [partner, { key: 'msk_test_mistyped' }],
  WRONG_ENVIRONMENT: [partner, { key: 'msk_live_anything' }],
  NOT_FOUND: [`${partner}/unknown0`],
  METHOD_NOT_ALLOWED: [partner, { method: 'POST' }],
  REQUIRED_PARAMETER: [`${daily}?to_date=${toDate.example}`],
  INVALID_DATE: [`${daily}?from_date=2026-02-30&to_date=${toDate.example}`],
  INVALID_DATE_RANGE: [`${daily}?from_date=${toDate.example}&to_date=${fromDate.example}`],
  INVALID_PARAMETER: [`${partner}?limit=501`],
  INVALID_CURSOR: [`${partner}?cursor=made-up`],
  RANGE_TOO_LARGE: [`${daily}?from_date=2016-01-01&to_date=${toDate.example}`],
  BAD_REQUEST: [`${partner}/%zz`],
  URI_TOO_LONG: [`${partner}?${'x'.repeat(9000)}`],
}

const legacy = '/v1/metrics/assets'

const legacyRequests: Partial<Record<ErrorCode, [path: string, options?: RequestOptions]>> = {
  MISSING_API_KEY: [legacy, { headers: {} }],
  INSUFFICIENT_SCOPE: [`${legacy}/legacy-ids`],
  NOT_FOUND: [`${legacy}/1?start=2026-10-23&end=2026-10-25`],
  METHOD_NOT_ALLOWED: [legacy, { method: 'POST' }],
  REQUIRED_PARAMETER: [`${legacy}/9100101?end=2026-10-25`],
  INVALID_DATE: [`${legacy}/9100101?start=2026-02-30&end=2026-10-25`],
  INVALID_DATE_RANGE: [`${legacy}/9100101?start=2026-10-25&end=2026-10-23`],
  INVALID_PARAMETER: [`${legacy}/9100101/per-minute?date=2026-10-23&date=2026-10-25`],
}

async function recordErrors(
  table: typeof requests,
  nameOf: (code: ErrorCode) => string,
): Promise<Record<string, unknown>> {
  const errors: Record<string, unknown> = {}
  for (const [code, [path, options]] of Object.entries(table)) {
    const { status, body } = await world.get(path, options ?? { key: keyOf('partner') })
    expect([code, status]).toEqual([code, ERRORS[code as ErrorCode].status])
    const name = nameOf(code as ErrorCode)
    expect(body.error.code ?? body.code).toBe(name)
    errors[name] = body
  }
  return errors
}

async function record(): Promise<Examples> {
  const list = (await world.read(`${partner}?limit=500`, keyOf('partner'))).data as Record<string, string>[]
  const { id } = list.find(({ name }) => name === QUARTER_HOUR_ASSET) as { id: string }
  requests.NOT_ACCEPTABLE = [`${partner}/${id}`, { key: keyOf('partner'), headers: { accept: 'text/csv' } }]
  requests.GRAIN_NOT_AVAILABLE = [`${partner}/${id}/impressions/timeseries?grain=minute&${range}`]
  return {
    responses: await recordResponses(),
    errors: await recordErrors(requests, code => code),
    legacyErrors: await recordErrors(legacyRequests, legacyCode),
  }
}

test('the recorded examples equal the responses on the demo data', async () => {
  const examples = await record()
  if (process.env.EXAMPLES === 'write') writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`)
  expect(examples).toEqual(JSON.parse(readFileSync(file, 'utf8')))
})

test('the examples of parameters are valid on the demo data', async () => {
  const { pagination } = await world.read(`${partner}?limit=2`, keyOf('partner'))
  expect(pagination.cursor).toBe(cursor.example)
  const aggregate = partnerRoutes.find(({ operation }) => operation === 'ReadAggregateDemographics') as RouteRecord
  const all = aggregate.parameters.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`).join('&')
  expect(await world.read(`${aggregate.path}?${all}`, keyOf('partner'))).toMatchObject({
    asset_count: 2,
  })
})
