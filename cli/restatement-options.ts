/** The options of all commands that change counts, for the ledger. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RestatementOptions } from '../db/operations/restatement'
import { UsageError } from './invocation'

const MAX_LENGTH = 500

export const addRestatementOptions = (command: Command): Command =>
  command
    .addOption(new Option('--reason <text>', 'why the data changes, for the ledger').argParser(parseReason))
    .option('--public', 'partners read the reason, too')
    .option('--restate', 'change totals of closed months; needs --reason')

/** @throws UsageError where an option lacks its reason */
export function checkRestatementOptions({ reason, public: isPublic, restate }: RestatementOptions): void {
  if (reason !== undefined) return
  if (restate) throw new UsageError('USAGE', "--restate needs --reason 'TEXT', which the ledger shows")
  if (isPublic) throw new UsageError('USAGE', "--public needs --reason 'TEXT', which partners will read")
}

export function parseReason(text: string): string {
  const reason = text.trim()
  if (reason === '' || reason.length > MAX_LENGTH) {
    throw new InvalidArgumentError(`It must have 1 to ${MAX_LENGTH} characters.`)
  }
  return reason
}
