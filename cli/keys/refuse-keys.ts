/** API keys are not accepted as arguments, which are visible to others and stored by shells. */
import { UsageError } from '../usage-error'

/** Refuses arguments with an API key, before any message can repeat them. @throws UsageError */
export function refuseKeys(args: readonly string[]): void {
  if (!args.some(argument => /msk_(test|live)_/i.test(argument))) return
  throw new UsageError(
    'KEY_IN_ARGUMENT',
    'an argument contains an API key, which is now in your shell history and was visible in the list of processes: ' +
      'delete it from the history or rotate the key. Give - as ID, and pass the key on standard input',
  )
}
