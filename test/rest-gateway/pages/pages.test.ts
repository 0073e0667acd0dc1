/** The pages of the documentation as the build wrote them and the service sends them, without a browser. */
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import { ERRORS } from '../../../schema/errors'
import { buildBeforeAll } from '../../support/build'
import { DOCUMENTS } from '../../support/documents'
import { send, type TestResponse } from '../../support/http'
import { World } from '../../support/world'

/** Paths that are served, and are no pages of the documentation. */
const OTHER_PATHS = ['/', '/docs/search', '/docs/try', '/explorer', '/openapi.json', '/favicon.ico', '/client.tgz']

buildBeforeAll()

let world: World
const pages = new Map<string, TestResponse>()

beforeAll(async () => {
  world = await World.open()
  for (const path of [...DOCUMENTS, '/', '/docs/search', '/docs/try']) pages.set(path, await send(world.url + path))
})
afterAll(() => world.stop())

const getText = (path: string) => (pages.get(path) as TestResponse).text
const findAll = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found)

test('llms.txt has all pages', async () => {
  const { text } = await send(`${world.url}/llms.txt`)
  const listed = findAll(text, /^- \[.*\]\((.*)\): /gm).map(path =>
    path.replace(/^\/docs\/guide\.md$|\.md$/, match => (match === '.md' ? '' : '/docs')),
  )
  expect(listed).toEqual(DOCUMENTS)
})

test.each(DOCUMENTS)('%s links to all other pages, and loads nothing from other origins', path => {
  const { status, headers, text } = pages.get(path) as TestResponse
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
  for (const other of [...DOCUMENTS, '/docs/search', '/docs/try']) expect(text).toContain(` href="${other}"`)
  expect(text).not.toMatch(/(src|<link[^>]* href)="(https?:|\/\/)|\{\{|<script>|style="/)
})

test('every link leads to a page, and to one heading of it', async () => {
  const ids = new Map([...pages].map(([path, { text }]) => [path, findAll(text, / id="([^"]+)"/g)]))
  for (const path of pages.keys()) {
    for (const href of findAll(getText(path), / href="([/#][^"]*)"/g)) {
      const [page = '', anchor] = href.split('#')
      if (/^\/docs\/assets\/|\.md$/.test(page)) continue
      if (!pages.has(page || path)) expect([href, OTHER_PATHS.includes(page)]).toEqual([href, true])
      else if (anchor && page !== '/docs/try')
        expect([path, href, ids.get(page || path)?.filter(id => id === anchor).length]).toEqual([path, href, 1])
    }
  }
})

test('the reference has every route', () => {
  for (const { path, operation } of [...partnerRoutes, ...legacyRoutes]) {
    expect(getText('/docs/reference')).toContain(`<h2 id="${operation}">`)
    expect(getText('/docs/reference')).toContain(`<code>GET ${path}</code>`)
  }
})

test('every error code has a section, to which error responses link', async () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const [, section = ''] = getText('/docs/errors').split(`<h2 id="${code}">`)
    expect(section).toMatch(new RegExp(`^[^]*?Status ${status}\\. [^]*?Cause:[^]*?Remedy:`))
  }
  const { body, headers } = await world.get('/v1/partner/unknown')
  expect(headers.link).toBe(`</docs/errors#${body.error.code}>; rel="help"`)
  expect((await world.get('/v1/metrics/unknown')).headers.link).toBeUndefined()
})

test.each(DOCUMENTS)('%s is also available as Markdown', async path => {
  const { status, headers, text } = await send(`${world.url}${path === '/docs' ? '/docs/guide' : path}.md`)
  expect([status, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
  expect(text).toMatch(/^# /)
  expect(text).not.toMatch(/\{\{|\{#|<\/?(div|details)/)
})
