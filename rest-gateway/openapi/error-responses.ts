/** How the OpenAPI document tells of errors: a schema and an example a code, from the table of errors. */
import { ApiError, ERRORS, type ErrorCode } from '../../schema/errors'
import { EXAMPLES } from '../docs/examples'
import { LEGACY } from '../middleware/deprecation'
import { errorBody, legacyError, legacyName } from '../middleware/error-handler'
import { closed, type JsonSchema } from '../routes/envelopes'

/** What can be answered at every path. */
export const EVERYWHERE: ErrorCode[] = [
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

/** The description and the body of a response with some errors, all of one status. */
export interface ErrorResponse {
  description: string
  content: object
}

export function partnerErrors(codes: ErrorCode[]): ErrorResponse {
  const schemas = codes.map(code => ({ $ref: `#/components/schemas/${errorName(code)}` }))
  return {
    description: told(codes, code => ERRORS[code].when),
    content: content(
      {
        title: 'Error',
        ...closed({
          error: schemas.length > 1 ? { description: 'One of several.', oneOf: schemas } : (schemas[0] as JsonSchema),
        }),
      },
      codes,
    ),
  }
}

export function legacyErrors(codes: ErrorCode[]): ErrorResponse {
  const names = [...new Set(codes.map(legacyName))]
  const when = (name: string) =>
    codes
      .filter(code => legacyName(code) === name)
      .map(code => legacyError(code)?.message ?? ERRORS[code].when)
      .join(' ')
  return {
    description: told(names, when),
    content: content(
      {
        title: 'LegacyError',
        ...closed({
          code: { type: 'string', enum: names, description: 'Stable, for programs.' },
          error: { type: 'string', description: 'What went wrong, for people.' },
        }),
      },
      names.map(name => `Legacy-${name}`),
    ),
  }
}

/** The schemas of the partner interface's errors, by the names that responses refer to. */
export const errorSchemas = (codes: ErrorCode[]): Record<string, JsonSchema> =>
  Object.fromEntries(codes.map(code => [errorName(code), errorSchema(code)]))

/** The examples of errors, by the names that responses refer to. */
export function errorExamples(partner: ErrorCode[], legacy: ErrorCode[]): Record<string, object> {
  return Object.fromEntries([
    ...partner.map(code => [code, { summary: ERRORS[code].message, value: EXAMPLES.errors[code] ?? body(code) }]),
    ...legacy.map(code => {
      const name = legacyName(code)
      return [
        `Legacy-${name}`,
        {
          summary: legacyError(code)?.message ?? ERRORS[code].message,
          value: EXAMPLES.legacyErrors[name] ?? body(code, LEGACY),
        },
      ]
    }),
  ])
}

/** NOT_FOUND → NotFound. */
export const errorName = (code: ErrorCode): string =>
  code.toLowerCase().replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())

function errorSchema(code: ErrorCode): JsonSchema {
  const { message, when, details } = ERRORS[code]
  return {
    title: errorName(code),
    description: when,
    ...closed({
      code: { type: 'string', const: code, description: 'Stable, for programs.' },
      message: { type: 'string', description: 'What went wrong, for people.', examples: [message] },
      details: {
        ...closed(details as Record<string, JsonSchema>),
        description: 'What it was about; empty where there is nothing to add.',
      },
    }),
  }
}

/** The body of an error, its details as their schemas have them for an example. */
function body(code: ErrorCode, path = '/'): object {
  const details = Object.entries(ERRORS[code].details as Record<string, { examples?: unknown[] }>)
  return errorBody(
    path,
    new ApiError(code, Object.fromEntries(details.map(([name, { examples }]) => [name, examples?.[0]]))),
    true,
  )
}

const told = <Code extends string>(codes: Code[], when: (code: Code) => string): string =>
  codes.map(code => `\`${code}\`: ${when(code)}`).join('\n\n')

const content = (schema: object, examples: string[]): object => ({
  'application/json': {
    schema,
    examples: Object.fromEntries(
      examples.map(name => [name.replace(/^Legacy-/, ''), { $ref: `#/components/examples/${name}` }]),
    ),
  },
})
