/** The response headers that the OpenAPI document describes. */

const header = (description: string, example: string, required = true) => ({
  description,
  required,
  schema: { type: 'string' },
  example,
})

export const HEADERS = {
  'X-Request-Id': header('The id of the request, sent or generated.', '6f1c2f0e-4b8a-4f0e-9c39-0d5f5c6d7e10'),
  ETag: header('A weak entity tag of the body, for `If-None-Match`.', 'W/"Zm9yIGV4YW1wbGUgb25seS4"'),
  'Server-Timing': header('Milliseconds of each stage, in the test environment.', 'read;dur=0.1, total;dur=1.9', false),
  'Cache-Control': header('How the response may be cached.', 'private, no-cache'),
  Vary: header('The request headers that the response depends on.', 'X-API-Key, Accept, Accept-Encoding'),
  'RateLimit-Policy': header('The rate limit: `q` requests per window of `w` seconds.', '"default";q=600;w=60'),
  RateLimit: header(
    'The requests that remain (`r`), and the seconds until the next window (`t`).',
    '"default";r=599;t=42',
  ),
  'X-API-Key-Expiration': header('The end of the key, within 30 days before it.', '2027-03-31T22:00:00.000Z', false),
  'WWW-Authenticate': header('The authentication scheme.', 'ApiKey realm="partner-metrics"'),
  Allow: header('The allowed methods.', 'GET, HEAD, OPTIONS'),
  'Retry-After': header('Seconds to wait before the next request.', '42'),
  Deprecation: header('The time from which the legacy interface is deprecated (RFC 9745).', '@1767225600', false),
  Link: header(
    'Link to the next page (`next`), in JSON, absent on the last page; to the cause and the remedy of an error (`help`); to the migration guide (`deprecation`), absent until the legacy interface is deprecated.',
    '</docs/errors#NOT_FOUND>; rel="help"',
  ),
  'X-Next-Cursor': header('The `pagination.cursor` of the page, in formats other than JSON.', 'Zm9yIGV4YW1wbGU', false),
}

export type HeaderName = keyof typeof HEADERS

export const RATE_HEADERS: HeaderName[] = ['RateLimit-Policy', 'RateLimit']

export const headers = (names: HeaderName[]): object =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

/** Returns headers that not every such response has. */
export const optionalHeaders = (names: HeaderName[]): object =>
  Object.fromEntries(names.map(name => [name, { ...HEADERS[name], required: false }]))

export const DEPRECATION_HEADERS = { ...headers(['Deprecation']), ...optionalHeaders(['Link']) }
