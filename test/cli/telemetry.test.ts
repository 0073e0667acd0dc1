import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { send } from '../support/http'
import { type Env, runJson } from '../support/in-process'
import { attributesOf, type Decoded, startCollector } from '../support/otlp-collector'

jest.setTimeout(60_000)

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const PATH = '/v1/partner/assets'

let database: TestDatabase
let env: Env
let key: string
beforeAll(async () => {
  database = await createDatabase()
  env = settingsOf(database)
  key = (await runJson(['keys', 'issue', '--no-company'], env)).document.key
})
afterAll(() => database.drop())

async function serve(port: number, settings: Env = {}) {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }
  const service = new Command(['serve'], { ...env, ...endpoint, ...settings })
  const url = await service.url()
  const get = (path: string, headers: Record<string, string> = {}) => send(url + path, { key, headers })
  return {
    service,
    get,
    readLog: () =>
      service.stderr
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line)),
  }
}

const findSpan = (spans: Decoded[], status: number) =>
  spans.find(span => attributesOf(span)['http.response.status_code'] === status)

test('a request is a span of the trace of its caller, with its stages, and without its key or its parameters', async () => {
  const collector = await startCollector()
  const { service, get, readLog } = await serve(collector.port)
  await get(`${PATH}?limit=2`, { traceparent: `00-${TRACE}-${PARENT}-01` })
  await get(`${PATH}?limit=0`)
  await get(PATH, { traceparent: `00-${TRACE}-${PARENT}-00` })
  // The rest is sent before the end.
  expect((await service.end('SIGTERM')).code).toBe(0)
  await collector.close()
  const spans = collector.spans()
  // The caller has not sampled the third one.
  expect(spans.length).toBe(2)
  const span = findSpan(spans, 200)
  expect(span).toMatchObject({ traceId: [TRACE], parentSpanId: [PARENT], name: [`GET ${PATH}`], kind: [2] })
  const keyId = readLog().find(({ status }) => status === 200).key_id
  expect(attributesOf(span)).toEqual({
    'http.request.method': 'GET',
    'http.route': PATH,
    'http.response.status_code': 200,
    // The key has no assets; its own row is the only one.
    'db.response.returned_rows': 1,
    'partner_metrics.batches': 1,
    'partner_metrics.request_id': expect.any(String),
    'partner_metrics.operation': 'ListAssets',
    'partner_metrics.key_id': keyId,
  })
  expect(span.events.map(({ name }: Decoded) => name[0])).toEqual(['read', 'execute', 'shape', 'send'])
  const times = [span.start, ...span.events.map(({ time }: Decoded) => time), span.end].map(([time]) => time)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(attributesOf(span.resource[0])).toMatchObject({ 'service.name': 'partner-metrics' })

  const refused = findSpan(spans, 400)
  expect(attributesOf(refused)['partner_metrics.code']).toBe('INVALID_PARAMETER')
  expect(readLog().find(({ status }) => status === 400)).toMatchObject({
    trace_id: refused.traceId[0],
    span_id: refused.spanId[0],
  })
  expect(JSON.stringify(spans)).not.toMatch(/limit|127\.0\.0\.1|msk_/)
})

test('a collector that is away fails no request, and is logged once', async () => {
  const collector = await startCollector()
  collector.leave()
  const settings = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '500' }
  const { service, get, readLog } = await serve(collector.port, settings)
  const findOutages = () => readLog().filter(({ level }) => level === 40)
  while (findOutages().length === 0) expect((await get('/healthz')).status).toBe(200)
  for (let i = 0; i < 20; i++) expect((await get('/healthz')).status).toBe(200)
  collector.comeBack()
  while (collector.spans().length === 0) expect((await get('/healthz')).status).toBe(200)
  expect((await service.end('SIGTERM')).code).toBe(0)
  await collector.close()
  expect(findOutages()).toMatchObject([{ msg: expect.stringContaining('traces cannot be exported') }])
  expect(readLog().map(({ msg }) => msg)).toContain('traces are exported again')
})
