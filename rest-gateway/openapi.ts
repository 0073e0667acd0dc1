/** The OpenAPI 3.1 document of the routes, made from their records, the vocabulary and the table of errors. */
import type { GraphQLSchema } from 'graphql'
import { ERRORS, type ErrorCode } from '../schema/errors'
import { closed, type JsonSchema } from './envelopes'
import { legacyName } from './error-boundary'
import { type Components, dataSchema } from './json-schema'
import { LEGACY } from './legacy'
import type { Parameter } from './params'
import type { Route } from './route'

/** What every route can answer. */
export const EVERYWHERE: ErrorCode[] = [
  'BAD_REQUEST',
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'WRONG_ENVIRONMENT',
  'URI_TOO_LONG',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UNAVAILABLE',
  'TIMEOUT',
]

const header = (description: string): object => ({ description, schema: { type: 'string' } })

const HEADERS = {
  'X-Request-Id': header("The request's id: the one that was sent, or one made for it."),
  ETag: header('A weak tag of the body. Send it as `If-None-Match` to get 304 while nothing has changed.'),
  'Cache-Control': header('Whether and how the answer may be kept.'),
  Vary: header('The request headers that the answer depends on.'),
  'RateLimit-Policy': header('How many requests (`q`) a key has in a window of so many seconds (`w`).'),
  RateLimit: header('How many requests remain (`r`) and in how many seconds the next window begins (`t`).'),
  'WWW-Authenticate': header('How to authenticate.'),
  'Retry-After': header('In how many seconds to try again.'),
  Deprecation: header('Since when the legacy interface is deprecated (RFC 9745); absent before.'),
  Link: header('Where to read how to move to the partner interface; absent before it is deprecated.'),
}

type HeaderName = keyof typeof HEADERS

const RATES: HeaderName[] = ['RateLimit-Policy', 'RateLimit']

const DEPRECATION: HeaderName[] = ['Deprecation', 'Link']

const isLegacy = ({ path }: Route): boolean => path.startsWith(LEGACY)

/** The document. `routes` are those that it is to tell of. */
export function openApi(schema: GraphQLSchema, routes: Route[]): object {
  const components: Components = {}
  const paths: Record<string, object> = {}
  for (const route of routes) paths[route.path] = { get: operation(schema, route, components) }
  for (const code of Object.keys(ERRORS) as ErrorCode[]) components[errorName(code)] = errorSchema(code)
  return {
    openapi: '3.1.0',
    info: {
      title: 'partner-metrics',
      version: 'v1',
      description:
        'Audience measurement of physical advertising assets. Every answer holds only what belongs to the companies of the key.',
    },
    servers: [{ url: '/' }],
    security: [{ ApiKey: [] }],
    paths,
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers: HEADERS,
      schemas: components,
    },
  }
}

function operation(schema: GraphQLSchema, route: Route, components: Components): object {
  const legacy = isLegacy(route)
  const good: HeaderName[] = ['X-Request-Id', 'ETag', 'Cache-Control', 'Vary', ...RATES, ...(legacy ? DEPRECATION : [])]
  return {
    ...(legacy && { deprecated: true }),
    operationId: route.operation,
    summary: route.summary,
    parameters: route.parameters.map(documentParameter),
    responses: {
      200: {
        description: route.summary,
        headers: headers(good),
        content: json(route.envelope.schema(dataSchema(schema, route.document, components))),
      },
      304: {
        description: 'Nothing has changed since the answer with this ETag.',
        headers: headers(good),
      },
      ...(legacy ? legacyErrorResponses : errorResponses)(errorsOf(route)),
    },
  }
}

/** Every code that a route can answer. */
export function errorsOf(route: Route): ErrorCode[] {
  return [
    ...new Set<ErrorCode>([
      ...EVERYWHERE,
      ...(route.scope ? (['INSUFFICIENT_SCOPE'] as const) : []),
      ...route.parameters.flatMap(({ errors }) => errors),
      ...(route.errors ?? []),
    ]),
  ]
}

const errorResponses = (codes: ErrorCode[]): object =>
  byStatus(codes, ofStatus => ({
    description: ofStatus.map(code => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
    content: json({ oneOf: ofStatus.map(code => ({ $ref: `#/components/schemas/${errorName(code)}` })) }),
  }))

const legacyErrorResponses = (codes: ErrorCode[]): object =>
  byStatus(
    codes,
    ofStatus => {
      const names = [...new Set(ofStatus.map(legacyName))]
      return {
        description: names.map(name => `\`${name}\``).join(', '),
        content: json(closed({ code: { type: 'string', enum: names }, error: { type: 'string' } })),
      }
    },
    DEPRECATION,
  )

/** The responses of errors: those of one status are told together. */
function byStatus(codes: ErrorCode[], tell: (codes: ErrorCode[]) => object, more: HeaderName[] = []): object {
  const responses: Record<string, object> = {}
  for (const status of [...new Set(codes.map(code => ERRORS[code].status))].sort()) {
    responses[status] = {
      ...tell(codes.filter(code => ERRORS[code].status === status)),
      headers: headers([
        'X-Request-Id',
        'Cache-Control',
        ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
        ...(status === 429 ? ([...RATES, 'Retry-After'] as const) : []),
        ...(status === 503 ? (['Retry-After'] as const) : []),
        ...more,
      ]),
    }
  }
  return responses
}

function errorSchema(code: ErrorCode): JsonSchema {
  const { message, when, details } = ERRORS[code]
  return closed({
    error: {
      ...closed({
        code: { const: code },
        message: { type: 'string', examples: [message] },
        details: closed(details as Record<string, JsonSchema>),
      }),
      description: when,
    },
  })
}

/** NOT_FOUND → NotFound. */
const errorName = (code: ErrorCode): string =>
  code.toLowerCase().replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())

const documentParameter = ({ name, in: place, description, required, schema, example }: Parameter): object => ({
  name,
  in: place,
  description,
  required,
  schema,
  ...(example !== undefined && { example }),
})

const headers = (names: HeaderName[]): object =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

const json = (schema: JsonSchema): object => ({ 'application/json': { schema } })
