/** The Model Context Protocol as the official client speaks each revision of it, and what the service refuses before. */
import { Client, StreamableHTTPClientTransport, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client'
import type { MadeAsset } from '../support/factories'
import { send } from '../support/http'
import { World } from '../support/world'

let world: World
let key: string
let asset: MadeAsset

const RANGE = { from_date: '2026-03-28', to_date: '2026-03-30' }

beforeAll(async () => {
  world = await World.open()
  const company = await world.make.company()
  key = await world.make.key([company])
  asset = await world.make.asset({ company, name: 'Bridge', time_zone: 'Europe/Berlin' })
  await world.make.counts(await world.make.sensor({ asset }), '2026-03-29', () => 1)
})
afterAll(() => world.stop())

/** The revisions that clients speak, the older one by default. */
const REVISIONS = ['2025-11-25', '2026-07-28'] as const

async function withClient<Result>(
  presented: string,
  use: (client: Client) => Promise<Result>,
  revision: (typeof REVISIONS)[number] = '2026-07-28',
): Promise<Result> {
  const options = revision === '2025-11-25' ? {} : { versionNegotiation: { mode: { pin: revision } } }
  const client = new Client({ name: 'test', version: '1' }, options)
  const requestInit = { headers: { 'X-API-Key': presented } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', world.url), { requestInit }))
  try {
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    return await use(client)
  } finally {
    await client.close()
  }
}

interface ToolResult {
  content: { text: string }[]
  isError?: boolean
}

const call = (client: Client, name: string, values: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: values }) as Promise<ToolResult>

/** Sends a message without the client. */
const post = (message: unknown, headers: Record<string, string> = {}) =>
  send(`${world.url}/mcp`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })

describe.each(REVISIONS)('a client of %s', revision => {
  test('reads the partner routes as tools, whose results are those of the routes', async () => {
    await withClient(
      key,
      async client => {
        expect(client.getInstructions()).toContain('list_assets')
        expect(client.getServerVersion()).toMatchObject({ name: 'partner-metrics' })
        const { tools } = await client.listTools()
        const names = tools.map(({ name }) => name)
        expect(names).toEqual(expect.arrayContaining(['read_meta', 'list_assets', 'list_changes']))
        expect(names.filter(name => /legacy|metrics/.test(name))).toEqual([])
        const daily = tools.find(({ name }) => name === 'read_impressions_daily')
        const required = ['from_date', 'to_date', 'id']
        expect(daily?.inputSchema).toMatchObject({ required, additionalProperties: false })

        const query = new URLSearchParams(RANGE)
        for (const [name, values, path] of [
          ['list_assets', { name_contains: 'bridge', limit: 1 }, '/v1/partner/assets?limit=1'],
          [
            'read_impressions_daily',
            { id: asset.id, ...RANGE },
            `/v1/partner/assets/${asset.id}/impressions/daily?${query}`,
          ],
          ['list_impressions', { grain: 'month', ...RANGE }, `/v1/partner/impressions?grain=month&${query}`],
          [
            'read_aggregate_impressions',
            { group_by: 'asset', ...RANGE },
            `/v1/partner/impressions/aggregate?group_by=asset&${query}`,
          ],
        ] as const) {
          const { isError, content } = await call(client, name, values)
          expect([isError, JSON.parse(content[0]!.text)]).toEqual([undefined, await world.read(path, key)])
        }
        const unknown = await call(client, 'read_nothing').catch(error => error)
        expect(unknown).toMatchObject({ code: -32602, message: expect.stringContaining('tools/list has all') })
      },
      revision,
    )
  })
})

test.each([
  ['read_impressions_daily', { id: 'nothing', ...RANGE }, 'NOT_FOUND'],
  ['read_impressions_daily', RANGE, 'REQUIRED_PARAMETER'],
  ['read_asset', { id: 'a\0b' }, 'INVALID_PARAMETER'],
  ['list_assets', { limit: [1] }, 'INVALID_PARAMETER'],
  ['list_assets', { output: 'csv' }, 'INVALID_PARAMETER'],
  ['list_assets', { contry: 'DE' }, 'INVALID_PARAMETER'],
  ['list_assets', { cursor: 'nothing' }, 'INVALID_CURSOR'],
  ['read_impressions_hourly', { from_date: '2020-01-01', to_date: '2026-01-01' }, 'RANGE_TOO_LARGE', true],
  ['list_assets', { name_contains: `a${'"'.repeat(8_000)}` }, 'INVALID_PARAMETER'],
  ['list_assets', { ['"'.repeat(50_000)]: 1 }, 'INVALID_PARAMETER'],
])('%s has errors that the assistant can correct (%#)', async (name, values, code, ofAsset = false) => {
  await withClient(key, async client => {
    const result = await call(client, name, { ...(ofAsset && { id: asset.id }), ...values })
    expect([result.isError, JSON.stringify(result).length < 50_000]).toEqual([true, true])
    expect(JSON.parse(result.content[0]!.text).error.code).toBe(code)
  })
})

