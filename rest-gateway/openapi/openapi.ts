/** The OpenAPI 3.1 document of the routes, made from their records, the vocabulary and the table of errors. */
import type { GraphQLSchema } from 'graphql'
import { prefixOf } from '../../db/api-keys/key-format'
import { ERRORS, type ErrorCode } from '../../schema/errors'
import { EXAMPLES } from '../docs/examples'
import { LEGACY } from '../middleware/deprecation'
import type { JsonSchema } from '../routes/envelopes'
import type { Parameter } from '../routes/params'
import type { Route } from '../routes/route'
import { TAGS } from '../routes/tags'
import { EVERYWHERE, errorExamples, errorSchemas, legacyErrors, partnerErrors } from './error-responses'
import { type Components, dataSchema } from './json-schema'

const INFO = {
  title: 'partner-metrics',
  version: 'v1',
  summary: 'How many people pass advertising faces, and who they are.',
  description: [
    'Audience measurement of physical advertising assets. Every answer holds only what belongs to the companies of the key.',
    'The guide at [/docs](/docs) leads from a key to first numbers. What is added under `/v1` is told in [/docs/changelog](/docs/changelog); what is there does not change.',
  ].join('\n\n'),
  contact: { name: 'The operator who issued your key' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
}

const header = (description: string, example: string, required = true) => ({
  description,
  required,
  schema: { type: 'string' },
  example,
})

const HEADERS = {
  'X-Request-Id': header(
    "The request's id: the one that was sent, or one made for it.",
    '6f1c2f0e-4b8a-4f0e-9c39-0d5f5c6d7e10',
  ),
  ETag: header(
    'A weak tag of the answer. Send it as `If-None-Match` to get 304 while nothing has changed.',
    'W/"Zm9yIGV4YW1wbGUgb25seS4"',
  ),
  'Last-Modified': header(
    "When the asset's data changed last. Send it as `If-Modified-Since` to get 304 while nothing has changed; `If-None-Match` goes before it.",
    'Sat, 31 Jan 2026 04:00:12 GMT',
  ),
  'Server-Timing': header(
    'How long the database and all of it took, in milliseconds; in the test environment only.',
    'db;dur=1.2, total;dur=1.9',
    false,
  ),
  'Cache-Control': header('Whether and how the answer may be kept.', 'private, no-cache'),
  Vary: header('The request headers that the answer depends on.', 'X-API-Key, Accept-Encoding'),
  'RateLimit-Policy': header(
    'How many requests (`q`) a key has in a window of so many seconds (`w`).',
    '"default";q=600;w=60',
  ),
  RateLimit: header(
    'How many requests remain (`r`) and in how many seconds the next window begins (`t`).',
    '"default";r=599;t=42',
  ),
  'WWW-Authenticate': header('How to authenticate.', 'ApiKey realm="partner-metrics"'),
  Allow: header('The methods that are answered here.', 'GET, HEAD, OPTIONS'),
  'Retry-After': header('In how many seconds to try again.', '42'),
  Deprecation: header('Since when the legacy interface is deprecated (RFC 9745); absent before.', '@1767225600', false),
  Link: header(
    'Where to read how to move to the partner interface; absent before it is deprecated.',
    '</docs/migration>; rel="deprecation"; type="text/html"',
    false,
  ),
}

type HeaderName = keyof typeof HEADERS

/** An example of a header's value. */
export const headerExample = (name: string): string => HEADERS[name as HeaderName].example

const RATES: HeaderName[] = ['RateLimit-Policy', 'RateLimit']

const DEPRECATION: HeaderName[] = ['Deprecation', 'Link']

/** Refused before the key was looked at. */
const KEYLESS = [401, 405, 414, 431]

const isLegacy = ({ path }: Route): boolean => path.startsWith(LEGACY)

/** The document. `routes` are those that it is to tell of. */
export function openApi(schema: GraphQLSchema, routes: Route[]): object {
  const schemas: Components = {}
  const paths: Record<string, object> = {}
  for (const route of routes) paths[route.path] = { get: operation(schema, route, schemas) }
  const [partner, legacy] = [codesOf(routes.filter(route => !isLegacy(route))), codesOf(routes.filter(isLegacy))]
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/', description: 'The environment that serves this document.' }],
    security: [{ ApiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: `Your key, as the operator issued it: \`${prefixOf('dev')}…\` in the test environment, \`${prefixOf('production')}…\` in production. It carries the companies whose data it reads.`,
        },
      },
      headers: {
        ...HEADERS,
        ...Object.fromEntries(RATES.map(name => [sometimes(name), { ...HEADERS[name], required: false }])),
      },
      schemas: { ...schemas, ...errorSchemas(partner) },
      examples: errorExamples(partner, legacy),
    },
  }
}

