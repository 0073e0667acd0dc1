/** `partner-metrics set-aside`: takes counts of a sensor out of every number, without deleting them. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { setAside } from '../../imports/set-aside/set-aside'
import type { Invocation } from '../invocation'
import { optionValue } from '../option-values'
import { addOptions, changeStretch, type StretchOptions } from './change-stretch'

/** The longest reason, in characters. */
const MAX_REASON = 500

interface Options extends StretchOptions {
  sensor: string
  from: string
  to: string
  reason: string
  public?: boolean
}

export function register(program: Command, invocation: Invocation): void {
  const command = program
    .command('set-aside')
    .description('take counts out of every number without deleting them: they read as missing')
    .addHelpText(
      'after',
      '\n`partner-metrics restore ID` brings them back, `partner-metrics list set-aside` lists them.',
    )
    .command('impressions')
    .description('set the counts of a sensor aside, those that are stored and those that arrive later')
  const time = 'local time or date at the asset, or a time with its offset'
  const options = [
    new Option('--sensor <sensor>', 'serial or id of the sensor'),
    new Option('--from <time>', `start of the first intervals: ${time}`).argParser(optionValue),
    new Option('--to <time>', 'end of the stretch in the same form, exclusive').argParser(optionValue),
    new Option('--reason <text>', `why they cannot be used, up to ${MAX_REASON} characters`).argParser(reasonValue),
  ]
  for (const option of options) command.addOption(option.makeOptionMandatory())
  addOptions(command.option('--public', 'show partners the reason; without it they read "Set aside."')).action(
    (given: Options) => {
      const { sensor, from, to, reason, public: isPublic = false } = given
      const request = { sensor, from, to, reason, isPublic }
      return changeStretch(invocation, given, {
        run: (pool, options) => setAside(pool, request, options),
        plan: 'to set aside, with all counts of that time that arrive later:',
        done: 'set aside:',
        question: '`partner-metrics restore` brings them back.',
      })
    },
  )
}

function reasonValue(text: string): string {
  const reason = optionValue(text).trim()
  if (reason.length > 0 && [...reason].length <= MAX_REASON) return reason
  throw new InvalidArgumentError(`It must have 1 to ${MAX_REASON} characters.`)
}