describe('a result of more than 50,000 characters is an error that names what makes it shorter', () => {
  let many: string

  beforeAll(async () => {
    const company = await world.make.company()
    await world.make.together(async make => {
      for (let i = 0; i < 90; i++) await make.asset({ company, description: 'ü'.repeat(500) })
    })
    many = await world.make.key([company])
  })

  test.each([
    ['list_assets', {}, { limit: 20 }],
    ['read_aggregate_impressions', { from_date: '2023-01-01', to_date: '2026-04-03' }, { grain: 'month' }],
    ['list_impressions', { from_date: '2026-03-28', to_date: '2026-04-30', grain: 'day' }, { limit: 5 }],
  ])('%s with %j, shorter with %j', async (name, values, shorter) => {
    await withClient(many, async client => {
      const { isError, content } = await call(client, name, values)
      const { code, message } = JSON.parse(content[0]!.text).error
      expect([isError, code]).toEqual([true, 'RANGE_TOO_LARGE'])
      expect(message).toContain(Object.keys(shorter)[0])
      const allowed = await call(client, name, { ...values, ...shorter })
      expect([allowed.isError, allowed.content[0]!.text.length < 50_000]).toEqual([undefined, true])
    })
  })
})

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

/** Sends a request of the revision without a handshake. */
function postNow(method: string, params: object = {}, headers: Record<string, string> = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return post(
    { ...PING, method, params: { _meta: meta, ...params } },
    { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...headers },
  )
}

test.each<[accept: string | undefined, isAcceptable: boolean]>([
  [undefined, true],
  ['*/*', true],
  ['application/*', true],
  ['application/json', true],
  ['Application/JSON', true],
  ['TEXT/EVENT-STREAM, APPLICATION/JSON', true],
  ['text/event-stream', false],
  ['text/html, application/xml', false],
  ['text/event-stream, application/json;q=0', false],
])('whether JSON, the only format, can be had with the Accept %p: %p', async (accept, isAcceptable) => {
  const headers: Record<string, string> = accept === undefined ? {} : { accept }
  for (const { status, headers: received, body } of [
    await post(PING, headers),
    await postNow('tools/list', {}, headers),
  ]) {
    expect([status, received['content-type']]).toEqual([isAcceptable ? 200 : 406, 'application/json; charset=utf-8'])
    const error = { code: 'NOT_ACCEPTABLE', details: { available: ['application/json'] } }
    expect(body).toMatchObject(isAcceptable ? { id: 1, result: {} } : { error })
  }
})

test('an unknown version of the protocol is refused by any message, with those that are known', async () => {
  const discovered = await postNow('server/discover')
  const known = [...discovered.body.result.supportedVersions, ...SUPPORTED_PROTOCOL_VERSIONS]
  for (const version of ['1999-01-01', '2099-01-01', 'x', ''])
    for (const message of [PING, NOTIFICATION, initialize({ protocolVersion: '2025-11-25' })]) {
      const { status, body } = await post(message, { 'MCP-Protocol-Version': version })
      expect([status, body.error.code, body.error.data]).toEqual([
        400,
        -32022,
        { supported: known, requested: version },
      ])
      for (const each of known) expect(body.error.message).toContain(each)
    }
})

const initialize = (params: object) => ({
  ...PING,
  method: 'initialize',
  params: { capabilities: {}, clientInfo: { name: 'test', version: '1' }, ...params },
})

test.each([
  ['no version', initialize({})],
  ['a number as its version', initialize({ protocolVersion: 5 })],
  ['no client', initialize({ protocolVersion: '2025-11-25', clientInfo: null })],
  ['no parameters', { ...PING, method: 'initialize' }],
  ['a number as its cursor', { ...PING, method: 'tools/list', params: { cursor: 5 } }],
  ['no tool', { ...PING, method: 'tools/call', params: {} }],
])('a request with %s has invalid parameters', async (_, message) => {
  expect((await post(message)).body).toMatchObject({ id: 1, error: { code: -32602 } })
})

const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/initialized' }

test.each<[what: string, status: number, code: unknown, message: unknown, headers?: Record<string, string>]>([
  ['a notification', 202, undefined, NOTIFICATION],
  ['the origin of the service', 200, undefined, PING, { Origin: 'SERVICE' }],
  ['nothing', 400, 'BAD_REQUEST', ''],
  ['a part of JSON', 400, 'BAD_REQUEST', '{'],
  ['several messages', 400, 'BAD_REQUEST', [PING]],
  ['null', 400, 'BAD_REQUEST', 'null'],
  ['no method', 400, -32600, { jsonrpc: '2.0' }],
  ['the origin of another page', 403, -32000, PING, { Origin: 'https://elsewhere.example' }],
  ['a key that is not valid', 401, 'INVALID_API_KEY', PING, { 'X-API-Key': '' }],
])('a message with %s gets %i and the code %p', async (_, status, code, message, headers = {}) => {
  const origin = headers.Origin === 'SERVICE' ? { Origin: world.url } : {}
  const response = await post(message, { ...headers, ...origin })
  // A notification has no body.
  expect([response.status, response.text === '']).toEqual([status, status === 202])
  if (code === undefined) expect(response.text).not.toContain('"error"')
  else expect(JSON.parse(response.text).error.code).toBe(code)
})
