/** The part of an hour whose audience a profile shows. */
import { ApiError } from '../../schema/errors'

export const MAX_SECONDS = 86_400

/** @throws ApiError INVALID_PARAMETER */
export function checkSeconds(seconds: number | null): void {
  if (seconds === null || (seconds >= 1 && seconds <= MAX_SECONDS)) return
  const details = { parameter: 'seconds', value: String(seconds), expected: `a whole number from 1 to ${MAX_SECONDS}` }
  throw new ApiError('INVALID_PARAMETER', details, `seconds must be ${details.expected}.`)
}
