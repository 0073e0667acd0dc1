/**
 * Every request is recorded with its response and its statements. The record satisfies the OpenAPI document, and is the same
 * to the byte as if no other company existed, where rows arrive in another order and by other plans. jest.config.js runs these
 * tests four times: with both scope checks, without one of them (they still pass), and without both, where each test has to see
 * data of another company. The usual runs without one use one key, those of `npm run test:soak` use all keys, with the names of
 * all companies.
 */
import { batchesOf } from '../../db/postgres/batch'
import { toolName } from '../../rest-gateway/mcp-tools'
import type { RouteRecord } from '../../rest-gateway/record'
import { createDatabase, type ScopeCheck } from '../support/databases'
import { send, type TestResponse } from '../support/http'
import { rounds } from '../support/rounds'
import { watchTraffic } from '../support/traffic'
import {
  generateCalls,
  generatePaths,
  generateQueries,
  NAMING,
  POST_HEADERS,
  ROOT_FIELDS,
  ROUTES,
  TOOLS,
} from './requests'
import { comparable, namesOf, startWithTenants, TENANTS, type Tenant, type TenantService } from './tenants'

jest.setTimeout(120_000)

interface Caller {
  /** Whether it sends all requests, instead of those with required parameters, and with values that are data of a company. */
  isComplete?: boolean
  /** The companies of its key. */
  companies: readonly Tenant[]
  /** The companies whose data its requests name: of its own and of others, which exist or not. */
  named: readonly Tenant[]
  /** Nodes of plans that are forbidden where the other companies do not exist, so that PostgreSQL chooses others. */
  forbidden: readonly string[]
}

const CALLERS: Caller[] = [
  {
    isComplete: true,
    companies: ['Alder'],
    named: rounds(['Alder', 'Birch'], TENANTS),
    forbidden: ['indexscan', 'bitmapscan', 'hashagg'],
  },
  { companies: ['Alder', 'Birch'], named: rounds(['Birch', 'Cedar'], TENANTS), forbidden: ['seqscan', 'hashjoin'] },
  { companies: [], named: rounds(['Alder'], TENANTS), forbidden: [] },
]

const { disabledScopeChecks = [] } = globalThis as { disabledScopeChecks?: ScopeCheck[] }

const tested = disabledScopeChecks.length > 0 ? rounds(CALLERS.slice(0, 1), CALLERS) : CALLERS

/** Then responses show data of other companies, and each test counts those that it sees. */
const isUnprotected = disabledScopeChecks.length === 2

const disabled: ScopeCheck[] = isUnprotected ? [...disabledScopeChecks, 'functions'] : disabledScopeChecks

let leaks = 0

function testIsolation(name: string, check: () => Promise<void>, isShared = false): void {
  test(name, async () => {
    leaks = 0
    await check()
    if (isUnprotected && !isShared) expect(leaks).toBeGreaterThan(0)
  })
}

/** Returns whether a response has data, or confirms data that its caller has. */
const hasData = ({ status, text }: { status: number; text: string }): boolean =>
  status === 304 || (status === 200 && !/"isError":true|"data":(null|\{"\w+":null\})/.test(text))

/** Data of no company, the same for all keys. */
const SHARED = ['methodology', 'ReadMethodology']

/** The most statements of routes that take more than two, authentication and query, whatever they list. */
const STATEMENTS: Record<string, number> = {
  ...{ ListAssets: 3, ListSensors: 3, ListChanges: 3, ListRestatements: 3, ListNotes: 3, ReadAggregateDemographics: 3 },
  ...{ LegacyReadDaily: 3, LegacyReadPerMinute: 3, ListImpressions: 5, ListProfiles: 5, ReadAggregateImpressions: 7 },
  ...{ ReadImpressionsGaps: 6, ListGaps: 9, ListInstallations: 6 },
}

/** As of an instant, totals are read from the ledger, too. */
const STATEMENTS_AS_OF = 5

const FORMATS = ['text/csv', 'application/x-ndjson', 'application/vnd.apache.parquet']

let complete: TenantService

beforeAll(async () => {
  const keys = [...CALLERS.map(({ companies }) => companies), ...TENANTS.map(name => [name])]
  const database = await createDatabase(undefined, disabled)
  complete = await startWithTenants(TENANTS, keys, { createBatch: batchesOf('reader'), database })
})
afterAll(() => complete.service.stop())

/** Starts a service where no other company exists, whose rows arrive shuffled and by other plans. */
async function startReduced({ companies, forbidden }: Caller): Promise<TenantService> {
  const database = await createDatabase(undefined, disabled)
  const tenants = await startWithTenants(companies, [companies], { database })
  const { owner } = tenants.service
  await owner.query('ANALYZE')
  const { rows } = await owner.query('SELECT current_database() AS name')
  for (const node of forbidden) await owner.query(`ALTER DATABASE ${rows[0].name} SET enable_${node} = off`)
  return tenants
}

interface RequestOptions {
  method?: string
  body?: string
  headers?: Record<string, string>
  /** The rest of the key's name. */
  scopes?: string
}

