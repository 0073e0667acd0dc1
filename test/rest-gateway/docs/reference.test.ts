import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import { partnerRoutes } from '../../../rest-gateway/routes/partner'
import { ERRORS } from '../../../schema/errors'
import { Service, send, type TestResponse } from '../../support/service'

const PAGES = ['/docs', '/docs/migration', '/docs/operations', '/docs/changelog']

describe('the documentation without JavaScript', () => {
  let service: Service
  const pages = new Map<string, TestResponse>()

  beforeAll(async () => {
    service = await Service.start()
    for (const path of PAGES) pages.set(path, await send(service.url + path))
  })
  afterAll(() => service.stop())

  const getText = (path: string) => (pages.get(path) as TestResponse).text

  it.each(PAGES)('%s links to all other pages and loads nothing from other origins', path => {
    const { status, headers } = pages.get(path) as TestResponse
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; .*connect-src 'self'/)
    for (const other of [...PAGES, '/openapi.json']) expect(getText(path)).toContain(`<a href="${other}"`)
    expect(getText(path)).not.toMatch(/(src|<link[^>]* href)="(https?:|\/\/)|\{\{/)
  })

  it.each(PAGES)('every link to a section of %s has a target', path => {
    const ids = new Set([...getText(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const targets = [...getText(path).matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(targets.length).toBeGreaterThan(0)
    expect(targets.filter(id => !ids.has(id))).toEqual([])
  })

  it('lists every route with its summary and parameters', () => {
    for (const { path, summary, parameters } of [...partnerRoutes, ...legacyRoutes]) {
      for (const word of [
        `<code>GET ${path}</code>`,
        summary.replaceAll("'", '&#39;'),
        ...parameters.map(({ name }) => `<code>${name}</code>`),
      ]) {
        expect(getText('/docs').replaceAll('&#39;', "'")).toContain(word.replaceAll('&#39;', "'"))
      }
    }
  })

  it('lists the fields of every response, nested ones too', () => {
    for (const field of [
      'data[].coverage',
      'pagination.cursor',
      'data[].health.status',
      'analytics.data[].impressions',
    ])
      expect(getText('/docs')).toContain(`<td><code>${field}</code></td>`)
  })

  it('shows the GraphQL query of every route', () => {
    for (const { operation } of [...partnerRoutes, ...legacyRoutes])
      expect(getText('/docs')).toMatch(new RegExp(`<summary>GraphQL query</summary>\n<pre><code>query ${operation}\\b`))
  })

  it('lists every error code with its status', () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      // Returned by /graphql only.
      if (code === 'QUERY_TOO_COSTLY') continue
      expect(getText('/docs')).toContain(`<td><code>${code}</code></td>\n<td>${status}</td>`)
    }
  })

  it('has a stylesheet that can be cached forever', async () => {
    const [, path = ''] = /href="(\/docs\/page-[^"]+\.css)"/.exec(getText('/docs')) ?? []
    const { status, headers } = await send(service.url + path)
    expect([status, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
    expect(headers['cache-control']).toMatch(/immutable/)
  })

  it('shows the changelog', () => {
    expect(getText('/docs/changelog')).toContain('<h2 id="unreleased">Unreleased</h2>')
  })
})
