/**
 * Cursors in foreign hands: those of every list and of the feed, with keys of other companies, in every form in which they can
 * be sent. Nobody but the holder of a cursor and those to whom its key was rotated learns what has left its scope.
 */

import { findKeyId, rotateKey } from '../../db/api-keys/api-keys'
import { keyHash } from '../../db/api-keys/key-format'
import { toolName } from '../../rest-gateway/mcp-tools'
import type { RouteRecord } from '../../rest-gateway/record'
import { partnerRoutes } from '../../rest-gateway/routes/all-routes'
import { send, type TestResponse } from '../support/http'
import { POST_HEADERS, ROOT_FIELDS } from './requests'
import { namesOf, startWithTenants, TENANTS, type Tenant, type TenantService } from './tenants'

let tenants: TenantService
/** The key that reads Alder and Birch, and got the cursors. */
let holder: string

beforeAll(async () => {
  tenants = await startWithTenants(TENANTS, [['Alder', 'Birch'], ['Alder'], ['Cedar'], [], TENANTS])
  holder = tenants.keys.get('Alder+Birch') as string
})
afterAll(() => tenants.service.stop())

const LISTS = partnerRoutes.filter(route => route.parameters.some(({ name }) => name === 'cursor'))
const FIELDS = ROOT_FIELDS.filter(field => field.args.some(({ name }) => name === 'after'))
const RANGE = { from_date: '2026-01-01', to_date: '2026-01-03' }

interface Reply {
  form: string
  status: number
  code: string | undefined
  text: string
}

const pathOf = (route: RouteRecord, values: Record<string, string>): string => {
  const given = route.parameters.some(({ name }) => name === 'from_date') ? { ...RANGE, ...values } : values
  return `${route.path}?${new URLSearchParams(given)}`
}

async function read(path: string, key: string): Promise<Reply & Pick<TestResponse, 'body'>> {
  const { status, text, body } = await send(tenants.service.url + path, { key })
  return { form: path.slice(0, 60), status, code: body?.error?.code, text, body }
}

async function post(path: string, key: string, content: unknown): Promise<Reply & Pick<TestResponse, 'body'>> {
  const sent = JSON.stringify(content)
  const response = await send(tenants.service.url + path, { key, method: 'POST', headers: POST_HEADERS, body: sent })
  // The response to a message is an event.
  const [, event] = /^data: (.*)$/m.exec(response.text) ?? []
  const body = event === undefined ? response.body : JSON.parse(event)
  const [error] = body?.errors ?? []
  const result = body?.result
  const code = error?.extensions.code ?? (result?.isError ? JSON.parse(result.content[0].text).error.code : undefined)
  return {
    form: path,
    status: response.status,
    code: code ?? body?.error?.code,
    text: response.text,
    body,
  }
}

/** The arguments of lists that are of a range of days. */
const DAYS = 'fromDate: "2025-12-30", toDate: "2026-03-31",'
const RANGES: Record<string, string> = { restatements: DAYS, notes: DAYS }

const queryField = (field: string, key: string, after: string | null) => {
  const position =
    field === 'changes'
      ? 'next nodes { assetId kind }'
      : `last nodes { ${['restatements', 'sensorFaults'].includes(field) ? 'assetId' : 'id'} }`
  return post('/graphql', key, {
    query: `query ($after: ID) { page: ${field}(${RANGES[field] ?? ''} limit: ${after === null ? 1 : 100}, after: $after) { hasMore ${position} } }`,
    variables: { after },
  })
}

/** The cursors of a list: of a page of the first pass, and of the feed also of its end and of a page of the next pass. */
async function readCursors(route: RouteRecord): Promise<string[]> {
  const first = (await read(pathOf(route, { limit: '1' }), holder)).body.pagination.cursor
  if (route.operation !== 'ListChanges') return [first]
  const end = (await read(pathOf(route, { limit: '500' }), holder)).body.pagination.cursor
  await tenants.service.owner.query(`UPDATE assets SET description = description || '.'`)
  const within = (await read(pathOf(route, { limit: '1', cursor: end }), holder)).body.pagination
  expect(within.has_more).toBe(true)
  return [first, end, within.cursor]
}

/** Sends a cursor of a route in every form. */
async function sendCursor(route: RouteRecord, cursor: string, key: string): Promise<Reply[]> {
  const formats = ['json', 'csv', 'ndjson'].map(output => read(pathOf(route, { limit: '100', cursor, output }), key))
  const values = Object.fromEntries(new URL(pathOf(route, { limit: '100', cursor }), 'http://x').searchParams)
  const params = { name: toolName(route), arguments: values }
  return Promise.all([...formats, post('/mcp', key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })])
}

/** All replies to the cursors of a holder: those of the lists, and those of the feed. */
interface Replies {
  lists: Reply[]
  feed: Reply[]
}

interface Cursors {
  rest: [RouteRecord, string][]
  graphql: [string, string][]
}

async function collectCursors(): Promise<Cursors> {
  const rest: Cursors['rest'] = []
  for (const route of LISTS) for (const cursor of await readCursors(route)) rest.push([route, cursor])
  const graphql: Cursors['graphql'] = []
  for (const { name } of FIELDS) {
    const { page } = (await queryField(name, holder, null)).body.data
    graphql.push([name, page.next ?? page.last])
  }
  return { rest, graphql }
}

async function sendAll({ rest, graphql }: Cursors, key: string): Promise<Replies> {
  const replies: Replies = { lists: [], feed: [] }
  for (const [route, cursor] of rest) {
    const group = route.operation === 'ListChanges' ? replies.feed : replies.lists
    group.push(...(await sendCursor(route, cursor, key)))
  }
  for (const [field, after] of graphql) {
    const group = field === 'changes' ? replies.feed : replies.lists
    group.push(await queryField(field, key, after))
  }
  return replies
}

