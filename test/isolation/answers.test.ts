/**
 * A response has the same bytes, made by the same statements, as if no other company existed. jest.config.js runs these
 * tests four times: with both scope checks, without one of them (they still pass), and without both (each must fail).
 */
import { send, type TestResponse, watchTraffic } from '../support/service'
import { pathsOf, queriesOf, ROOT_FIELDS, ROUTES } from './questions'
import { type Company, EVERYBODY, makeWorld, namesOf, type World } from './worlds'

jest.setTimeout(120_000)

const CARRIED: Company[][] = [['Alder'], ['Alder', 'Birch'], []]

const ALONE: Company[][] = EVERYBODY.map(name => [name])

/** In the names of each company: where that is not there, they are of nobody. */
const NAMES = EVERYBODY.map(namesOf)

const QUERIES = new Map(
  ROOT_FIELDS.map(field => [field.name, new Set(NAMES.flatMap(names => queriesOf(field, names)))]),
)

const { disabledScopeChecks = [] } = globalThis as { disabledScopeChecks?: string[] }

const holds = disabledScopeChecks.length === 2 ? test.failing : test

/** What belongs to nobody is the same for everybody. */
const OPEN = ['vendors']

let whole: World

beforeAll(async () => {
  whole = await makeWorld(EVERYBODY, [...CARRIED, ...ALONE])
})
afterAll(() => whole.service.stop())

interface Asked {
  method?: string
  body?: string
  headers?: Record<string, string>
}

/** What belongs to the request, the moment or the world rather than to the answer. */
const PASSING = /^(x-request-id|date|ratelimit|etag|last-modified|server-timing)$/

/** The errors of GraphQL come in the order in which they happened. */
function inOrder(text: string): string {
  const [, head, errors, rest] = /^(\{"errors":)(\[.*\])(,"data":.*)$/s.exec(text) ?? []
  if (!errors) return text
  const sorted = JSON.parse(errors)
    .map((error: unknown) => JSON.stringify(error))
    .toSorted()
  return `${head}${sorted}${rest}`
}

describe.each(CARRIED.map(carried => [carried.join(' and ') || 'no company', carried] as const))(
  'the key of %s',
  (_, carried) => {
    let alone: World
    beforeAll(async () => {
      alone = await makeWorld(carried, [carried])
    })
    afterAll(() => alone.service.stop())

    async function ask({ service, keys }: World, path: string, asked: Asked) {
      let answer: TestResponse | undefined
      const { statements } = await watchTraffic(async () => {
        answer = await send(service.url + path, { key: keys.get(carried.join('+')) as string, ...asked })
      })
      const { status, headers, text } = answer as TestResponse
      const lasting = Object.entries(headers).filter(([name]) => !PASSING.test(name))
      // Legacy calls are counted now and then, whoever asks.
      const own = statements.filter(statement => !statement.includes('count_legacy_calls'))
      return { status, text: inOrder(text), headers: lasting, statements: own }
    }

    /** The answer, once it is shown to be the same in both worlds. */
    async function askBoth(path: string, asked: Asked = {}) {
      const answer = await ask(whole, path, asked)
      expect(answer).toEqual(await ask(alone, path, asked))
      return answer
    }

    test('reads its own', async () => {
      const key = whole.keys.get(carried.join('+')) as string
      const { companies } = await whole.service.read('/v1/partner/meta', key)
      for (const name of carried) {
        expect(companies).toContainEqual({ id: namesOf(name).company, name: `${name} Ltd` })
        const path = `/v1/partner/assets/${namesOf(name).assets[0]}/impressions/daily?from_date=2026-01-01&to_date=2026-01-02`
        expect((await whole.service.read(path, key)).total).toBeGreaterThan(1000)
      }
    })

    describe.each(ROUTES.map(route => [route.operation, route] as const))('asking %s', (_, route) => {
      holds('learns nothing of the others', async () => {
        const paths = NAMES.map(names => pathsOf(route, names))
        for (const path of new Set(paths.flat())) await askBoth(path)
        for (const [path] of paths) await askBoth(path as string, { headers: { 'If-None-Match': '*' } })
      })

      if (!route.path.includes('{id}')) return

      holds('learns nothing from the very tag of an answer that another has', async () => {
        let tags = 0
        for (const name of EVERYBODY.filter(other => !carried.includes(other))) {
          for (const path of pathsOf(route, namesOf(name))) {
            const { headers } = await send(whole.service.url + path, { key: whole.keys.get(name) as string })
            if (!headers.etag) continue
            tags++
            const { status } = await askBoth(path, { headers: { 'If-None-Match': headers.etag } })
            expect(status).toBe(404)
          }
        }
        expect(tags).toBeGreaterThan(0)
      })
    })

    describe.each([...QUERIES])('querying %s', (name, queries) => {
      const holdsFor = OPEN.includes(name) ? test : holds
      holdsFor('learns nothing of the others', async () => {
        const headers = { 'Content-Type': 'application/json' }
        for (const query of queries) {
          const { status, text } = await askBoth('/graphql', {
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