describe.each(tested.map(caller => [caller.companies.join(' and ') || 'no company', caller] as const))(
  'the key of %s',
  (_, caller) => {
    const { companies, named } = caller
    const isComplete = rounds(caller.isComplete ?? false, true)
    const names = named.map(namesOf)
    const pathsOf = (route: RouteRecord) => generatePaths(route, names, isComplete ? undefined : NAMING)
    const keyOf = ({ keys }: TenantService, scopes = '') => keys.get(companies.join('+') + scopes) as string
    /** Without the other companies. */
    let reduced: TenantService
    beforeAll(async () => {
      reduced = await startReduced(caller)
    })
    afterAll(() => reduced.service.stop())

    async function request(tenants: TenantService, path: string, { scopes = '', ...options }: RequestOptions) {
      let response: TestResponse | undefined
      const key = keyOf(tenants, scopes)
      const isDocumented = path.startsWith('/v1/') && tenants === complete
      const { statements, roundTrips } = await watchTraffic(async () => {
        response = isDocumented
          ? await tenants.service.get(path, { key, ...options })
          : await send(tenants.service.url + path, { key, ...options })
      })
      // The rules of time zones are read once by a process, in a batch of their own.
      const ofRequest = statements.filter((name, i) => ![name, statements[i + 1]].includes('zone-rules'))
      const ownTrips = roundTrips - statements.filter(name => name === 'zone-rules').length
      // GraphQL reads in turns of limited time, so that the number of batches varies.
      const read =
        path === '/graphql'
          ? { statements: [...new Set(ofRequest)].toSorted() }
          : { statements: ofRequest, roundTrips: ownTrips }
      return { ...comparable(response as TestResponse), ...read }
    }

    /** Returns the response, after checking that it is the same with and without the other companies. */
    async function requestBoth(path: string, options?: RequestOptions) {
      const response = await request(complete, path, options ?? {})
      const other = await request(reduced, path, options ?? {})
      if (!isUnprotected) expect(response).toEqual(other)
      else if (hasData(response) && response.text !== other.text) leaks++
      return response
    }

    test('reads the data of its companies', async () => {
      const meta = await complete.service.read('/v1/partner/meta', keyOf(complete))
      for (const name of companies) {
        expect(meta.companies).toContainEqual({
          id: namesOf(name).company,
          name: `${name} Ltd`,
          final_through: '2025-12-31',
        })
        const path = `/v1/partner/assets/${namesOf(name).assets[0]}/impressions/daily?from_date=2026-01-01&to_date=2026-01-02`
        expect((await complete.service.read(path, keyOf(complete))).total).toBeGreaterThan(1000)
      }
    })

    describe.each(ROUTES.map(route => [route.operation, route] as const))('requesting %s', (operation, route) => {
      const isShared = SHARED.includes(operation)
      const most = STATEMENTS[operation] ?? 2
      const check = async () => {
        for (const path of pathsOf(route)) {
          const { status, text, statements } = await requestBoth(path)
          // An invalid request is authenticated, and nothing more.
          const isInvalid = status === 400 && !text.includes('GRAIN_NOT_AVAILABLE')
          const allowed = isInvalid ? 1 : most + (path.includes('as_of=') ? STATEMENTS_AS_OF : 0)
          expect([path, statements[0], statements.slice(allowed)]).toEqual([path, 'authenticate-key', []])
        }
        for (const each of isComplete ? names : []) {
          const [path] = generatePaths(route, [each])
          for (const accept of FORMATS) await requestBoth(path as string, { headers: { accept } })
          await requestBoth(path as string, { headers: { 'If-None-Match': '*' } })
        }
      }
      testIsolation('gets no data of other companies', check, isShared)

      if (!route.path.includes('{id}')) return

      testIsolation('gets the same response with the entity tag of another company', async () => {
        let tags = 0
        for (const name of named.filter(other => !companies.includes(other))) {
          for (const path of generatePaths(route, [namesOf(name)], ['grain'])) {
            const { headers } = await send(complete.service.url + path, { key: complete.keys.get(name) as string })
            if (!headers.etag) continue
            tags++
            const { status } = await requestBoth(path, { headers: { 'If-None-Match': headers.etag } })
            if (!isUnprotected) expect(status).toBe(404)
          }
        }
        expect(tags).toBeGreaterThan(0)
      })
    })

    // The tools run the records of the routes: one company is enough, with the key of a partner.
    if (companies.length === 1) {
      describe.each(TOOLS.map(route => [toolName(route), route] as const))('calling the tool %s', (_, route) => {
        const check = async () => {
          const scopes = ' without scopes'
          for (const body of generateCalls(route, ...names)) {
            const { status, text } = await requestBoth('/mcp', { method: 'POST', headers: POST_HEADERS, body, scopes })
            expect([body, text, status]).toEqual([body, text, 200])
          }
        }
        testIsolation('gets no data of other companies', check, SHARED.includes(route.operation))
      })
    }

    describe.each(ROOT_FIELDS.map(field => [field.name, field] as const))('querying %s', (name, field) => {
      const check = async () => {
        const headers = { 'Content-Type': 'application/json' }
        const queries = generateQueries(field, ...names)
        for (const query of isComplete ? queries : queries.filter((_, i) => i % 3 === 0)) {
          const body = JSON.stringify({ query })
          const { status, text } = await requestBoth('/graphql', { method: 'POST', headers, body })
          expect([query, text, status]).toEqual([query, text, 200])
        }
      }
      testIsolation('gets no data of other companies', check, SHARED.includes(name))
    })
  },
)
