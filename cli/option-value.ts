/** A parser for options with a text. */
import { InvalidArgumentError } from 'commander'

/** Parses the value of an option. Commander would take the next option for it if the value is missing. */
export function optionValue(text: string): string {
  if (text.startsWith('--')) throw new InvalidArgumentError('Its value is missing: another option follows.')
  return text
}
