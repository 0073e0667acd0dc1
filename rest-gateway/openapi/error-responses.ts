/** The error responses of the OpenAPI document: a schema and an example per code, from the table of errors. */
import { ApiError, ERRORS, type ErrorCode } from '../../schema/errors'
import { EXAMPLES } from '../docs/examples'
import { errorBody, legacyCode } from '../middleware/error-handler'
import { LEGACY_PREFIX } from '../paths'
import type { JsonSchema } from '../record'
import { objectWith } from '../shape/schemas'

/** The errors of every path. */
export const COMMON_ERRORS: ErrorCode[] = [
  'BAD_REQUEST',
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'WRONG_ENVIRONMENT',
  'METHOD_NOT_ALLOWED',
  'URI_TOO_LONG',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UNAVAILABLE',
  'TIMEOUT',
]

/** The description and the body of a response for errors of one status. */
interface ErrorResponse {
  description: string
  content: object
}

export function partnerErrors(codes: ErrorCode[]): ErrorResponse {
  const schemas = codes.map(code => ({ $ref: `#/components/schemas/${errorName(code)}` }))
  const error = schemas.length > 1 ? { description: 'The error.', oneOf: schemas } : (schemas[0] as JsonSchema)
  return {
    description: describe(codes, code => ERRORS[code].when),
    content: content({ title: 'Error', ...objectWith({ error }) }, codes),
  }
}

export function legacyErrors(codes: ErrorCode[]): ErrorResponse {
  const names = [...new Set(codes.map(legacyCode))]
  const when = (name: string) =>
    codes
      .filter(code => legacyCode(code) === name)
      .map(code => ERRORS[code].legacy?.message ?? ERRORS[code].when)
      .join(' ')
  const envelope = objectWith({
    code: { type: 'string', enum: names, description: CODE },
    error: { type: 'string', description: 'Human-readable description of the error.' },
  })
  return {
    description: describe(names, when),
    content: content(
      { title: 'LegacyError', ...envelope },
      names.map(name => `Legacy-${name}`),
    ),
  }
}

/** Returns the schemas of the partner interface's errors, by component name. */
export const errorSchemas = (codes: ErrorCode[]): Record<string, JsonSchema> =>
  Object.fromEntries(codes.map(code => [errorName(code), errorSchema(code)]))

/** Returns the examples of errors, by component name. */
export function errorExamples(partner: ErrorCode[], legacy: ErrorCode[]): Record<string, object> {
  return Object.fromEntries([
    ...partner.map(code => [code, { summary: ERRORS[code].message, value: EXAMPLES.errors[code] ?? body(code) }]),
    ...legacy.map(code => {
      const name = legacyCode(code)
      const value = EXAMPLES.legacyErrors[name] ?? body(code, LEGACY_PREFIX)
      return [`Legacy-${name}`, { summary: ERRORS[code].legacy?.message ?? ERRORS[code].message, value }]
    }),
  ])
}

/** NOT_FOUND → NotFound. */
export const errorName = (code: ErrorCode): string =>
  code.toLowerCase().replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())

const CODE = 'Machine-readable error code; stable.'

function errorSchema(code: ErrorCode): JsonSchema {
  const { message, when, details = {}, optionalDetails = [] } = ERRORS[code]
  return {
    title: errorName(code),
    description: when,
    ...objectWith({
      code: { type: 'string', const: code, description: CODE },
      message: {
        type: 'string',
        description: 'Human-readable description of the error; the wording can change.',
        examples: [message],
      },
      details: {
        ...objectWith(details),
        required: Object.keys(details).filter(name => !optionalDetails.includes(name)),
        description: 'Additional data about the error; empty if there is none.',
      },
    }),
  }
}

/** Returns the response body of an error, with the example values of its details. */
function body(code: ErrorCode, path = '/'): object {
  const details = Object.entries(ERRORS[code].details ?? {})
  const values = Object.fromEntries(details.map(([name, { examples }]) => [name, examples?.[0]]))
  return errorBody(path, new ApiError(code, values), true)
}

const describe = <Code extends string>(codes: Code[], when: (code: Code) => string): string =>
  codes.map(code => `\`${code}\`: ${when(code)}`).join('\n\n')

const content = (schema: object, examples: string[]): object => ({
  'application/json': {
    schema,
    examples: Object.fromEntries(
      examples.map(name => [name.replace(/^Legacy-/, ''), { $ref: `#/components/examples/${name}` }]),
    ),
  },
})
