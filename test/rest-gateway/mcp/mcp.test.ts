/** The Model Context Protocol as the official clients of each revision speak it. */
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

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

const CLIENT = { name: 'test', version: '1' }

/** Official clients, by the revision that they speak. */
const CLIENTS = {
  '2025-11-25'(url: URL, options: object) {
    const client = new Client(CLIENT)
    return { client, connect: () => client.connect(new StreamableHTTPClientTransport(url, options) as never) }
  },
  '2026-07-28'(url: URL, options: object) {
    const client = new StatelessClient(CLIENT, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    return { client, connect: () => client.connect(new StatelessTransport(url, options)) }
  },
}

type Revision = keyof typeof CLIENTS

const REVISIONS = Object.keys(CLIENTS) as Revision[]

type AnyClient = ReturnType<(typeof CLIENTS)[Revision]>['client']

async function withClient<Result>(
  presented: string,
  use: (client: AnyClient) => Promise<Result>,
  revision: Revision = '2026-07-28',
): Promise<Result> {
  const options = { requestInit: { headers: { 'X-API-Key': presented } } }
  const { client, connect } = CLIENTS[revision](new URL('/mcp', world.url), options)
  await connect()
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

interface ToolResult {
  content: { text: string }[]
  structuredContent?: unknown
  isError?: boolean
}

const call = (client: AnyClient, name: string, values: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: values }) as Promise<ToolResult>

/** Sends a message without the client. */
const post = async (message: unknown, headers: Record<string, string> = {}, method = 'POST') => {
  const response = await fetch(`${world.url}/mcp`, {
    method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    ...(method === 'POST' && { body: typeof message === 'string' ? message : JSON.stringify(message) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe.each(REVISIONS)('a client of %s', revision => {
  test('reads the partner routes as tools, whose results are those of the routes, with units and time zone', async () => {
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

        const found = await call(client, 'list_assets', { name_contains: 'bridge', limit: 1 })
        expect(found.structuredContent).toEqual(await world.read('/v1/partner/assets?limit=1', key))
        const result = await call(client, 'read_impressions_daily', { id: asset.id, ...RANGE })
        const path = `/v1/partner/assets/${asset.id}/impressions/daily?${new URLSearchParams(RANGE)}`
        const body = await world.read(path, key)
        expect(result.structuredContent).toEqual(body)
        expect(JSON.parse(result.content[0]?.text as string)).toEqual(body)
        expect(result.content[1]?.text).toMatch(/`impressions` counts people .*"Bridge": Europe\/Berlin\.$/)
        for (const [name, values] of [
          ['read_impressions_summary', { id: asset.id, ...RANGE }],
          ['read_demographics', { id: asset.id, ...RANGE }],
          ['list_impressions', { grain: 'month', ...RANGE }],
          ['read_aggregate_impressions', { group_by: 'asset', ...RANGE }],
          ['list_changes', {}],
        ] as const) {
          expect((await call(client, name, values)).isError).toBeUndefined()
        }
        const unknown = await call(client, 'read_nothing').catch(error => error)
        expect(unknown).toMatchObject({ code: -32602, message: expect.stringContaining('tools/list has all') })
      },
      revision,
    )
  })
})

test('a client that speaks several revisions chooses the latest', async () => {
  const client = new StatelessClient(CLIENT, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { 'X-API-Key': key } }
  await client.connect(new StatelessTransport(new URL('/mcp', world.url), { requestInit }))
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  await client.close()
})

test.each([
  ['read_impressions_daily', { id: 'nothing', ...RANGE }, 'NOT_FOUND'],
  ['read_impressions_daily', RANGE, 'REQUIRED_PARAMETER'],
  ['read_asset', { id: 'a\0b' }, 'INVALID_PARAMETER'],
  ['list_assets', { output: 'csv' }, 'INVALID_PARAMETER'],
  ['list_assets', { contry: 'DE' }, 'INVALID_PARAMETER'],
  ['read_impressions_hourly', { from_date: '2020-01-01', to_date: '2026-01-01' }, 'RANGE_TOO_LARGE', true],
  ['read_impressions_daily', { ...RANGE, cursor: 'nothing' }, 'INVALID_CURSOR', true],
  ['read_impressions_daily', { ...RANGE, cursor: 'rows.nothing' }, 'INVALID_CURSOR', true],
  ['list_assets', { name_contains: `a${'"'.repeat(8_000)}` }, 'INVALID_PARAMETER'],
  ['list_assets', { ['"'.repeat(50_000)]: 1 }, 'INVALID_PARAMETER'],
])('%s has errors that the assistant can correct (%#)', async (name, values, code, ofAsset = false) => {
  await withClient(key, async client => {
    const result = await call(client, name, { ...(ofAsset && { id: asset.id }), ...values })
    const { isError, content } = result
    expect(isError).toBe(true)
    expect(JSON.stringify(result).length).toBeLessThan(50_000)
    expect(JSON.parse(content[0]?.text as string).error.code).toBe(code)
  })
})

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

test.each<[what: string, status: number, code: unknown, message: unknown, headers?: Record<string, string>]>([
  ['nothing', 400, 'BAD_REQUEST', ''],
  ['a part of JSON', 400, 'BAD_REQUEST', '{'],
  ['an empty list', 400, 'BAD_REQUEST', '[]'],
  ['null', 400, 'BAD_REQUEST', 'null'],
  ['no method', 400, 'BAD_REQUEST', { jsonrpc: '2.0' }],
  ['several messages', 400, 'BAD_REQUEST', [PING]],
  ['null as its id', 400, 'BAD_REQUEST', { ...PING, id: null }],
  ['parameters that are no object', 400, 'BAD_REQUEST', { ...PING, params: 1 }],
  ['an unknown method', 200, -32601, { ...PING, method: 'resources/list' }],
  ['a call of nothing', 200, -32602, { ...PING, method: 'tools/call' }],
  ['an unknown revision', 400, -32022, PING, { 'MCP-Protocol-Version': '2020-01-01' }],
  ['a type that is not offered', 406, 'NOT_ACCEPTABLE', PING, { Accept: 'text/html' }],
  ['a type that is offered', 200, undefined, PING, { Accept: 'application/json; charset=utf-8' }],
  ['the origin of another page', 403, -32000, PING, { Origin: 'https://elsewhere.example' }],
  ['a key that is not valid', 401, 'INVALID_API_KEY', PING, { 'X-API-Key': '' }],
])('a message with %s gets %i and the code %p', async (_, status, code, message, headers = {}) => {
  const response = await post(message, { 'X-API-Key': key, ...headers })
  expect([response.status, JSON.parse(response.text).error?.code]).toEqual([status, code])
})

test('a notification is accepted without a body', async () => {
  const message = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const { status, headers, text } = await post(message, { 'X-API-Key': key })
  expect([status, headers.get('content-type'), text]).toEqual([202, null, ''])
})

test('the origin of the service is accepted, and other methods than POST are not', async () => {
  const headers = { 'X-API-Key': key, Origin: world.url }
  expect((await post(PING, headers)).status).toBe(200)
  const streaming = await post(PING, headers, 'GET')
  expect(streaming.headers.get('allow')).toBe('POST, OPTIONS')
  expect(JSON.parse(streaming.text).error.message).toBe('The method must be one of POST, OPTIONS.')
})

test('messages count towards the rate of their key', async () => {
  const limited = await world.make.key([], { rate_requests: 1, rate_seconds: 60 })
  const headers = { 'X-API-Key': limited }
  expect([(await post(PING, headers)).status, (await post(PING, headers)).status]).toEqual([200, 429])
})

describe('a result is shorter than 50,000 characters, and says how to get the rest', () => {
  const WEEK = { from_date: '2026-03-28', to_date: '2026-04-03' }
  let many: string
  let first: MadeAsset

  beforeAll(async () => {
    const { make } = world
    const company = await make.company()
    await make.together(async () => {
      for (let i = 0; i < 90; i++) {
        // The name has what JSON escapes, and what separates its rows.
        first = await make.asset({ company, name: `},{"a":[ \\ ü${'"'.repeat(i)} ${i}` })
      }
    })
    many = await make.key([company])
    for (const day of ['2026-03-29', '2026-04-01']) {
      await make.counts(await make.sensor({ asset: first }), day, minute => minute)
    }
  })

  interface Part {
    data: { asset_id: string; data?: unknown[] }[]
    pagination?: { cursor: string | null; has_more: boolean }
    meta?: { truncated: { rows: number; next: { cursor: string } } }
  }

  /** Returns all rows of a tool, and how many results they came in. */
  async function readAll(name: string, values: Record<string, unknown>) {
    const rows: unknown[] = []
    let count = 0
    await withClient(many, async client => {
      let cursor: string | null | undefined
      do {
        const result = await call(client, name, { ...values, ...(cursor && { cursor }) })
        expect([result.isError && result.content, JSON.stringify(result).length < 50_000]).toEqual([undefined, true])
        const { data, pagination, meta } = result.structuredContent as Part
        expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent)
        const isSeries = data[0]?.data !== undefined
        const got = isSeries ? data.flatMap(({ asset_id, data }) => data!.map(row => ({ asset_id, row }))) : data
        if (meta) expect(isSeries ? [data.length, got.length] : [got.length]).toContain(meta.truncated.rows)
        if (meta && pagination) expect(pagination).toMatchObject({ has_more: true, cursor: meta.truncated.next.cursor })
        rows.push(...got)
        count++
        cursor = meta ? meta.truncated.next.cursor : pagination?.has_more ? pagination.cursor : null
      } while (cursor)
    })
    return { rows, count }
  }

  test.each([
    ['a list of assets', 'list_assets', { limit: 500 }, '/v1/partner/assets?limit=500'],
    [
      'a series of an asset',
      'read_impressions_timeseries',
      () => ({ id: first.id, grain: 'minute', ...WEEK }),
      () => `/v1/partner/assets/${first.id}/impressions/timeseries?grain=minute&${new URLSearchParams(WEEK)}`,
    ],
    [
      'series of many assets',
      'list_impressions',
      { grain: 'day', limit: 200, ...WEEK },
      `/v1/partner/impressions?limit=200&${new URLSearchParams(WEEK)}`,
    ],
    [
      'series of which each is too long',
      'list_impressions',
      () => ({ grain: 'minute', asset_ids: first.id, ...WEEK }),
      () => `/v1/partner/impressions?grain=minute&limit=5&asset_ids=${first.id}&${new URLSearchParams(WEEK)}`,
    ],
    [
      'the gaps of many assets',
      'list_gaps',
      { limit: 500, ...WEEK, from_date: '2026-01-01' },
      `/v1/partner/gaps?limit=500&from_date=2026-01-01&to_date=${WEEK.to_date}`,
    ],
    [
      'rows without order in time',
      'read_aggregate_impressions',
      { group_by: 'country', ...WEEK, from_date: '2023-01-01' },
      `/v1/partner/impressions/aggregate?group_by=country&from_date=2023-01-01&to_date=${WEEK.to_date}`,
    ],
  ])('%s', async (_, name, values, path) => {
    const body: Part = await world.read(typeof path === 'string' ? path : path(), many)
    const expected = body.data.flatMap(row =>
      row.data ? row.data.map(value => ({ asset_id: row.asset_id, row: value })) : [row],
    )
    const { rows, count } = await readAll(name, typeof values === 'function' ? values() : values)
    expect(rows).toEqual(expected)
    if (JSON.stringify(body).length > 50_000) expect(count).toBeGreaterThan(1)
  })

  test('the rest of rows that have changed meanwhile is not read', async () => {
    const values = { id: first.id, grain: 'minute', ...WEEK }
    await withClient(many, async client => {
      const { meta } = (await call(client, 'read_impressions_timeseries', values)).structuredContent as Part
      const { cursor } = meta!.truncated.next
      const next = () => call(client, 'read_impressions_timeseries', { ...values, cursor })
      expect((await next()).isError).toBeUndefined()
      const other = await call(client, 'read_impressions_timeseries', { ...values, grain: 'hour', cursor })
      await world.make.counts(await world.make.sensor({ asset: first }), '2026-03-28', () => 1)
      for (const { content } of [other, await next()]) {
        expect(JSON.parse(content[0]!.text).error.code).toBe('INVALID_CURSOR')
      }
    })
  })

  test('the list of tools is shorter than 20,000 characters, and describes each parameter', async () => {
    await withClient(many, async client => {
      const { tools } = await client.listTools()
      expect(JSON.stringify(tools).length).toBeLessThan(20_000)
      const described = tools.flatMap(({ inputSchema: { properties = {} } }) =>
        Object.entries(properties).flatMap(([name, schema]) => ('description' in schema ? name : [])),
      )
      const names = tools.flatMap(({ inputSchema: { properties = {} } }) => Object.keys(properties))
      expect(new Set(described)).toEqual(new Set(names))
    })
  })
})

describe('a request of 2026-07-28', () => {
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }

  /** Sends a request with the headers of its message, but for those given. */
  async function send(method: string, params: object = {}, headers: Record<string, string> = {}) {
    const standard = { 'X-API-Key': key, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method }
    const message = { jsonrpc: '2.0', id: 7, method, params: { _meta: META, ...params } }
    const { status, text } = await post(message, { ...standard, ...headers })
    return { status, ...JSON.parse(text) }
  }

  test('discovers the server, and gets results that are complete and can be cached', async () => {
    const server = { 'io.modelcontextprotocol/serverInfo': expect.objectContaining({ version: expect.any(String) }) }
    const shared = { resultType: 'complete', ttlMs: expect.any(Number), cacheScope: 'public', _meta: server }
    expect(await send('server/discover')).toEqual({
      status: 200,
      jsonrpc: '2.0',
      id: 7,
      result: {
        ...shared,
        supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
        capabilities: { tools: {} },
        instructions: expect.stringContaining('list_assets'),
      },
    })
    expect((await send('tools/list')).result).toEqual({ ...shared, tools: expect.any(Array) })
    const called = await send('tools/call', { name: 'read_meta' }, { 'Mcp-Name': 'read_meta' })
    expect(called.result).toMatchObject({ resultType: 'complete', _meta: server })
    const encoded = `=?base64?${Buffer.from('read_meta').toString('base64')}?=`
    expect((await send('tools/call', { name: 'read_meta' }, { 'Mcp-Name': encoded })).result).toEqual(called.result)
  })

  test.each([
    ['another version in the header', 'tools/list', {}, { 'MCP-Protocol-Version': '2025-11-25' }, 400, -32020],
    ['no version in the header', 'tools/list', {}, { 'MCP-Protocol-Version': '' }, 400, -32020],
    ['another method in the header', 'tools/list', {}, { 'Mcp-Method': 'tools/call' }, 400, -32020],
    ['no method in the header', 'tools/list', {}, { 'Mcp-Method': '' }, 400, -32020],
    ['no name in the header', 'tools/call', { name: 'read_meta' }, {}, 400, -32020],
    ['another name in the header', 'tools/call', { name: 'read_meta' }, { 'Mcp-Name': 'list_assets' }, 400, -32020],
    ['no version in the message', 'tools/list', { _meta: {} }, {}, 400, -32602],
    [
      'no capabilities',
      'tools/list',
      { _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': 1 } },
      {},
      400,
      -32602,
    ],
    ['a removed method', 'ping', {}, {}, 404, -32601],
    ['an unknown method', 'subscriptions/listen', {}, {}, 404, -32601],
    ['an unknown tool', 'tools/call', { name: 'read_nothing' }, { 'Mcp-Name': 'read_nothing' }, 200, -32602],
  ])('with %s is refused', async (_, method, params, headers, status, code) => {
    expect(await send(method, params, headers)).toMatchObject({ status, id: 7, error: { code } })
  })

  test('of a version that is not served gets those that are', async () => {
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }
    const refused = await send('tools/list', { _meta: meta }, { 'MCP-Protocol-Version': '2027-01-01' })
    const data = { supported: expect.arrayContaining(['2026-07-28', '2025-11-25']), requested: '2027-01-01' }
    expect(refused).toMatchObject({ status: 400, id: 7, error: { code: -32022, data } })
  })
})
