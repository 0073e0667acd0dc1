/**
 * Every input that is parsed, at its greatest size in every shape: none may take much CPU time, whoever sends it. The
 * time is that of the whole process, in which the service and PostgreSQL's client run, at best of a few tries.
 */
import { Readable } from 'node:stream'
import { FileError } from '../../db/file-errors'
import { importFile } from '../../imports/import-file'
import { type RequestOptions, send } from '../support/http'
import { World } from '../support/world'

/** Milliseconds of CPU time, user and system, of one request. */
const MAX_CPU_MS = 30

const TRIES = 12

const BODY_BYTES = 256 * 1024 - 200
const URL_BYTES = 8_000
const HEADER_BYTES = 30_000

let world: World
let key: string
let id: string

beforeAll(async () => {
  world = await World.open()
  const company = await world.make.company()
  key = await world.make.key([company], { scopes: ['internal:graphql:read', 'partner:metrics:legacy:read'] })
  const sensor = await world.make.sensor({ asset: await world.make.asset({ company }) })
  id = sensor.asset?.id as string
  await world.make.counts(sensor, '2026-01-01', () => 1)
})
afterAll(() => world.stop())

/** Returns the least CPU time of some tries, of which one is usually enough. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < TRIES && least > MAX_CPU_MS; i++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

async function expectCheap(path: string, options: RequestOptions = {}): Promise<void> {
  let status = 0
  const cpu = await measure(async () => {
    status = (await send(world.url + path, { key, ...options })).status
  })
  expect(cpu).toBeLessThanOrEqual(MAX_CPU_MS)
  expect(status).toBeLessThan(500)
}

const fill = (bytes: number, item: (i: number) => string, separator = ','): string => {
  const items: string[] = []
  for (let i = 0, length = 0; length < bytes; i++) {
    items.push(item(i))
    length += (items[i] as string).length + separator.length
  }
  items.pop()
  return items.join(separator)
}

const RANGE = 'from_date=2026-01-01&to_date=2026-01-02'

const PATHS: Record<string, () => string> = {
  'many names': () => `/v1/partner/assets?${fill(URL_BYTES, i => `n${i}=1`, '&')}`,
  'one long name': () => `/v1/partner/assets?${'n'.repeat(URL_BYTES)}=1`,
  'a name many times': () => `/v1/partner/assets?${fill(URL_BYTES, () => 'limit=1', '&')}`,
  'many ids': () => `/v1/partner/impressions?${RANGE}&asset_ids=${fill(URL_BYTES, i => `a${i}`)}`,
  'many alternatives': () => `/v1/partner/assets?city=${fill(URL_BYTES, i => `c${i}`)}`,
  'many quotes': () => `/v1/partner/assets?city=${'%22,'.repeat(URL_BYTES / 4)}`,
  'a long cursor': () => `/v1/partner/assets?cursor=${'A'.repeat(URL_BYTES)}`,
  'a long position': () => `/v1/partner/changes?cursor=${'A'.repeat(URL_BYTES)}`,
  'a deep path': () => `/v1/partner${'/a'.repeat(URL_BYTES / 2)}`,
  'a long date': () => `/v1/partner/assets/${id}/impressions/daily?from_date=${'2'.repeat(URL_BYTES)}`,
  'a long legacy id': () => `/v1/metrics/assets/${'1'.repeat(URL_BYTES)}?start=2026-01-01&end=2026-01-01`,
  'a GraphQL query': () => `/graphql?query=${encodeURIComponent(`{${'a '.repeat(900)}}`)}`,
}

test.each(Object.entries(PATHS))('a URL with %s costs little', (_, path) => expectCheap(path()))

const HEADERS: Record<string, Record<string, string | string[]>> = {
  'many of them': Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`x-${i}`, '1'])),
  'one many times': { 'x-a': Array.from({ length: 3_000 }, () => '1') },
  'the key many times': { 'x-api-key': Array.from({ length: 1_500 }, () => 'k') },
  'many entity tags': { 'if-none-match': fill(HEADER_BYTES, i => `"${i}"`) },
  'many formats': { accept: fill(HEADER_BYTES, i => `a/b${i};q=0.${i % 9}`) },
  'many encodings': { 'accept-encoding': fill(HEADER_BYTES, i => `e${i};q=0.1`) },
  'many addresses': { 'x-forwarded-for': fill(HEADER_BYTES, i => `10.0.0.${i % 255}`) },
  'a long type': { 'content-type': `a${' '.repeat(HEADER_BYTES)}` },
  'a long trace': { traceparent: '0'.repeat(HEADER_BYTES) },
}

test.each(Object.entries(HEADERS))('headers with %s cost little', (_, headers) =>
  expectCheap('/v1/partner/meta', { headers }),
)

/** JSON values of the greatest size. */
const VALUES: Record<string, () => string> = {
  'many names': () => `{${fill(BODY_BYTES, i => `"n${i}":1`)}}`,
  'as many names as are allowed': () =>
    `{${fill(60_000, i => `"name${i}":1`)
      .split(',')
      .slice(0, 4_900)}}`,
  'a name many times': () => `{${fill(BODY_BYTES, () => '"n":1')}}`,
  'many wrong items': () => `[${fill(BODY_BYTES, () => '1')}]`,
  'as many wrong items as are allowed': () => `[${fill(9_700, () => '1')}]`,
  'a deep list': () => `${'['.repeat(BODY_BYTES / 2)}${']'.repeat(BODY_BYTES / 2)}`,
  'the deepest list': () => `${'['.repeat(90)}${']'.repeat(90)}`,
  'a text of escapes': () => `"${'\\u0000'.repeat(BODY_BYTES / 6)}"`,
  'a long number': () => '9'.repeat(BODY_BYTES),
}

