/** Generates the OpenAPI 3.1 document from the route records, the GraphQL schema and the table of errors. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GraphQLSchema, print } from 'graphql'
import { KEY_PREFIXES } from '../../db/api-keys/key-format'
import { HEALTH_CHECKS, type HealthCheck } from '../health'
import { isLegacy } from '../paths'
import { type Format, type JsonSchema, type Parameter, type Route, TAGS } from '../record'
import { UTC_OFFSET } from '../shape/columns'
import { type Components, dataSchema } from '../shape/data-schema'
import { mediaTypeOf } from '../shape/write-rows'
import { ERROR_DETAILS, keylessErrors, type Responses, routeErrors } from './error-responses'
import { DEPRECATION_HEADERS, HEADERS, headers, optionalHeaders, RATE_HEADERS } from './headers'

const INFO = {
  title: 'partner-metrics',
  version: 'v1',
  summary: 'Counts of the people who pass physical advertising assets.',
  description: [
    'Impressions, demographics and sensors of physical advertising assets. Every response contains only data of the companies that the API key can read.',
    'See the [guide](/docs) to get started. Changes under `/v1` are additive and listed in the [changelog](/docs/changelog).',
  ].join('\n\n'),
  contact: { name: 'The operator who issued your key' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
}

/** @param url the address of the service; programs that read the document from a file need it to be absolute */
export const listServers = (url: string): object[] => [{ url, description: 'The service that serves this document.' }]

/** Responses on the demo data by operation, with long lists cut. A test compares them. */
const EXAMPLES: Record<string, unknown> = JSON.parse(readFileSync(join(__dirname, 'examples.json'), 'utf8'))

/** Returns the OpenAPI document of the given routes, without the address of a service. */
export function openApi(schema: GraphQLSchema, routes: Route[]): object {
  const schemas: Components = { ErrorDetails: ERROR_DETAILS }
  const responses: Responses = {}
  const paths: Record<string, object> = {}
  for (const route of routes) paths[route.path] = { get: operation(schema, route, schemas, responses) }
  for (const check of HEALTH_CHECKS) paths[check.path] = { get: healthOperation(check, responses) }
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
          description: `The API key issued by the operator. Keys of the test environment start with \`${KEY_PREFIXES.dev}\`, keys of production with \`${KEY_PREFIXES.production}\`. The key determines the companies whose data you can read.`,
        },
      },
      headers: HEADERS,
      schemas,
      responses,
    },
  }
}

function operation(schema: GraphQLSchema, route: Route, schemas: Components, responses: Responses): object {
  return {
    ...(isLegacy(route.path) && { deprecated: true }),
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description: route.scope ? `${route.description}\n\nRequires the scope \`${route.scope}\`.` : route.description,
    parameters: route.parameters.toSorted((a, b) => a.in.localeCompare(b.in)).map(documentParameter),
    responses: {
      200: {
        description: 'The request succeeded.',
        headers: successHeaders(route),
        content: {
          'application/json': { schema: bodySchema(schema, route, schemas), example: EXAMPLES[route.operation] },
          ...flatContent(route),
        },
      },
      304: {
        description: 'Not modified: the response is the same as the one with the ETag that was sent.',
        headers: successHeaders(route),
      },
      ...routeErrors(route, responses),
    },
    'x-graphql-query': print(route.document),
  }
}

function successHeaders({ path, parameters, envelope }: Route): object {
  const isPage = parameters.some(({ name }) => name === 'cursor')
  const isStreamed = envelope.list?.next !== undefined
  return {
    ...headers(['X-Request-Id', 'Cache-Control', 'Vary', 'Server-Timing', ...RATE_HEADERS, 'X-API-Key-Expiration']),
    // A streamed response has no entity tag.
    ...(isStreamed ? optionalHeaders(['ETag']) : headers(['ETag'])),
    ...(isPage && optionalHeaders(['Link'])),
    ...(isPage && !isStreamed && headers(['X-Next-Cursor'])),
    ...(isLegacy(path) && DEPRECATION_HEADERS),
  }
}

function flatContent({ formats, columns }: Route): object {
  const names = columns.map(({ name, optional, isObject }) =>
    isObject
      ? `\`${name}_NAME\` for each name in the data that the key can read`
      : `\`${name}\`${optional ? ' (where the response has it)' : ''}`,
  )
  const local = columns.find(({ local }) => local)
  const offset = local ? ` \`${UTC_OFFSET}\` is the UTC offset of \`${local.name}\`.` : ''
  const content = (format: Format) => ({
    type: 'string',
    description: `The rows of the list. Columns: ${names.join(', ')}.${format === 'parquet' ? offset : ''}`,
    // Generators of clients read bytes for this format, and take everything else as text.
    ...(format === 'parquet' && { format: 'binary' }),
  })
  const flat = formats.filter(format => format !== 'json')
  return Object.fromEntries(flat.map(format => [mediaTypeOf(format), { schema: content(format) }]))
}

function healthOperation(
  { operation, tag, summary, description, example }: HealthCheck,
  components: Responses,
): object {
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
        content: { 'text/plain': { schema: { type: 'string' }, example } },
      },
      ...keylessErrors(components),
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

const documentParameter = ({ type, errors, paging, parse, defaultValue, ...documented }: Parameter): object =>
  documented
