/** Why counts of a file are rejected that contradict each other or what is stored. */
import { MAX_COUNT, MISSING } from '../../../db/calendar/packed-counts'

/** Another value was given on an earlier line. */
export function conflictReason(count: number, earlier: number, line: number): string {
  const text = (value: number) => (value === MISSING ? 'empty' : String(value))
  const hint = count === MISSING || earlier === MISSING ? ': without --erase an empty value changes nothing' : ''
  return `impressions is ${text(count)}, but line ${line} has ${text(earlier)} for the same interval${hint}`
}

/** One of the counts that are added up is rejected. */
export const partReason = (line: number): string =>
  `impressions is part of an interval that would be incomplete, because line ${line} has an error`

/** The counts that are added up contradict the stored count. */
export const sumReason = (sum: number, stored: number): string =>
  `impressions is part of an interval that adds up to ${sum}, but ${stored} is stored: all parts of an interval must be in one file (to replace the stored count, delete it first)`

/** The sum of the parts is not a count. */
export const excessReason = `impressions is part of an interval that adds up to more than ${MAX_COUNT}`
