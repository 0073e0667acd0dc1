/**
 * A response has the same bytes, made by the same statements, as if no other company existed. jest.config.js runs these
 * tests four times: with both scope checks, without one of them (they still pass), and without both (each must fail). The
 * usual runs without one use one key, those of `npm run test:soak` use all keys, with the names of all companies.
 */
import { toolName } from '../../rest-gateway/mcp/tools'
import { rounds } from '../support/rounds'
import { send, type TestResponse, watchTraffic } from '../support/service'
import { generateCalls, generatePaths, generateQueries, ROOT_FIELDS, ROUTES, TOOLS } from './requests'
import { namesOf, startWithTenants, TENANTS, type Tenant, type TenantService, withoutPosition } from './tenants'

jest.setTimeout(120_000)

interface Caller {
  /** The companies of its key. */
  companies: readonly Tenant[]
  /** The companies whose data its requests name: of its own and of others, which exist or not. */
  named: readonly Tenant[]
}

const CALLERS: Caller[] = [
  { companies: ['Alder'], named: rounds(['Alder', 'Birch'], TENANTS) },
  { companies: ['Alder', 'Birch'], named: rounds(['Birch', 'Cedar'], TENANTS) },
  { companies: [], named: rounds(['Alder'], TENANTS) },
]

const { disabledScopeChecks = [] } = globalThis as { disabledScopeChecks?: string[] }

const tested = disabledScopeChecks.length > 0 ? rounds(CALLERS.slice(0, 1), CALLERS) : CALLERS

const testIsolation = disabledScopeChecks.length === 2 ? test.failing : test

/** Data of no company, the same for all keys. */
const SHARED = ['vendors', 'methodology', 'ReadMethodology']

let complete: TenantService

beforeAll(async () => {
  complete = await startWithTenants(TENANTS, [
    ...CALLERS.map(({ companies }) => companies),
    ...TENANTS.map(name => [name]),
  ])
})
afterAll(() => complete.service.stop())

interface RequestOptions {
  method?: string
  body?: string
  headers?: Record<string, string>
  /** The rest of the key's name. */
  scopes?: string
}

/** Headers that differ between equal responses. */
const VARYING = /^(x-request-id|date|ratelimit|etag|last-modified|server-timing)$/

/** GraphQL lists errors in the order in which they occurred, which may vary. */
function withSortedErrors(text: string): string {
  const [, head, errors, tail] = /^(\{"errors":)(\[.*\])(,"data":.*)$/s.exec(text) ?? []
  if (!errors) return text
  const sorted = JSON.parse(errors)
    .map((error: unknown) => JSON.stringify(error))
    .toSorted()
  return `${head}${sorted}${tail}`
}

describe.each(tested.map(caller => [caller.companies.join(' and ') || 'no company', caller] as const))(
  'the key of %s',
  (_, { companies, named }) => {
    const names = named.map(namesOf)
    /** Without the other companies. */
    let reduced: TenantService
    beforeAll(async () => {
      reduced = await startWithTenants(companies, [companies])
    })
    afterAll(() => reduced.service.stop())

    async function request(
      { service, keys }: TenantService,
      path: string,
      { scopes = '', ...options }: RequestOptions,
    ) {
      let response: TestResponse | undefined
      const { statements } = await watchTraffic(async () => {
        response = await send(service.url + path, { key: keys.get(companies.join('+') + scopes) as string, ...options })
      })
      const { status, headers, text } = response as TestResponse
      const compared = Object.entries(headers)
        .filter(([name]) => !VARYING.test(name))
        .map(([name, value]) => [name, withoutPosition(String(value))])
      // The rules of time zones are read once by a process, in a batch of their own.
      const ofRequest = statements.filter((name, i) => ![name, statements[i + 1]].includes('zone-rules'))
      // GraphQL reads in turns of limited time, so that the number of batches varies.
      const read = path === '/graphql' ? [...new Set(ofRequest)].toSorted() : ofRequest
      return { status, text: withSortedErrors(withoutPosition(text)), headers: compared, statements: read }
    }

    /** Returns the response, after checking that it is the same with and without the other companies. */
    async function requestBoth(path: string, options: RequestOptions = {}) {
      const response = await request(complete, path, options)
      expect(response).toEqual(await request(reduced, path, options))
      return response
    }

    test('reads the data of its companies', async () => {
      const key = complete.keys.get(companies.join('+')) as string
      const meta = await complete.service.read('/v1/partner/meta', key)
      for (const name of companies) {
        expect(meta.companies).toContainEqual({ id: namesOf(name).company, name: `${name} Ltd` })
        const path = `/v1/partner/assets/${namesOf(name).assets[0]}/impressions/daily?from_date=2026-01-01&to_date=2026-01-02`
        expect((await complete.service.read(path, key)).total).toBeGreaterThan(1000)
      }
    })

    describe.each(ROUTES.map(route => [route.operation, route] as const))('requesting %s', (_, route) => {
      const testRoute = SHARED.includes(route.operation) ? test : testIsolation
      testRoute('gets no data of other companies', async () => {
        for (const path of generatePaths(route, ...names)) await requestBoth(path)
        for (const each of names) {
          const [path] = generatePaths(route, each)
          await requestBoth(path as string, { headers: { 'If-None-Match': '*' } })
        }
      })

      if (!route.path.includes('{id}')) return

      testIsolation('gets the same response with the entity tag of another company', async () => {
        let tags = 0
        for (const name of named.filter(other => !companies.includes(other))) {
          for (const path of generatePaths(route, namesOf(name))) {
            const { headers } = await send(complete.service.url + path, { key: complete.keys.get(name) as string })
            if (!headers.etag) continue
            tags++
            const { status } = await requestBoth(path, { headers: { 'If-None-Match': headers.etag } })
            expect(status).toBe(404)
          }
        }
        expect(tags).toBeGreaterThan(0)
      })
    })

    // The tools run the records of the routes: one company is enough, with the key of a partner.
    if (companies.length === 1) {
      describe.each(TOOLS.map(route => [toolName(route), route] as const))('calling the tool %s', (_, route) => {
        const testTool = SHARED.includes(route.operation) ? test : testIsolation
        testTool('gets no data of other companies', async () => {
          const scopes = ' without scopes'
          const headers = { 'Content-Type': 'application/json' }
          for (const body of generateCalls(route, ...names)) {
            const { status, text } = await requestBoth('/mcp', { method: 'POST', headers, body, scopes })
            expect([body, text, status]).toEqual([body, text, 200])
          }
        })
      })
    }

    describe.each(ROOT_FIELDS.map(field => [field.name, field] as const))('querying %s', (name, field) => {
      const testQuery = SHARED.includes(name) ? test : testIsolation
      testQuery('gets no data of other companies', async () => {
        const headers = { 'Content-Type': 'application/json' }
        for (const query of generateQueries(field, ...names)) {
          const { status, text } = await requestBoth('/graphql', {
            method: 'POST',
            headers,
            body: JSON.stringify({ query }),
          })
          expect([query, text, status]).toEqual([query, text, 200])
        }
      })
    })
  },
)
