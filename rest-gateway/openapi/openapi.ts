/** Generates the OpenAPI 3.1 document from the route records, the GraphQL schema and the table of errors. */
import { type GraphQLSchema, print } from 'graphql'
import { prefixOf } from '../../db/api-keys/key-format'
import { ERRORS, type ErrorCode } from '../../schema/errors'
import { EXAMPLES } from '../docs/examples'
import { HEALTH_CHECKS, type HealthCheck } from '../health'
import { LEGACY_PREFIX } from '../paths'
import type { JsonSchema, Parameter, Route } from '../record'
import { type Format, TAGS } from '../record'
import { UTC_OFFSET } from '../shape/columns'
import { type Components, dataSchema } from '../shape/data-schema'
import { mediaTypeOf, withOwnType } from '../shape/formats'
import { COMMON_ERRORS, errorExamples, errorSchemas, legacyErrors, partnerErrors } from './error-responses'
import { DEPRECATION_HEADERS, HEADER_COMPONENTS, type HeaderName, headers, RATE_HEADERS } from './headers'

const INFO = {
  title: 'partner-metrics',
  version: 'v1',
  summary: 'Audience measurement of physical advertising assets.',
  description: [
    'Impressions, demographics and sensors of physical advertising assets. Every response contains only data of the companies that the API key can read.',
    'See the [guide](/docs) to get started. Changes under `/v1` are additive and listed in the [changelog](/docs/changelog).',
  ].join('\n\n'),
  contact: { name: 'The operator who issued your key' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
}

/** @param url the address of the service; programs that read the document from a file need it to be absolute */
export const listServers = (url: string): object[] => [
  { url, description: 'The environment that serves this document.' },
]

/** Statuses of requests that are rejected before the key is checked; they carry no rate limit headers. */
const UNAUTHENTICATED = [401, 405, 414, 431]

const isLegacy = ({ path }: Route): boolean => path.startsWith(LEGACY_PREFIX)

/** Returns the OpenAPI document of the given routes, without the address of a service. */
export function openApi(schema: GraphQLSchema, routes: Route[]): object {
  const schemas: Components = {}
  const paths: Record<string, object> = {}
  for (const route of routes) paths[route.path] = { get: operation(schema, route, schemas) }
  for (const check of HEALTH_CHECKS) paths[check.path] = { get: healthOperation(check) }
  const [partner, legacy] = [listCodes(routes.filter(route => !isLegacy(route))), listCodes(routes.filter(isLegacy))]
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: listServers('/'),
    security: [{ ApiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: `The API key issued by the operator. Keys of the test environment start with \`${prefixOf('dev')}\`, keys of production with \`${prefixOf('production')}\`. The key determines the companies whose data you can read.`,
        },
      },
      headers: HEADER_COMPONENTS,
      schemas: { ...schemas, ...errorSchemas(partner) },
      examples: errorExamples(partner, legacy),
    },
  }
}

function operation(schema: GraphQLSchema, route: Route, components: Components): object {
  const legacy = isLegacy(route)
  const isPage = route.parameters.some(({ name }) => name === 'cursor')
  const isStreamed = route.envelope.list?.next !== undefined
  const successHeaders: HeaderName[] = [
    ...(['X-Request-Id', 'Cache-Control', 'Vary', 'Server-Timing'] as const),
    ...(isStreamed ? [] : (['ETag'] as const)),
    ...(isPage ? (['Link-Next'] as const) : []),
    ...(isPage && !isStreamed ? (['X-Next-Cursor'] as const) : []),
    ...RATE_HEADERS,
    'X-API-Key-Expiration',
    ...(legacy ? DEPRECATION_HEADERS : []),
  ]
  return {
    ...(legacy && { deprecated: true }),
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description: route.scope ? `${route.description}\n\nRequires the scope \`${route.scope}\`.` : route.description,
    parameters: route.parameters.toSorted((a, b) => a.in.localeCompare(b.in)).map(documentParameter),
    responses: {
      200: {
        description: 'The request succeeded.',
        // A streamed response has no entity tag.
        headers: headers(successHeaders, isStreamed ? ['ETag'] : []),
        content: {
          'application/json': {
            schema: bodySchema(schema, route, components),
            examples: EXAMPLES.responses[route.operation] ?? {},
          },
          ...flatContent(route),
        },
      },
      304: {
        description: 'Not modified: the response is the same as the one with the ETag that was sent.',
        headers: headers([...successHeaders, ...(isStreamed ? (['ETag'] as const) : [])]),
      },
      ...errorResponses(listErrors(route), legacy),
    },
    'x-graphql-query': print(route.document),
  }
}

