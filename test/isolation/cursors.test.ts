/**
 * Cursors in foreign hands: those of every list and of the feed, with keys of other companies, in every form in which they can
 * be sent. Nobody but the holder of a cursor and those to whom its key was rotated learns what has left its scope.
 */
import { findKeyId, rotateKey } from '../../db/api-keys/api-keys'
import { keyHash } from '../../db/api-keys/key-format'
import { toolName } from '../../rest-gateway/mcp-tools'
import type { RouteRecord } from '../../rest-gateway/record'
import { partnerRoutes } from '../../rest-gateway/routes/all-routes'
import { send } from '../support/http'
import { POST_HEADERS, ROOT_FIELDS } from './requests'
import { namesOf, startWithTenants, TENANTS, type Tenant, type TenantService } from './tenants'

let tenants: TenantService
/** The key that reads Alder and Birch, and got the cursors. */
let holder: string

beforeAll(async () => {
  tenants = await startWithTenants(TENANTS, [['Alder', 'Birch'], ['Cedar']])
  holder = tenants.keys.get('Alder+Birch') as string
})
afterAll(() => tenants.service.stop())

const LISTS = partnerRoutes.filter(route => route.parameters.some(({ name }) => name === 'cursor'))
const FIELDS = ROOT_FIELDS.filter(field => field.args.some(({ name }) => name === 'after'))
const RANGE = { from_date: '2026-01-01', to_date: '2026-01-03' }

interface Attempt {
  isFeed: boolean
  path: string
  /** Posted, if there is one. */
  body?: object
}

interface Reply extends Attempt {
  /** The code of its error, or else its status. */
  outcome: string | number
  text: string
}

async function request(attempt: Attempt, key: string): Promise<Reply> {
  const { path, body } = attempt
  const posted = body && { method: 'POST', headers: POST_HEADERS, body: JSON.stringify(body) }
  const { status, text } = await send(tenants.service.url + path, { key, ...posted })
  // The result of a tool has its error as JSON within JSON.
  const [, code] = /\\?"code\\?":\\?"([A-Z_]+)/.exec(text) ?? []
  return { ...attempt, outcome: code ?? status, text }
}

const parametersOf = (route: RouteRecord, values: Record<string, string>) =>
  new URLSearchParams(route.parameters.some(({ name }) => name === 'from_date') ? { ...RANGE, ...values } : values)

const readCursor = async (route: RouteRecord, values: Record<string, string>, key = holder): Promise<string> =>
  (await tenants.service.read(`${route.path}?${parametersOf(route, values)}`, key)).pagination.cursor

/** Returns the cursors of a list: of a page of the first pass, and of the feed also of its end and of a page of the next pass. */
async function readCursors(route: RouteRecord): Promise<string[]> {
  const first = await readCursor(route, { limit: '1' })
  if (route.operation !== 'ListChanges') return [first]
  const end = await readCursor(route, { limit: '500' })
  await tenants.service.owner.query(`UPDATE assets SET description = description || '.'`)
  return [first, end, await readCursor(route, { limit: '1', cursor: end })]
}

/** Returns the requests with a cursor of a route, in every form. */
function attemptsWith(route: RouteRecord, cursor: string): Attempt[] {
  const parameters = parametersOf(route, { limit: '100', cursor })
  const params = { name: toolName(route), arguments: Object.fromEntries(parameters) }
  const call = { path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } }
  const formats = ['json', 'csv', 'ndjson'].map(output => ({ path: `${route.path}?${parameters}&output=${output}` }))
  return [...formats, call].map(each => ({ ...each, isFeed: route.operation === 'ListChanges' }))
}

/** Returns the query for the first row of a field, or for those after one. */
function fieldAfter(field: string, after: string | null): Attempt {
  const isFeed = field === 'changes'
  const days = ['restatements', 'notes'].includes(field) ? 'fromDate: "2025-12-30", toDate: "2026-03-31",' : ''
  const id = ['changes', 'restatements'].includes(field) ? 'assetId' : 'id'
  const position = isFeed ? 'next nodes { assetId kind }' : `last nodes { ${id} }`
  const query = `query ($after: ID) { page: ${field}(${days} limit: ${after === null ? 1 : 100}, after: $after) { hasMore ${position} } }`
  return { isFeed, path: '/graphql', body: { query, variables: { after } } }
}

/** Returns the requests that go on behind what the holder has read. */
async function collectAttempts(): Promise<Attempt[]> {
  const attempts: Attempt[] = []
  for (const route of LISTS) {
    for (const cursor of await readCursors(route)) attempts.push(...attemptsWith(route, cursor))
  }
  for (const { name } of FIELDS) {
    const { page } = JSON.parse((await request(fieldAfter(name, null), holder)).text).data
    attempts.push(fieldAfter(name, page.next ?? page.last))
  }
  return attempts
}

/** Sends all requests. Returns what became of those of the lists and of the feed, and the replies that name a company, or `removed` assets. */
async function sendAll(attempts: readonly Attempt[], key: string) {
  const replies = await Promise.all(attempts.map(attempt => request(attempt, key)))
  const outcomes = (isFeed: boolean) => [
    ...new Set(replies.filter(reply => reply.isFeed === isFeed).map(({ outcome }) => outcome)),
  ]
  const naming = (name: string) => replies.filter(({ text }) => new RegExp(`${name}(?!_at)`, 'i').test(text))
  return { lists: outcomes(false), feed: outcomes(true), naming }
}

