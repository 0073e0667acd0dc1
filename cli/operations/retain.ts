/** `partner-metrics retain`: deletes counts, origins and demographics that are older than some months. */
import { type Command, Option } from 'commander'
import { dateOf, numberOfDay } from '../../db/calendar/local-days'
import type { Invocation } from '../invocation'
import { wholeNumber } from '../option-values'
import { addOptions } from './delete'
import { type DeletionOptions, deleteOnCommand } from './deletion'

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
  addOptions(command).action(({ months, ...options }: DeletionOptions & { months: number }) => {
    const first = firstRetained(months, new Date())
    const to = dateOf(numberOfDay(...first, 1) - 1)
    const before = dateOf(numberOfDay(...first, 1))
    const operation = { command: 'retain', details: { months, before } }
    return deleteOnCommand(invocation, { request: { kind: 'everything', to }, operation }, options)
  })
}

/** Returns year and month that is `months` before today's (UTC). */
const firstRetained = (months: number, today: Date): [year: number, month: number] => {
  const month = today.getUTCFullYear() * 12 + today.getUTCMonth() - months
  return [Math.floor(month / 12), (month % 12) + 1]
}
