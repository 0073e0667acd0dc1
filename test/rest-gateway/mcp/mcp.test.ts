/** The Model Context Protocol as the official client speaks it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { MadeAsset } from '../../support/factories'
import { withMoreFields } from '../../support/openapi-check'
import { Service } from '../../support/service'

let service: Service
let key: string
let asset: MadeAsset

const RANGE = { from_date: '2026-03-28', to_date: '2026-03-30' }

beforeAll(async () => {
  service = await Service.start({ quota: 500 })
  const company = await service.make.company()
  key = await service.make.key([company])
  asset = await service.make.asset({ company, name: 'Bridge', time_zone: 'Europe/Berlin' })
  await service.make.counts(await service.make.sensor({ asset }), '2026-03-29', () => 1)
})
afterAll(() => service.stop())

/** @param receive replaces fetch */
async function withClient<Result>(
  presented: string,
  use: (client: Client) => Promise<Result>,
  receive: typeof fetch = fetch,
): Promise<Result> {
  const client = new Client({ name: 'test', version: '1' })
  const options = { requestInit: { headers: { 'X-API-Key': presented } }, fetch: receive }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), options) as never)
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

const call = (client: Client, name: string, values: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: values }) as Promise<ToolResult>

/** Sends a message without the client. */
const post = async (message: unknown, headers: Record<string, string> = {}, method = 'POST') => {
  const response = await fetch(`${service.url}/mcp`, {
    method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    ...(method === 'POST' && { body: typeof message === 'string' ? message : JSON.stringify(message) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('the partner routes are tools, whose results are those of the routes, with units and time zone', async () => {
  await withClient(key, async client => {
    await client.ping()
    expect(client.getInstructions()).toContain('list_assets')
    // The client checks results against the schemas of this list.
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_meta', 'list_assets', 'list_changes']))
    expect(tools.filter(({ name }) => /legacy|metrics/.test(name))).toEqual([])
    const daily = tools.find(({ name }) => name === 'read_impressions_daily')
    expect(daily?.inputSchema).toMatchObject({ required: ['from_date', 'to_date', 'id'], additionalProperties: false })

    const found = await call(client, 'list_assets', { name_contains: 'bridge', limit: 1 })
    expect(found.structuredContent).toEqual(await service.read('/v1/partner/assets?limit=1', key))
    const result = await call(client, 'read_impressions_daily', { id: asset.id, ...RANGE })
    const path = `/v1/partner/assets/${asset.id}/impressions/daily?${new URLSearchParams(RANGE)}`
    const body = await service.read(path, key)
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
  })
})

test('an assistant that has cached the tools reads results of a later version, with more fields and values', async () => {
  /** Returns the responses of a service that has added a field to each object, and a value to each enum. */
  const receiveLater: typeof fetch = async (...request) => {
    const response = await fetch(...request)
    const text = await response.text()
    const { result, ...message } = text === '' ? {} : JSON.parse(text)
    if (!result?.structuredContent) return new Response(text || null, response)
    const later = JSON.stringify(withMoreFields(result.structuredContent)).replaceAll(
      /"(active|quarter_hour|minute|impressions|GRAIN_NOT_AVAILABLE)"(?=[,}])/g,
      '"added_later"',
    )
    return new Response(JSON.stringify({ ...message, result: { ...result, structuredContent: JSON.parse(later) } }), {
      headers: { 'Content-Type': 'application/json' },
    })
  }
  const { make } = service
  const company = await make.company()
  const counted = await make.asset({ company })
  await make.counts(await make.sensor({ asset: counted }), '2026-03-29', () => 1)
  // An asset without sensors has no minutes, but an error in their place.
  await make.asset({ company })
  const ranges = { id: counted.id, ...RANGE }
  await withClient(
    await make.key([company]),
    async client => {
      await client.listTools()
      const results = [
        await call(client, 'read_meta'),
        await call(client, 'list_assets'),
        await call(client, 'list_sensors'),
        await call(client, 'read_impressions_daily', ranges),
        await call(client, 'read_demographics', ranges),
        await call(client, 'list_impressions', { grain: 'minute', limit: 2, ...RANGE, to_date: RANGE.from_date }),
        await call(client, 'list_changes'),
      ]
      for (const result of results) expect(result).toHaveProperty('structuredContent.added_later')
      const values = JSON.stringify(results.map(({ structuredContent }) => structuredContent))
      for (const field of ['status', 'finest_grain', 'code', 'kind'])
        expect(values).toContain(`"${field}":"added_later"`)
    },
    receiveLater,
  )
})

test.each([
  ['read_impressions_daily', { id: 'nothing', ...RANGE }, 'NOT_FOUND'],
  ['read_impressions_daily', RANGE, 'REQUIRED_PARAMETER'],
  ['read_asset', { id: 'a\0b' }, 'INVALID_PARAMETER'],
  ['list_assets', { output: 'csv' }, 'INVALID_PARAMETER'],
  ['list_assets', { contry: 'DE' }, 'INVALID_PARAMETER'],
  ['read_impressions_hourly', { from_date: '2020-01-01', to_date: '2026-01-01' }, 'RANGE_TOO_LARGE', true],
  [
    'read_impressions_timeseries',
    { grain: 'minute', from_date: '2026-03-28', to_date: '2026-04-03' },
    'RANGE_TOO_LARGE',
    true,
  ],
])('%s with %j is an error that the assistant can correct: %s', async (name, values, code, ofAsset = false) => {
  await withClient(key, async client => {
    const { isError, content } = await call(client, name, { ...(ofAsset && { id: asset.id }), ...values })
    expect(isError).toBe(true)
    expect(JSON.parse(content[0]?.text as string).error.code).toBe(code)
  })
})

test('a key reads its companies alone, and errors of keys and rates are those of other routes', async () => {
  const other = await service.make.key([await service.make.company()])
  await withClient(other, async client => {
    expect((await call(client, 'list_assets')).structuredContent).toMatchObject({ data: [] })
    expect((await call(client, 'read_asset', { id: asset.id })).isError).toBe(true)
  })
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const missing = await post(ping)
  expect([missing.status, JSON.parse(missing.text).error.code]).toEqual([401, 'MISSING_API_KEY'])
  const limited = await service.make.key([], { rate_requests: 2, rate_seconds: 60 })
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await post(ping, { 'X-API-Key': limited })).status)
  expect(statuses).toEqual([200, 200, 429])
})

test('a notification is accepted without a body', async () => {
  const { status, headers, text } = await post(
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { 'X-API-Key': await service.make.key([]) },
  )
  expect([status, headers.get('content-type'), text]).toEqual([202, null, ''])
})

test('what is no message of the protocol is refused', async () => {
  const own = await service.make.key([])
  const headers = { 'X-API-Key': own }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const streaming = await post(ping, headers, 'GET')
  expect(streaming.headers.get('allow')).toBe('POST, OPTIONS')
  expect(JSON.parse(streaming.text).error.message).toBe('The method must be one of POST, OPTIONS.')
  for (const wrong of [
    '',
    '{',
    '[]',
    'null',
    '{"jsonrpc":"2.0"}',
    [ping],
    { ...ping, id: null },
    { ...ping, params: 1 },
  ]) {
    expect([wrong, (await post(wrong, headers)).status]).toEqual([wrong, 400])
  }
  for (const [method, code] of [
    ['resources/list', -32601],
    ['tools/call', -32602],
  ] as const) {
    expect(JSON.parse((await post({ ...ping, method }, headers)).text).error.code).toBe(code)
  }
  expect((await post(ping, { ...headers, 'MCP-Protocol-Version': '2020-01-01' })).status).toBe(400)
  expect((await post(ping, { ...headers, Accept: 'text/html' })).status).toBe(406)
  expect((await post(ping, { ...headers, Accept: 'application/json; charset=utf-8' })).status).toBe(200)
  expect((await post(ping, { ...headers, Origin: 'https://elsewhere.example' })).status).toBe(403)
  expect((await post(ping, { ...headers, Origin: service.url })).status).toBe(200)
})
