/** What the values of options may be. */
import { InvalidArgumentError } from 'commander'

/** Commander takes the next word for an option's value, whatever it is: another option was meant, and its value forgotten. */
export function notAnOption(text: string): string {
  if (text.startsWith('--')) throw new InvalidArgumentError('Its value is missing: what follows is another option.')
  return text
}
