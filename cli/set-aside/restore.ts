/** `partner-metrics restore`: brings counts back that were set aside. */
import type { Command } from 'commander'
import { restore } from '../../imports/set-aside/restore'
import type { Invocation } from '../invocation'
import { addOptions, changeSetAside, type SetAsideOptions } from './change-set-aside'

export function register(program: Command, invocation: Invocation): void {
  const command = program
    .command('restore')
    .description('bring counts back that were set aside, at the asset where the sensor was at their time')
    .argument('<id>', 'number of the stretch, which `partner-metrics list set-aside` shows')
  addOptions(command).action((id: string, options: SetAsideOptions) =>
    changeSetAside(invocation, options, {
      run: (pool, runOptions) => restore(pool, id, runOptions),
      plan: 'to restore',
      done: 'restored',
      question: 'They will be in all numbers again.',
    }),
  )
}