const issueTo = async (...names: readonly Tenant[]): Promise<string> => {
  const ids = names.map(name => namesOf(name).company)
  const rows = await tenants.service.rows('SELECT id, number FROM companies WHERE id = ANY ($1)', [ids])
  return tenants.service.make.key(rows as never, { scopes: ['internal:graphql:read'] })
}

const idOf = (key: string): Promise<string> => findKeyId(tenants.service.owner, keyHash(key))

test('cursors of lists and of the feed are tried in every form', () => {
  expect(LISTS.map(({ operation }) => operation)).toContain('ListChanges')
  expect([LISTS.length, FIELDS.length]).toEqual([8, 5])
})

test.each<[string, Tenant[], string | number]>([
  ['another company', ['Cedar'], 'INVALID_CURSOR'],
  ['no company', [], 'INVALID_CURSOR'],
  ['a part of the companies', ['Alder'], 'INVALID_CURSOR'],
  ['the same companies', ['Alder', 'Birch'], 200],
  ['more companies', [...TENANTS], 200],
])('by a cursor, another key, of %s, gets no name of others and no removal', async (_, names, feed) => {
  const replies = await sendAll(await collectAttempts(), await issueTo(...names))
  expect(replies).toMatchObject({ lists: expect.arrayContaining([200]), feed: [feed] })
  for (const other of [...TENANTS.filter(name => !names.includes(name)), 'removed']) {
    expect([other, replies.naming(other)]).toEqual([other, []])
  }
})

test('the database names nothing for the position of another key, or for one that was made up', async () => {
  const client = await tenants.service.owner.connect()
  const presenting = async (key: string, sql: string, values: unknown[] = []) => {
    await client.query(`SELECT set_config('partner_metrics.key_hash', $1, false)`, [keyHash(key).toString('hex')])
    return (await client.query(sql, values)).rows
  }
  const lost = 'SELECT * FROM lost_assets($1, $2, $3)'
  try {
    const [{ companies, number, proof }] = await presenting(holder, 'SELECT * FROM feed_position(NULL, NULL)')
    const cedar = tenants.keys.get('Cedar') as string
    const [own] = await presenting(cedar, 'SELECT * FROM feed_position(NULL, NULL)')
    const made = `${own.proof.split(' ')[0]} ${proof.split(' ')[1]}`
    for (const each of [proof, own.proof, made, proof.split(' ')[1], '', null]) {
      expect(await presenting(cedar, lost, [companies, number, each])).toEqual([])
    }
    const all = [...companies, ...own.companies]
    expect(await presenting(holder, lost, [all, number, proof])).toEqual([])
  } finally {
    client.release(true)
  }
})

test('a rotated key continues, and gets the removal of assets that left its scope; a deactivated one gets nothing', async () => {
  const { owner } = tenants.service
  const attempts = await collectAttempts()
  const old = await idOf(holder)
  const { id, key } = await rotateKey(owner, 'dev', old, { overlap: 3_600 })
  const again = await rotateKey(owner, 'dev', id, { overlap: 3_600 })
  for (const each of [holder, key, again.key]) expect((await sendAll(attempts, each)).feed).toEqual([200])

  const [birch] = await tenants.service.rows(`SELECT number FROM companies WHERE id = 'birchcompany'`)
  const deprive = 'UPDATE api_keys SET companies = array_remove(companies, $1) WHERE id = ANY ($2)'
  await owner.query(deprive, [birch!.number, [old, again.id]])
  for (const each of [holder, again.key]) {
    const { feed, naming } = await sendAll(attempts, each)
    expect(feed).toEqual([200])
    // A page of the first pass has no position before it, from which anything could have been lost. A page within a later pass leaves
    // it to the pass that follows.
    expect(naming('Birch')).toEqual(naming('removed'))
    expect([naming('Birch').length, naming('Cedar').length]).toEqual([4, 0])
    for (const { isFeed } of naming('Birch')) expect(isFeed).toBe(true)
  }
  const changes = LISTS.find(({ operation }) => operation === 'ListChanges') as RouteRecord
  // A cursor of the new key is not one of the key before.
  const ofNew = attemptsWith(changes, await readCursor(changes, { limit: '500' }, key))
  expect((await sendAll(ofNew, holder)).feed).toEqual(['INVALID_CURSOR'])
  // One that was issued for what is left is another key, also within a pass that began after the loss.
  const other = await issueTo('Alder')
  expect((await sendAll(attempts, other)).feed).toEqual(['INVALID_CURSOR'])
  const cursor = new URL(attempts.filter(({ isFeed }) => isFeed)[4]!.path, 'http://x').searchParams.get('cursor')!
  const within = attemptsWith(changes, await readCursor(changes, { limit: '1', cursor }, again.key))
  expect((await sendAll(within, again.key)).feed).toEqual([200])
  expect((await sendAll(within, other)).feed).toEqual(['INVALID_CURSOR'])

  await owner.query('UPDATE api_keys SET deactivated_at = now() WHERE id = $1', [old])
  expect(await sendAll(attempts, holder)).toMatchObject({ lists: ['INVALID_API_KEY'], feed: ['INVALID_API_KEY'] })
})
