import { markdownPath, PAGES } from '../../../rest-gateway/docs/pages'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import { ERRORS } from '../../../schema/errors'
import { send, type TestResponse } from '../../support/http'
import { World } from '../../support/world'

const PATHS = PAGES.map(({ path }) => path)

describe('the documentation without JavaScript', () => {
  let world: World
  const pages = new Map<string, TestResponse>()

  beforeAll(async () => {
    world = await World.open()
    for (const path of PATHS) pages.set(path, await send(world.url + path))
  })
  afterAll(() => world.stop())

  const getText = (path: string) => (pages.get(path) as TestResponse).text

  it.each(PATHS)('%s links to all other pages and loads nothing from other origins', path => {
    const { status, headers } = pages.get(path) as TestResponse
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; .*connect-src 'self'/)
    for (const other of [...PATHS, '/docs/search', '/openapi.json'])
      expect(getText(path).includes(` href="${other}"`)).toBe(true)
    expect(getText(path)).not.toMatch(/(src|<link[^>]* href)="(https?:|\/\/)|\{\{/)
  })

  it.each(PATHS)('every link to a section of %s has one target', path => {
    const ids = [...getText(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    const targets = [...getText(path).matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(targets.length).toBeGreaterThan(0)
    expect(targets.filter(target => ids.filter(id => id === target).length !== 1)).toEqual([])
  })

  it('lists every route with its summary, and the type of every parameter', () => {
    const text = getText('/docs').replaceAll('&#39;', "'")
    for (const { path, summary, parameters } of [...partnerRoutes, ...legacyRoutes]) {
      expect(text).toContain(`<code>GET ${path}</code>`)
      expect(text).toContain(summary)
      for (const { name, schema, required } of parameters) {
        const { type, format } = schema as { type: string; format?: string }
        const cells = [
          `<code>${name}</code>`,
          format ? `${type} (${format})` : type,
          required ? 'required' : 'optional',
        ]
        expect(text).toContain(cells.map(cell => `<td>${cell}</td>`).join('\n'))
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

  it('shows the GraphQL query of every route to analysts, and none to partners', () => {
    const text = stripTags(getText('/docs/analysts'))
    for (const { operation } of [...partnerRoutes, ...legacyRoutes])
      expect(text).toMatch(new RegExp(`query ${operation}\\b`))
    expect(getText('/docs')).not.toMatch(/graphql|explorer/i)
  })

  it('has a section for every error code, to which error responses link', async () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      const [, section = ''] = getText('/docs/errors').split(`<h2 id="${code}">`)
      expect(section).toMatch(new RegExp(`^[^]*?Status ${status}\\. [^]*?Cause:[^]*?Remedy:`))
    }
    const { body, headers } = await world.get('/v1/partner/unknown')
    expect(headers.link).toBe(`</docs/errors#${body.error.code}>; rel="help"`)
    expect((await world.get('/v1/metrics/unknown')).headers.link).toBeUndefined()
  })

  it.each(PATHS)('%s is also available as Markdown, to which llms.txt links', async path => {
    const { status, headers, text } = await send(world.url + markdownPath(path))
    expect([status, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(text).toMatch(/^# /)
    expect(text).not.toMatch(/\{\{|\{#|<\/?(div|details)/)
    expect((await send(`${world.url}/llms.txt`)).text).toContain(`(${markdownPath(path)})`)
  })

  it('has a feed of the versions in the changelog', async () => {
    const { headers, text } = await send(`${world.url}/docs/changelog.atom`)
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    const [, anchor] = /<link href="\/docs\/changelog#([^"]+)"\/>/.exec(text) ?? []
    expect(getText('/docs/changelog')).toContain(`<h2 id="${anchor}">`)
    expect(text).toMatch(/<updated>\d{4}-\d{2}-\d{2}T00:00:00Z<\/updated>/)
  })

  it('shows the methodology that the API returns', async () => {
    const key = await world.make.key([])
    const meta = await world.read('/v1/partner/meta', key)
    const methodology = await world.read(meta.methodology, key)
    for (const text of [
      methodology.version,
      methodology.level.definition,
      ...methodology.measures.map((each: { name: string }) => each.name),
    ])
      expect(stripTags(getText('/docs/methodology'))).toContain(text)
  })

  it('has a stylesheet that can be cached forever', async () => {
    const [, path = ''] = /href="(\/docs\/page-[^"]+\.css)"/.exec(getText('/docs')) ?? []
    const { status, headers } = await send(world.url + path)
    expect([status, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
    expect(headers['cache-control']).toMatch(/immutable/)
  })
})

const stripTags = (html: string): string => html.replace(/<[^>]*>/g, '')
