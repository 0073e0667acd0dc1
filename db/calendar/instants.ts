/** Points in time as callers write them. */
import { isDate } from './local-days'

const INSTANT = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/i

/** Returns whether a text is a date and time in RFC 3339, with its offset. PostgreSQL knows none of 16 hours or more. */
export function isInstant(text: string): boolean {
  const [, date] = INSTANT.exec(text) ?? []
  return date !== undefined && isDate(date)
}

/** Returns the milliseconds from 1970 to an instant in RFC 3339. What is finer is cut. */
export const toMilliseconds = (text: string): number => Date.parse(text.toUpperCase())
