import { brotliDecompressSync } from 'node:zlib'
import { buildBeforeAll } from '../support/build'
import { send, type TestResponse } from '../support/http'
import { World } from '../support/world'

let world: World

buildBeforeAll()
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<TestResponse> =>
  send(world.url + path, { method, headers })

const FILES = ['/', '/docs', '/docs/guide.md', '/docs/search', '/llms.txt', '/openapi.json', '/favicon.ico']

const comparable = ({
  status,
  headers: { date, 'x-request-id': id, 'server-timing': timing, ...headers },
}: TestResponse) => {
  const { 'transfer-encoding': _, ...others } = headers
  return [status, others]
}

test.each(FILES)(
  '%s is not sent again to a browser that has it cached, and has the same headers for HEAD',
  async path => {
    const { status, headers } = await get(path)
    expect([status, headers['cache-control']]).toEqual([200, expect.stringMatching(/^(no-cache|public, max-age=\d+)$/)])
    const cached = await get(path, { 'If-None-Match': headers.etag as string })
    expect([cached.status, cached.text, cached.headers.etag]).toEqual([304, '', headers.etag])
    expect(cached.headers.vary).toBe(headers.vary)
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200)
    for (const coding of ['identity', 'br', 'gzip, br;q=0.5', '*']) {
      const full = await get(path, { 'Accept-Encoding': coding })
      const head = await get(path, { 'Accept-Encoding': coding }, 'HEAD')
      expect([coding, ...comparable(head)]).toEqual([coding, ...comparable(full)])
      expect(head.text).toBe('')
    }
  },
)

test('/ is a page with links, and JSON for clients that do not accept HTML', async () => {
  const page = await get('/', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(page.text).toMatch(/href="\/explorer"[\s\S]*href="\/docs"[\s\S]*href="\/docs\/operations"/)
  const links = await get('/', { Accept: 'application/json' })
  expect(links.body).toEqual({
    name: 'partner-metrics',
    documentation: '/docs',
    explorer: '/explorer',
    openapi: '/openapi.json',
  })
  expect([page.headers.vary, links.headers.vary]).toEqual(['Accept, Accept-Encoding', 'Accept, Accept-Encoding'])
  expect(page.headers.etag).not.toBe(links.headers.etag)
})

test('an unknown address is a page with links for browsers, and an error in JSON for others and below /v1', async () => {
  const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  for (const path of ['/docs/unknown', '/unknown', '/docs/a/b']) {
    const { status, headers, text } = await get(path, browser)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      404,
      'text/html; charset=utf-8',
      'no-store',
    ])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(text).toMatch(/<h1 id="[^"]*">Page not found<\/h1>[\s\S]*href="\/docs\/policy"/)
    for (const Accept of ['application/json', '*/*', 'text/csv']) {
      const other = await get(path, { Accept })
      expect([other.status, other.body.error.code]).toEqual([404, 'NOT_FOUND'])
    }
  }
  for (const path of ['/v1/partner/unknown', '/v1/unknown'])
    expect((await get(path, browser)).body.error.code).toBe('NOT_FOUND')
  expect((await get('/docs/unknown', browser, 'POST')).body.error.code).toBe('NOT_FOUND')
})

test('a page with a trailing slash redirects to the page', async () => {
  for (const path of ['/docs', '/docs/migration', '/docs/search']) {
    const { status, headers } = await get(`${path}/?a=b`)
    expect([status, headers.location]).toEqual([308, `${path}?a=b`])
  }
})

test('the icon is an image that browsers display', async () => {
  const { headers, bytes } = await get('/favicon.ico')
  expect(headers['content-type']).toMatch(/^image\//)
  expect([...bytes.subarray(0, 4)]).toEqual([0, 0, 1, 0])
})

test('a compressed page is the same page', async () => {
  const [plain, compressed] = [await get('/docs'), await get('/docs', { 'Accept-Encoding': 'br' })]
  expect(brotliDecompressSync(compressed.bytes).toString()).toBe(plain.text)
  expect(compressed.headers.etag).toBe(plain.headers.etag)
})

test('browsers are told not to guess the type of any response', async () => {
  for (const path of [
    ...FILES,
    '/healthz',
    '/readyz',
    '/v1/partner/meta',
    '/v1/metrics/assets',
    '/graphql',
    '/unknown',
    '/%',
  ])
    expect((await get(path)).headers['x-content-type-options']).toBe('nosniff')
})
