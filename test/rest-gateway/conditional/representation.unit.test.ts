import { createTag, isCached, send, sendNotModified } from '../../../rest-gateway/conditional/representation'
import { koaContext } from '../../support/koa-context'

test.each([
  ['W/"a"', true],
  ['"a"', true],
  ['"x", W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['"A"', false],
  ['', false],
])('If-None-Match: %s matches W/"a": %s', (header, expected) => {
  expect(isCached(koaContext({ 'if-none-match': header }), 'W/"a"')).toBe(expected)
})

test('equal bodies have the same weak entity tag, as text and as bytes', () => {
  expect(createTag('{"ä":1}')).toMatch(/^W\/"[\w-]{22}"$/)
  expect(createTag(Buffer.from('{"ä":1}'))).toBe(createTag('{"ä":1}'))
  expect(createTag('{"ä":2}')).not.toBe(createTag('{"ä":1}'))
})

test('a response has its validators and may be cached by the client alone', () => {
  const ctx = koaContext()
  send(ctx, { etag: 'W/"a"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT', body: '{}' })
  expect(ctx.status).toBe(200)
  expect(ctx.body).toBe('{}')
  expect(ctx.response.headers).toMatchObject({
    etag: 'W/"a"',
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'cache-control': 'private, no-cache',
    'content-type': 'application/json; charset=utf-8',
    vary: 'X-API-Key, Accept, Accept-Encoding',
  })
})

test('where CORS is enabled, a response varies by origin too', () => {
  const ctx = koaContext()
  ctx.res.setHeader('Vary', 'Origin')
  send(ctx, { etag: 'W/"a"', body: '{}' })
  expect(ctx.response.get('Vary')).toBe('Origin, X-API-Key, Accept, Accept-Encoding')
})

test('a 304 response has the validators and no body', () => {
  const ctx = koaContext()
  sendNotModified(ctx, { etag: 'W/"a"' })
  expect([ctx.status, ctx.body, ctx.response.get('ETag')]).toEqual([304, undefined, 'W/"a"'])
})