const queryWith = (type: string, argument: string) => (value: string) =>
  `{"query":"query ($v: ${type}) { assets(filter: ${argument}) { nodes { id } } }","variables":{"v":${value}}}`

const callOf = (name: string) => (value: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${value}}}`

/** The places in which such a value can be sent. */
const PLACES: [place: string, path: string, body: (value: string) => string][] = [
  ['the body of a GraphQL request', '/graphql', value => value],
  ['a variable', '/graphql', queryWith('AssetFilter', '$v')],
  ['a variable of a list', '/graphql', queryWith('[ID!]', '{id: $v}')],
  ['unknown variables', '/graphql', value => `{"query":"{ companies { id } }","variables":${value}}`],
  ['a message', '/mcp', value => value],
  ['the arguments of a tool', '/mcp', callOf('list_assets')],
  ['one argument of a tool', '/mcp', value => callOf('list_assets')(`{"asset_ids":${value}}`)],
  ['the cursor of a tool', '/mcp', value => callOf('list_changes')(`{"cursor":${value}}`)],
]

const POST = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
}

describe.each(Object.entries(VALUES))('%s', (_, value) => {
  test.each(PLACES)('cost little as %s', (_, path, body) => expectCheap(path, { ...POST, body: body(value()) }))
})

const unknownFields = Array.from({ length: 390 }, (_, i) => `f${i}`).join(' ')
const wrongItems = `{ assets(filter: {id: [${'1 '.repeat(480)}]}) { nodes { id } } }`

/** A chain of fragments, each of which has the next one in each of some fields. */
const chainOf = (length: number, fields: readonly string[]) =>
  Array.from({ length }, (_, i) => {
    const next = i === length - 1 ? 'name' : `...F${i + 1}`
    return `fragment F${i} on __Type { ${fields.map(field => `${field} { ${next} }`).join(' ')} }`
  }).join(' ')

const inAsset = (selections: string) => `{ asset(id: \\"x\\") { ${selections} } }`

const IN_TYPE = '{ __type(name: \\"Asset\\") { ...F0 } }'

test.each([
  ['fields', `{${'a '.repeat(BODY_BYTES / 2)}}`],
  ['nested fields', '{a'.repeat(BODY_BYTES / 2)],
  ['letters of a text', `{ companies(a: \\"${'t'.repeat(BODY_BYTES - 100)}\\") { id } }`],
  ['wrong items', wrongItems],
  ['unknown fields', `{ ${unknownFields} }`],
  ['fields of one name', inAsset('sensors { id serial } '.repeat(120))],
  ['fragments that are merged', `${IN_TYPE} ${chainOf(30, ['ofType', 'ofType'])}`],
  ['fragments that multiply', `${IN_TYPE} ${chainOf(30, ['a: ofType', 'b: ofType'])}`],
])('a GraphQL query with many %s costs little', (_, query) =>
  expectCheap('/graphql', { ...POST, body: `{"query":"${query}"}` }),
)

const HEADER = 'sensor,start,impressions\n'

test.each([
  ['many columns', `${fill(100_000, i => `c${i}`)}\n1\n`],
  ['many quotes', `${HEADER}${'"'.repeat(200_001)}\n`],
  ['one long value', `${HEADER}${'s'.repeat(200_000)},2026-01-01T00:00Z,1\n`],
  ['a row of many values', `${HEADER}${','.repeat(200_000)}\n`],
])('a file with %s is read in little time', async (_, csv) => {
  const read = () =>
    importFile(world.owner, 'impressions', Readable.from([Buffer.from(csv)])).catch(error => {
      if (!(error instanceof FileError)) throw error
    })
  expect(await measure(read)).toBeLessThan(10 * MAX_CPU_MS)
})