/** The forms of replies that name any data of these companies. */
const namedIn = (replies: Reply[], names: readonly Tenant[]): string[] =>
  replies
    .filter(({ text }) => names.some(name => text.toLowerCase().includes(name.toLowerCase())))
    .map(({ form }) => form)

const codesOf = (replies: Reply[]): unknown[] => [...new Set(replies.map(({ code, status }) => code ?? status))]

const issueTo = async (...names: Tenant[]): Promise<string> => {
  const { rows } = await tenants.service.owner.query('SELECT id, number FROM companies WHERE id = ANY ($1)', [
    names.map(name => namesOf(name).company),
  ])
  return tenants.service.make.key(rows, { scopes: ['internal:graphql:read'] })
}

const idOf = (key: string): Promise<string> => findKeyId(tenants.service.owner, keyHash(key))

test('cursors of lists and of the feed are tried in every form', () => {
  expect(LISTS.map(({ operation }) => operation)).toContain('ListChanges')
  expect([LISTS.length, FIELDS.length]).toEqual([8, 6])
})

test.each([
  ['of another company', ['Cedar']],
  ['of no company', []],
  ['of a part of the companies', ['Alder']],
] as const)('a key %s gets no name of other companies by a cursor', async (_, names) => {
  const { lists, feed } = await sendAll(await collectCursors(), tenants.keys.get(names.join('+')) as string)
  const others = TENANTS.filter(name => !(names as readonly string[]).includes(name))
  expect(namedIn([...lists, ...feed], others)).toEqual([])
  expect(codesOf(lists)).toEqual(expect.arrayContaining([200]))
  expect(codesOf(feed)).toEqual(['INVALID_CURSOR'])
})

test('the database names nothing for the position of another key, or for one that was made up', async () => {
  const client = await tenants.service.owner.connect()
  const presenting = async (key: string, sql: string, values: unknown[] = []) => {
    await client.query(`SELECT set_config('partner_metrics.key_hash', $1, false)`, [keyHash(key).toString('hex')])
    return (await client.query(sql, values)).rows
  }
  const lost = 'SELECT * FROM lost_assets($1, $2, $3)'
  try {
    const [{ companies, number, proof }] = await presenting(holder, 'SELECT * FROM feed_position()')
    const cedar = tenants.keys.get('Cedar') as string
    const [own] = await presenting(cedar, 'SELECT * FROM feed_position()')
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

test('another key of the same companies, or of more, goes on without a removal', async () => {
  const cursors = await collectCursors()
  for (const names of [['Alder', 'Birch'], TENANTS] as Tenant[][]) {
    const { lists, feed } = await sendAll(cursors, await issueTo(...names))
    expect(codesOf(feed)).toEqual([200])
    expect(feed.filter(({ text }) => text.includes('removed'))).toEqual([])
    expect(
      namedIn(
        lists,
        TENANTS.filter(name => !names.includes(name)),
      ),
    ).toEqual([])
  }
})

test('a rotated key goes on, and is told what has left its scope since', async () => {
  const cursors = await collectCursors()
  const old = await idOf(holder)
  const { id, key } = await rotateKey(tenants.service.owner, 'dev', old, { overlap: 3_600 })
  const again = await rotateKey(tenants.service.owner, 'dev', id, { overlap: 3_600 })
  for (const each of [holder, key, again.key]) expect(codesOf((await sendAll(cursors, each)).feed)).toEqual([200])

  const { rows } = await tenants.service.owner.query(`SELECT number FROM companies WHERE id = 'birchcompany'`)
  const deprive = `UPDATE api_keys SET companies = array_remove(companies, $1) WHERE id = ANY ($2)`
  await tenants.service.owner.query(deprive, [rows[0].number, [old, again.id]])
  for (const each of [holder, again.key]) {
    const { lists, feed } = await sendAll(cursors, each)
    expect(codesOf(feed)).toEqual([200])
    // A page of the first pass has no position before it, from which anything could have been lost.
    expect(namedIn(feed, ['Birch'])).toEqual(
      feed.filter(({ text }) => text.includes('removed')).map(({ form }) => form),
    )
    expect(namedIn(feed, ['Birch'])).toHaveLength(8)
    expect(namedIn(feed, ['Cedar'])).toEqual([])
    expect(namedIn(lists, ['Birch', 'Cedar'])).toEqual([])
  }
  // A cursor of the new key is not one of the key before.
  const { cursor } = (await read('/v1/partner/changes?limit=500', key)).body.pagination
  expect((await read(`/v1/partner/changes?cursor=${cursor}`, holder)).code).toBe('INVALID_CURSOR')
  // One that was issued for what is left is another key, also within a pass that began after the loss.
  const other = await issueTo('Alder')
  expect(codesOf((await sendAll(cursors, other)).feed)).toEqual(['INVALID_CURSOR'])
  const [changes, end] = cursors.rest.filter(([{ operation }]) => operation === 'ListChanges')[1] as [
    RouteRecord,
    string,
  ]
  const within = (await read(pathOf(changes, { limit: '1', cursor: end }), again.key)).body.pagination
  expect(within.has_more).toBe(true)
  expect(codesOf(await sendCursor(changes, within.cursor, again.key))).toEqual([200])
  expect(codesOf(await sendCursor(changes, within.cursor, other))).toEqual(['INVALID_CURSOR'])
})

test('a deactivated key gets nothing by its own cursors', async () => {
  const cursors = await collectCursors()
  await tenants.service.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE id = $1', [await idOf(holder)])
  const { lists, feed } = await sendAll(cursors, holder)
  expect(codesOf([...lists, ...feed])).toEqual(['INVALID_API_KEY'])
})