function operation(schema: GraphQLSchema, route: Route, components: Components): object {
  const legacy = isLegacy(route)
  const good: HeaderName[] = [
    ...(['X-Request-Id', 'ETag', 'Cache-Control', 'Vary', 'Server-Timing'] as const),
    ...(route.versioned ? (['Last-Modified'] as const) : []),
    ...RATES,
    ...(legacy ? DEPRECATION : []),
  ]
  return {
    ...(legacy && { deprecated: true }),
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description: route.scope
      ? `${route.description}\n\nThe key needs the scope \`${route.scope}\`.`
      : route.description,
    parameters: route.parameters.toSorted((a, b) => a.in.localeCompare(b.in)).map(documentParameter),
    responses: {
      200: {
        description: route.summary,
        headers: headers(good),
        content: {
          'application/json': {
            schema: bodySchema(schema, route, components),
            examples: EXAMPLES.answers[route.operation] ?? {},
          },
        },
      },
      304: {
        description: 'Nothing has changed since the answer with this ETag.',
        headers: headers(good),
      },
      ...errorResponses(errorsOf(route), legacy),
    },
  }
}

/** The schema of a good answer: a record's own component, or one named for the operation. */
function bodySchema(schema: GraphQLSchema, route: Route, components: Components): JsonSchema {
  const body = route.envelope.schema(dataSchema(schema, route.document, components))
  if (body.$ref) return body
  const name = `${route.operation}Response`
  components[name] = { description: `${route.summary}.`, ...body, title: name }
  return { $ref: `#/components/schemas/${name}` }
}

/** Every code that a route can answer. */
export function errorsOf(route: Route): ErrorCode[] {
  return [
    ...new Set<ErrorCode>([
      ...(route.scope ? (['INSUFFICIENT_SCOPE'] as const) : []),
      ...route.parameters.flatMap(({ errors }) => errors),
      ...(route.errors ?? []),
      ...EVERYWHERE,
    ]),
  ]
}

const codesOf = (routes: Route[]): ErrorCode[] => {
  const used = new Set(routes.flatMap(errorsOf))
  return (Object.keys(ERRORS) as ErrorCode[]).filter(code => used.has(code))
}

/** The responses of errors: those of one status are told together. */
function errorResponses(codes: ErrorCode[], legacy: boolean): Record<string, object> {
  const responses: Record<string, object> = {}
  for (const status of [...new Set(codes.map(code => ERRORS[code].status))].sort()) {
    const ofStatus = codes.filter(code => ERRORS[code].status === status)
    responses[status] = {
      ...(legacy ? legacyErrors : partnerErrors)(ofStatus),
      headers: headers(
        [
          'X-Request-Id',
          'Cache-Control',
          'Server-Timing',
          ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
          ...(status === 405 ? (['Allow'] as const) : []),
          ...(status === 429 ? ([...RATES, 'Retry-After'] as const) : []),
          ...(status === 503 ? (['Retry-After'] as const) : []),
          ...(legacy ? DEPRECATION : []),
        ],
        status === 429 || KEYLESS.includes(status) ? [] : RATES,
      ),
    }
  }
  return responses
}

const documentParameter = ({ name, in: place, description, required, schema, example }: Parameter): object => ({
  name,
  in: place,
  description,
  required,
  schema,
  example,
})

/** References to headers; some stand only on answers to a key that proved good. */
const headers = (names: HeaderName[], counted: HeaderName[] = []): object =>
  Object.fromEntries(
    [...names.map(name => [name, name]), ...counted.map(name => [name, sometimes(name)])].map(([name, component]) => [
      name,
      { $ref: `#/components/headers/${component}` },
    ]),
  )

const sometimes = (name: HeaderName): string => `${name}-Sometimes`
