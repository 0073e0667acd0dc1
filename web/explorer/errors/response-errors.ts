/** The errors of a response, of the request as a whole or of fields of the query. */

export interface ResponseError {
  /** A code that /docs/errors describes; the page's own errors have none. */
  code?: string | undefined
  message: string
  /** The field that failed. */
  path?: string | undefined
}

/** The parts of a response body in which errors are. */
export interface ResponseBody {
  data?: unknown
  error?: { code: string; message: string; details?: { required_scope?: string } }
  errors?: { message: string; path?: (string | number)[]; extensions?: { code?: string } }[]
}

export function findErrors({ error, errors = [] }: ResponseBody): ResponseError[] {
  const ofFields = errors.map(({ message, path, extensions }) => ({
    code: extensions?.code,
    message,
    path: path?.join('.'),
  }))
  return error ? [error, ...ofFields] : ofFields
}
