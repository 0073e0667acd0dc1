/**
 * The only table of error codes: for each its HTTP status, when it is given, what it says unless told otherwise, and what
 * its `details` hold (as JSON schemas). The error envelope, the documents and the tests are made from it.
 */

const text = (description: string) => ({ type: 'string', description }) as const
const wholeNumber = (description: string) => ({ type: 'integer', minimum: 0, description }) as const

const parameter = text('The parameter that is wrong.')
const value = text('What was sent as its value.')

interface ErrorKind {
  status: number
  when: string
  message: string
  details: Record<string, object>
  legacy?: LegacyError
}

/** A name, and what is said under it where that differs. */
export interface LegacyError {
  code: string
  message?: string
}

export const ERRORS = {
  MISSING_API_KEY: {
    status: 401,
    when: 'The header `X-API-Key` is missing.',
    message: 'Send your API key in the header X-API-Key.',
    details: {},
  },
  INVALID_API_KEY: {
    status: 401,
    when: 'The key is malformed, unknown, deactivated, or the header was sent more than once.',
    message: 'The API key is not valid.',
    details: {},
  },
  WRONG_ENVIRONMENT: {
    status: 401,
    when: 'The key belongs to the other environment.',
    message: 'The API key belongs to another environment.',
    details: { expected_prefix: text('With what the keys of this environment begin.') },
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    when: 'The key lacks the scope that the route requires.',
    message: 'The API key lacks the scope that this route requires.',
    details: { required_scope: text('The scope that the key lacks.') },
  },
  NOT_FOUND: {
    status: 404,
    when: 'The path is unknown, or an asset is unknown or outside the scope of the key.',
    message: 'There is nothing here.',
    legacy: { code: 'INVALID_ID', message: 'There is no such asset.' },
    details: {},
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: 'The method is not GET, HEAD or OPTIONS.',
    message: 'This resource is only read.',
    details: {
      allowed: { type: 'array', items: { type: 'string' }, description: 'The methods that are answered here.' },
    },
  },
  REQUIRED_PARAMETER: {
    status: 400,
    when: 'A required parameter is missing or empty.',
    message: 'A required parameter is missing.',
    legacy: { code: 'REQUIRED_DATES' },
    details: { parameter: text('The parameter that is missing.') },
  },
  INVALID_DATE: {
    status: 400,
    when: 'A date is not a real date of the form YYYY-MM-DD.',
    message: 'A date is a real day of the calendar, as YYYY-MM-DD.',
    details: { parameter, value },
  },
  INVALID_DATE_RANGE: {
    status: 400,
    when: '`from_date` lies after `to_date`.',
    message: 'from_date must not be after to_date.',
    legacy: { code: 'INVALID_DATE_ORDER', message: 'start must not be after end.' },
    details: {
      from_date: { type: 'string', format: 'date', description: 'The first day that was sent.' },
      to_date: { type: 'string', format: 'date', description: 'The last day that was sent.' },
    },
  },
  INVALID_PARAMETER: {
    status: 400,
    when: 'A parameter has a value that is not allowed, or was given more than once.',
    message: 'A parameter is not valid.',
    details: { parameter, value, expected: text('What the value may be, in words.') },
  },
  INVALID_CURSOR: {
    status: 400,
    when: 'The cursor was not issued here for this list and these filters.',
    message: 'The cursor is not one that this list has issued.',
    details: {},
  },
  GRAIN_NOT_AVAILABLE: {
    status: 400,
    when: "The grain is finer than the asset's sensors deliver in the range.",
    message: "The grain is finer than the asset's sensors deliver in this range.",
    details: { grain: text('The grain that was asked for.'), finest_grain: text('The finest grain that there is.') },
  },
  RANGE_TOO_LARGE: {
    status: 400,
    when: 'The range has more days than the route or grain allows.',
    message: 'The range has too many days.',
    legacy: { code: 'INVALID_DATE' },
    details: { max_days: wholeNumber('How many days the range may have.') },
  },
  QUERY_TOO_COSTLY: {
    status: 400,
    when: 'A GraphQL query may come to more rows, or reads more often, than is allowed.',
    message: 'The query may cost too much.',
    details: {
      cost: wholeNumber('What the query may cost.'),
      limit: wholeNumber('What it may cost at most.'),
      narrow: text('What to narrow.'),
    },
  },
  BAD_REQUEST: {
    status: 400,
    when: 'What was sent is not a proper HTTP request.',
    message: 'This is not a proper request.',
    details: {},
  },
  URI_TOO_LONG: { status: 414, when: 'The address is too long.', message: 'The address is too long.', details: {} },
  HEADERS_TOO_LARGE: {
    status: 431,
    when: 'The headers are too large.',
    message: 'The headers are too large.',
    details: {},
  },
  RATE_LIMITED: {
    status: 429,
    when: 'The key has used up its requests of this window; `Retry-After` tells when the next one begins.',
    message: 'Too many requests with this API key.',
    details: { retry_after_seconds: { ...wholeNumber('In how many seconds to try again.'), examples: [42] } },
  },
  INTERNAL: { status: 500, when: 'A fault of the service.', message: 'Something went wrong on our side.', details: {} },
  UNAVAILABLE: {
    status: 503,
    when: 'The service cannot answer just now; try again after `Retry-After` seconds.',
    message: 'The service cannot answer just now. Try again shortly.',
    details: {},
  },
  TIMEOUT: {
    status: 504,
    when: 'The database did not answer in time.',
    message: 'The answer took too long. Try a smaller range.',
    details: {},
  },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS

/** An error that a caller may see. Thrown anywhere, answered in one place. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly details: Record<string, unknown> = {},
    message: string = ERRORS[code].message,
  ) {
    super(message)
    this.name = 'ApiError'
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}
