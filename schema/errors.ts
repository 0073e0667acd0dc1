/** The table of error codes, from which responses, the OpenAPI document and the guide are generated. */

const text = (description: string) => ({ type: 'string', description }) as const
const wholeNumber = (description: string) => ({ type: 'integer', minimum: 0, description }) as const

const parameter = text('The name of the parameter.')
const value = text('The value that was sent.')
const did_you_mean = text('The parameter that was probably meant by an unknown one.')

interface ErrorKind {
  status: number
  when: string
  message: string
  details?: Record<string, { examples?: unknown[]; [keyword: string]: unknown }>
  /** Details that not every error of the code has. */
  optionalDetails?: readonly string[]
  /** The code and message on routes of the legacy interface, if they differ. */
  legacy?: LegacyError
  /** The message of the legacy interface, which is frozen, if `message` was reworded since. */
  frozenMessage?: string
}

/** Without a message of its own, the error has that of the partner interface. */
interface LegacyError {
  code: string
  message?: string
}

const TABLE = {
  MISSING_API_KEY: {
    status: 401,
    when: 'The `X-API-Key` header is missing.',
    message: 'Send your API key in the header X-API-Key.',
  },
  INVALID_API_KEY: {
    status: 401,
    when: 'The key is malformed, unknown or deactivated, or the header was sent more than once.',
    message: 'The API key is not valid.',
  },
  WRONG_ENVIRONMENT: {
    status: 401,
    when: 'The key belongs to the other environment.',
    message: 'The API key belongs to another environment.',
    details: { expected_prefix: text('The prefix of keys of this environment.') },
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    when: 'The key lacks the scope that the route requires.',
    message: 'The API key lacks the scope that this route requires.',
    details: { required_scope: text('The missing scope.') },
  },
  NOT_FOUND: {
    status: 404,
    when: 'The path is unknown, or the asset is unknown or outside the scope of the key.',
    message: 'The asset does not exist, or is outside the scope of the API key.',
    legacy: { code: 'INVALID_ID', message: 'There is no such asset.' },
    frozenMessage: 'There is nothing here.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: 'The method is not GET, HEAD or OPTIONS.',
    message: 'This resource is read-only.',
    frozenMessage: 'This resource is only read.',
    details: {
      allowed: { type: 'array', items: { type: 'string' }, description: 'The allowed methods.' },
    },
  },
  REQUIRED_PARAMETER: {
    status: 400,
    when: 'A required parameter is missing or empty.',
    message: 'A required parameter is missing.',
    legacy: { code: 'REQUIRED_DATES' },
    details: { parameter },
  },
  INVALID_DATE: {
    status: 400,
    when: 'A date is not an existing calendar date in the form YYYY-MM-DD.',
    message: 'A date must be an existing calendar date in the form YYYY-MM-DD.',
    details: { parameter, value },
  },
  INVALID_DATE_RANGE: {
    status: 400,
    when: '`from_date` is after `to_date`.',
    message: 'from_date must not be after to_date.',
    legacy: { code: 'INVALID_DATE_ORDER', message: 'start must not be after end.' },
    details: {
      from_date: { type: 'string', format: 'date', description: 'The first day of the requested range.' },
      to_date: { type: 'string', format: 'date', description: 'The last day of the requested range.' },
    },
  },
  INVALID_PARAMETER: {
    status: 400,
    when: 'The value of a parameter is not allowed, the parameter was sent more than once, or the route does not have it.',
    message: 'A parameter is not valid.',
    details: {
      parameter,
      value,
      expected: text('A description of the allowed values; of an unknown parameter, those of the route.'),
      did_you_mean,
    },
    optionalDetails: ['value', 'did_you_mean'],
  },
  NOT_ACCEPTABLE: {
    status: 406,
    when: '`Accept` allows none of the formats of the route.',
    message: 'Accept allows none of the formats of this route.',
    details: {
      available: { type: 'array', items: { type: 'string' }, description: 'The media types of the route.' },
    },
  },
  INVALID_CURSOR: {
    status: 400,
    when: 'The cursor was not issued for this list with these filters, or is a position of another key, which reads companies that this one does not.',
    message: 'The cursor is not valid for this list.',
  },
  RESYNC_REQUIRED: {
    status: 410,
    when: 'The cursor belongs to data that no longer exist, because a backup was restored. Begin a new copy.',
    message: 'The data was restored from a backup after this cursor was issued. Discard your copy and begin a new one.',
  },
  GRAIN_NOT_AVAILABLE: {
    status: 400,
    when: "The grain is finer than the asset's sensors deliver in the range, or than `quarter_hour` if none was installed.",
    message: "The grain is finer than the asset's sensors deliver in this range.",
    details: { grain: text('The requested grain.'), finest_grain: text('The finest available grain.') },
  },
  RANGE_TOO_LARGE: {
    status: 400,
    when: 'The range has more days than the route or grain allows.',
    message: 'The range has too many days.',
    legacy: { code: 'INVALID_DATE' },
    details: {
      max_days: wholeNumber('The maximum number of days; 0 if no range is short enough.'),
      max_limit: wholeNumber('The maximum `limit` for the range, where `max_days` is 0.'),
    },
    optionalDetails: ['max_limit'],
  },
  QUERY_TOO_COSTLY: {
    status: 400,
    when: 'A GraphQL query can return or read more than is allowed.',
    message: 'The query is too costly.',
    details: {
      cost: wholeNumber(
        'The cost of the query: the values that it can return, and what it reads, in values that take as long.',
      ),
      limit: wholeNumber('The maximum cost.'),
    },
  },
  BAD_REQUEST: {
    status: 400,
    when: 'The HTTP request is malformed.',
    message: 'The HTTP request is malformed.',
    frozenMessage: 'This is not a proper request.',
  },
  URI_TOO_LONG: {
    status: 414,
    when: 'The URL is too long.',
    message: 'The URL is too long.',
    frozenMessage: 'The address is too long.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    when: 'The headers are too large.',
    message: 'The headers are too large.',
  },
  RATE_LIMITED: {
    status: 429,
    when: 'The key has used all requests of the current window. `Retry-After` is the time until the next one.',
    message: 'Too many requests with this API key.',
    details: { retry_after_seconds: { ...wholeNumber('Seconds until the next window.'), examples: [42] } },
  },
  INTERNAL: {
    status: 500,
    when: 'An internal error of the service.',
    message: 'Something went wrong on our side.',
  },
  UNAVAILABLE: {
    status: 503,
    when: 'The service is temporarily overloaded or cannot reach its database. Retry after `Retry-After` seconds.',
    message: 'The service is temporarily unavailable. Try again shortly.',
    frozenMessage: 'The service cannot answer just now. Try again shortly.',
  },
  TIMEOUT: {
    status: 504,
    when: 'The database did not answer in time.',
    message: 'The request took too long. Try a smaller range.',
    frozenMessage: 'The answer took too long. Try a smaller range.',
  },
} satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof TABLE

export const ERRORS: Readonly<Record<ErrorCode, ErrorKind>> = TABLE

/** An error whose code, message and details are sent to the caller. */
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

/** Returns the error of a parameter whose value is not allowed. @param advice ends the message */
export const invalidParameter = (parameter: string, value: string, expected: string, advice = ''): ApiError =>
  new ApiError(
    'INVALID_PARAMETER',
    { parameter, value, expected },
    `${parameter} must be ${expected}.${advice && ` ${advice}`}`,
  )