/** Generators of clients read bytes for this format, and take everything else as text. */
const BINARY = { format: 'binary' }

/** Returns the formats of a list besides JSON. */
function flatContent({ formats, columns }: Route): object {
  const names = columns.map(({ name, optional, isObject }) =>
    isObject
      ? `\`${name}_NAME\` for each name in the data that the key can read`
      : `\`${name}\`${optional ? ' (where the response has it)' : ''}`,
  )
  const describe = (format: Format) => {
    const local = format === 'parquet' && columns.find(({ local }) => local)
    const offset = local ? ` \`${UTC_OFFSET}\` is the UTC offset of \`${local.name}\`.` : ''
    return `The rows of the list. Columns: ${names.join(', ')}.${offset}`
  }
  return Object.fromEntries(
    withOwnType(formats)
      .filter(format => format !== 'json')
      .map(format => [
        mediaTypeOf(format),
        { schema: { type: 'string', ...(format === 'parquet' && BINARY), description: describe(format) } },
      ]),
  )
}

/** Errors of requests without a key. */
const KEYLESS_ERRORS: ErrorCode[] = [
  'BAD_REQUEST',
  'METHOD_NOT_ALLOWED',
  'URI_TOO_LONG',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
]

function healthOperation({ operation, tag, summary, description, responses, errors }: HealthCheck): object {
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description,
    security: [],
    parameters: [],
    responses: {
      200: {
        description: 'The check succeeded.',
        headers: headers(['X-Request-Id', 'Cache-Control', 'Server-Timing']),
        content: {
          'text/plain': { schema: { type: 'string', enum: responses }, examples: { success: { value: responses[0] } } },
        },
      },
      ...errorResponses([...KEYLESS_ERRORS, ...errors], false, []),
    },
  }
}

/** Returns the schema of a 200 response: the component of a record, or one named after the operation. */
function bodySchema(schema: GraphQLSchema, route: Route, components: Components): JsonSchema {
  const body = route.envelope.schema(dataSchema(schema, route.document, components))
  if (body.$ref) return body
  const name = `${route.operation}Response`
  components[name] = { description: `Response of \`GET ${route.path}\`.`, ...body, title: name }
  return { $ref: `#/components/schemas/${name}` }
}

/** Returns all error codes that a route can return. */
function listErrors(route: Route): ErrorCode[] {
  return [
    ...new Set<ErrorCode>([
      ...(route.scope ? (['INSUFFICIENT_SCOPE'] as const) : []),
      ...route.parameters.flatMap(({ errors }) => errors),
      ...(route.errors ?? []),
      ...(isLegacy(route) ? [] : (['INVALID_PARAMETER', 'NOT_ACCEPTABLE'] as const)),
      ...COMMON_ERRORS,
    ]),
  ]
}

const listCodes = (routes: Route[]): ErrorCode[] => {
  const used = new Set(routes.flatMap(listErrors))
  return (Object.keys(ERRORS) as ErrorCode[]).filter(code => used.has(code))
}

/** Returns one response per error status. @param optional headers that are sent only after the key was accepted */
function errorResponses(
  codes: ErrorCode[],
  legacy: boolean,
  optional: HeaderName[] = RATE_HEADERS,
): Record<string, object> {
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
          ...(status === 429 ? ([...RATE_HEADERS, 'Retry-After'] as const) : []),
          ...(status === 503 ? (['Retry-After'] as const) : []),
          ...(optional.length === 0 || UNAUTHENTICATED.includes(status) ? [] : (['X-API-Key-Expiration'] as const)),
          ...(legacy ? DEPRECATION_HEADERS : (['Link-Help'] as const)),
        ],
        status === 429 || UNAUTHENTICATED.includes(status) ? [] : optional,
      ),
    }
  }
  return responses
}

const documentParameter = ({ name, in: location, description, required, schema, example }: Parameter): object => ({
  name,
  in: location,
  description,
  required,
  schema,
  example,
})
