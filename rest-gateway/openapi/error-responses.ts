/** The responses for errors in the OpenAPI document. */
import { ERRORS, type ErrorCode } from '../../schema/errors'
import { legacyCode } from '../edge/errors'
import { isLegacy } from '../paths'
import type { Route } from '../record'
import { errorSchema, objectWith } from '../shape/data-schema'
import { DEPRECATION_HEADERS, type HeaderName, headers, optionalHeaders, RATE_HEADERS } from './headers'

export type Responses = Record<string, object>

const { QUERY_TOO_COSTLY, ...REST_ERRORS } = ERRORS

export const ERROR_DETAILS = {
  title: 'ErrorDetails',
  type: 'object',
  properties: Object.assign({}, ...Object.values(REST_ERRORS).map(({ details }) => details)),
  description: 'Additional data about the error, by its code; empty if there is none.',
}

const KEYLESS: ErrorCode[] = [
  'BAD_REQUEST',
  'METHOD_NOT_ALLOWED',
  'URI_TOO_LONG',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UNAVAILABLE',
]

/** Returns the responses of a route by status. Adds the components to which they refer. */
export function routeErrors({ path, scope, parameters, errors = [] }: Route, components: Responses): Responses {
  const legacy = isLegacy(path)
  const codes: ErrorCode[] = [
    ...(scope ? (['INSUFFICIENT_SCOPE'] as const) : []),
    ...parameters.flatMap(parameter => parameter.errors),
    ...errors,
    ...(legacy ? [] : (['INVALID_PARAMETER', 'NOT_ACCEPTABLE'] as const)),
    ...(['MISSING_API_KEY', 'INVALID_API_KEY', 'WRONG_ENVIRONMENT', 'RATE_LIMITED', 'TIMEOUT'] as const),
    ...KEYLESS,
  ]
  return describeErrors([...new Set(codes)], legacy, components)
}

export const keylessErrors = (components: Responses): Responses => describeErrors(KEYLESS, false, components)

function describeErrors(codes: ErrorCode[], legacy: boolean, components: Responses): Responses {
  const responses: Responses = {}
  for (const status of new Set(codes.map(code => ERRORS[code].status))) {
    const ofStatus = codes.filter(code => ERRORS[code].status === status)
    const response = describeStatus(status, ofStatus, legacy)
    // Only this status has other codes on other routes.
    if (status === 400) responses[status] = response
    else {
      const name = `${legacy ? 'LegacyError' : 'Error'}${status}`
      components[name] = response
      responses[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  return responses
}

const HEADERS_OF_ERRORS: Record<number, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

function describeStatus(status: number, codes: ErrorCode[], legacy: boolean): object {
  const names = codes.map(code => (legacy ? legacyCode(code) : code))
  const when = codes.map(code => (legacy && ERRORS[code].legacy?.message) || ERRORS[code].when)
  const properties = legacy
    ? {
        code: { type: 'string', enum: [...new Set(names)], description: 'Machine-readable error code; stable.' },
        error: { type: 'string', description: 'Human-readable description of the error.' },
      }
    : { error: errorSchema(codes) }
  return {
    description: names.map((name, i) => `\`${name}\`: ${when[i]}`).join('\n\n'),
    headers: {
      ...headers(['X-Request-Id', 'Cache-Control', 'Server-Timing', 'X-API-Key-Expiration']),
      ...headers(HEADERS_OF_ERRORS[status] ?? []),
      ...optionalHeaders(RATE_HEADERS),
      ...(legacy ? DEPRECATION_HEADERS : headers(['Link'])),
    },
    content: { 'application/json': { schema: { title: legacy ? 'LegacyError' : 'Error', ...objectWith(properties) } } },
  }
}
