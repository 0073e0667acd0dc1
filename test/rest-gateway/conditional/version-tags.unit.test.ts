import fc from 'fast-check'
import { createValidators, readPrecondition, resourceHash } from '../../../rest-gateway/conditional/version-tags'
import { koaContext } from '../../support/koa-context'

const NOW = Date.parse('2026-01-02T00:00:00Z')
const RESOURCE = resourceHash('release', '/v1/partner/assets/1/impressions/daily')

/** @param changed microseconds since 1970 */
const validators = (version: number, changed = Date.parse('2026-01-01T00:00:00.9Z') * 1000, resource = RESOURCE) =>
  createValidators({ version, changed, matches: false }, resource, NOW)

const ifNoneMatch = (header: string) => readPrecondition(koaContext({ 'if-none-match': header }), RESOURCE, NOW)

const ifModifiedSince = (header: string) => readPrecondition(koaContext({ 'if-modified-since': header }), RESOURCE, NOW)

test('an entity tag identifies the version of its resource', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), version => {
      const { etag } = validators(version)
      expect(ifNoneMatch(etag)).toEqual({ version, unchangedSince: null })
    }),
  )
})

test('an entity tag of another release or address is ignored', () => {
  for (const other of [resourceHash('next', '/v1/partner/assets/1/impressions/daily'), resourceHash('release', '/')]) {
    const { etag } = validators(7, undefined, other)
    expect(ifNoneMatch(etag)).toEqual({ version: null, unchangedSince: null })
  }
})

test('of several entity tags the latest version counts', () => {
  expect(ifNoneMatch(`W/"9.${RESOURCE}", "b.${RESOURCE}", "zz.other"`).version).toBe(11)
})

test('any If-None-Match header is read as a version or none', () => {
  const header = fc.oneof(
    fc.string(),
    fc.string().map(text => `"${text}.${RESOURCE}"`),
  )
  fc.assert(
    fc.property(header, text => {
      const { version } = ifNoneMatch(text)
      expect(version === null || Number.isSafeInteger(version)).toBe(true)
    }),
  )
})

test('Last-Modified is the end of the second of the change, and If-Modified-Since accepts it', () => {
  const { lastModified } = validators(1)
  expect(lastModified).toBe('Thu, 01 Jan 2026 00:00:01 GMT')
  expect(ifModifiedSince(lastModified as string)).toEqual({ version: null, unchangedSince: NOW / 1000 - 86_399 })
})

test('Last-Modified is missing until its second is over', () => {
  for (const changed of [NOW, NOW + 999, NOW + 60_000])
    expect(validators(1, changed * 1000).lastModified).toBeUndefined()
  expect(validators(1, (NOW - 1000) * 1000 + 999_999).lastModified).toBe(new Date(NOW).toUTCString())
})

test('a date in the future is ignored', () => {
  expect(ifModifiedSince(new Date(NOW + 1000).toUTCString()).unchangedSince).toBeNull()
})

test.each(['2026-01-01', 'Thu, 01 Jan 2026 00:00:00 +0000', 'Fri, 01 Jan 2026 00:00:00 GMT', '0', 'yesterday'])(
  'If-Modified-Since: %s is ignored, since Last-Modified never has this form',
  header => {
    expect(ifModifiedSince(header).unchangedSince).toBeNull()
  },
)

test('If-Modified-Since is ignored beside If-None-Match', () => {
  const { lastModified } = validators(1)
  const ctx = koaContext({ 'if-none-match': '"other"', 'if-modified-since': lastModified as string })
  expect(readPrecondition(ctx, RESOURCE, NOW)).toEqual({ version: null, unchangedSince: null })
})
