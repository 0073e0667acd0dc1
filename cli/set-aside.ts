/** `partner-metrics set-aside`: takes counts of a sensor out of every number, without deleting them. */
import { type Command, Option } from 'commander'
import { setAside } from '../../imports/set-aside/set-aside'
import type { Invocation } from '../invocation'
import { optionValue } from '../option-values'
import { addOptions, changeSetAside, type SetAsideOptions } from './change-set-aside'

interface Options extends SetAsideOptions {
  sensor: string
  from: string
  to: string
}

export function register(program: Command, invocation: Invocation): void {
  const command = program
    .command('set-aside')
    .description('take counts out of every number without deleting them: they read as missing')
    .addHelpText('after', '\n`restore ID` brings them back, `list set-aside` lists them.')
    .command('impressions')
    .description('set the counts of a sensor aside, those that are stored and those that arrive later')
  const time = 'local time or date at the asset, or a time with its offset'
  const options = [
    new Option('--sensor <sensor>', 'serial or id of the sensor'),
    new Option('--from <time>', `start of the first intervals: ${time}`).argParser(optionValue),
    new Option('--to <time>', 'end of the stretch in the same form, exclusive').argParser(optionValue),
  ]
  for (const option of options) command.addOption(option.makeOptionMandatory())
  addOptions(command).action((given: Options) =>
    changeSetAside(invocation, given, {
      run: (pool, options) => setAside(pool, given, options),
      plan: 'to set aside, with all counts of that time that arrive later',
      done: 'set aside',
      ahead: 'counts that arrive until then will be set aside, too',
      question: '`partner-metrics restore` brings them back.',
    }),
  )
  command.options.find(({ long }) => long === '--reason')?.makeOptionMandatory()
}
