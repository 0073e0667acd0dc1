/** The response headers that the OpenAPI document describes. */

const header = (description: string, example: string, required = true) => ({
  description,
  required,
  schema: { type: 'string' },
  example,
})

const HEADERS = {
  'X-Request-Id': header(
    'The id of the request: the one that the caller sent, or a generated one.',
    '6f1c2f0e-4b8a-4f0e-9c39-0d5f5c6d7e10',
  ),
  ETag: header(
    'A weak entity tag of the response. Send it as `If-None-Match` to get 304 if nothing has changed.',
    'W/"Zm9yIGV4YW1wbGUgb25seS4"',
  ),
  'Server-Timing': header(
    'Milliseconds spent in each stage of the request, and in total. Sent in the test environment only.',
    'read;dur=0.1, execute;dur=1.2, shape;dur=0.3, send;dur=0.1, total;dur=1.9',
    false,
  ),
  'Cache-Control': header('How the response may be cached.', 'private, no-cache'),
  Vary: header('The request headers that the response depends on.', 'X-API-Key, Accept, Accept-Encoding'),
  'RateLimit-Policy': header(
    'The rate limit of the key: `q` requests per window of `w` seconds.',
    '"default";q=600;w=60',
  ),
  RateLimit: header(
    'The number of requests that remain (`r`) and the seconds until the window is reset (`t`).',
    '"default";r=599;t=42',
  ),
  'X-API-Key-Expiration': header(
    'When the key expires (RFC 3339), within the 30 days before. It is `key.expires_at` of `/v1/partner/meta`.',
    '2027-03-31T22:00:00.000Z',
    false,
  ),
  'WWW-Authenticate': header('The authentication scheme.', 'ApiKey realm="partner-metrics"'),
  Allow: header('The allowed methods.', 'GET, HEAD, OPTIONS'),
  'Retry-After': header('Seconds to wait before the next request.', '42'),
  Deprecation: header(
    'The time from which the legacy interface is deprecated (RFC 9745); absent before that.',
    '@1767225600',
    false,
  ),
  Link: header(
    'Link to the migration guide; absent until the legacy interface is deprecated.',
    '</docs/migration>; rel="deprecation"; type="text/html"',
    false,
  ),
  'Link-Next': header(
    'The address of the next page, in JSON; absent on the last page.',
    '<https://metrics.example/v1/partner/assets?limit=2&cursor=uR__3GfS0HwdjaFUk03OrmRlbW8wcHNiZTV4YW1paWwyMGc3bHptZA>; rel="next"',
    false,
  ),
  'Link-Help': header('Link to the cause and the remedy of the error.', '</docs/errors#NOT_FOUND>; rel="help"'),
  'X-Next-Cursor': header('The `pagination.cursor` of the page, in formats other than JSON.', 'Zm9yIGV4YW1wbGU', false),
}

export type HeaderName = keyof typeof HEADERS

/** Returns an example value of a header. */
export const headerExample = (name: string): string => HEADERS[name as HeaderName].example

export const RATE_HEADERS: HeaderName[] = ['RateLimit-Policy', 'RateLimit']

export const DEPRECATION_HEADERS: HeaderName[] = ['Deprecation', 'Link']

/** Headers of which not every response of a route has one. */
const SOMETIMES: HeaderName[] = [...RATE_HEADERS, 'ETag']

/** Returns the component of a header that is not on every response. */
const optionalName = (name: HeaderName): string => `${name}-Optional`

/** The header components of the document. */
export const HEADER_COMPONENTS = {
  ...HEADERS,
  ...Object.fromEntries(SOMETIMES.map(name => [optionalName(name), { ...HEADERS[name], required: false }])),
}

/** Returns references to headers. @param optional headers that are sent only after the key was accepted */
export const headers = (names: HeaderName[], optional: HeaderName[] = []): object =>
  Object.fromEntries(
    [...names.map(name => [name, name]), ...optional.map(name => [name, optionalName(name)])].map(
      ([name = '', component]) => [
        name.startsWith('Link-') ? 'Link' : name,
        { $ref: `#/components/headers/${component}` },
      ],
    ),
  )
