/** Parsers for the values of options. */
import { InvalidArgumentError } from 'commander'
import { isDate } from '../db/calendar/local-days'

/** Parses the value of an option. Commander would take the next option for it if the value is missing. */
export function optionValue(text: string): string {
  if (text.startsWith('--')) throw new InvalidArgumentError('Its value is missing: another option follows.')
  return text
}

/** Returns a parser of whole numbers from 1 on. */
export const wholeNumber =
  (max: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`)
  }

/** Parses a date. @throws InvalidArgumentError */
export function dateValue(text: string): string {
  if (isDate(optionValue(text))) return text
  throw new InvalidArgumentError('It must be a real date, as YYYY-MM-DD.')
}
