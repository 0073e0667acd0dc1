/** `partner-metrics retain`: deletes counts, origins and demographics that are older than some months. */
import { type Command, Option } from 'commander'
import { dateOf, numberOfDay } from '../../db/calendar/local-days'
import type { Invocation } from '../invocation'
import { wholeNumber } from '../option-values'
import { addConfirmOptions, type ConfirmOptions } from './confirm'
import { deleteOnCommand } from './delete'

const MAX_MONTHS = 1_200

export function register(program: Command, invocation: Invocation): void {
  const command = program
    .command('retain')
    .description('delete the counts, origins and demographics of all days before the last N whole months')
    .addOption(
      new Option('--months <number>', 'N, the number of whole months to keep')
        .argParser(wholeNumber(MAX_MONTHS))
        .makeOptionMandatory(),
    )
  addConfirmOptions(command).action(({ months, ...options }: ConfirmOptions & { months: number }) => {
    const today = new Date()
    const first = numberOfDay(today.getUTCFullYear(), today.getUTCMonth() + 1 - months, 1)
    const operation = { command: 'retain', details: { months, before: dateOf(first) } }
    return deleteOnCommand(invocation, { request: { kind: 'everything', to: dateOf(first - 1) }, operation }, options)
  })
}
