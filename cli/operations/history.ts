/** `partner-metrics history`: prints what operators changed. */
import type { Command } from 'commander'
import { type RecordedOperation, readOperations } from '../../db/operations/record'
import type { Invocation } from '../invocation'
import { wholeNumber } from '../option-values'
import { tableOf } from '../text/fitted-table'
import { minute } from './columns'
import { withOwner } from './owner'
import { summarizeValues } from './summary'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100_000

export function register(program: Command, invocation: Invocation): void {
  program
    .command('history')
    .description('show what operators changed, latest first')
    .option('--limit <number>', 'number of operations', wholeNumber(MAX_LIMIT), DEFAULT_LIMIT)
    .action(async ({ limit }: { limit: number }) => {
      const rows = await withOwner(invocation, ({ pool }) => readOperations(pool, limit))
      invocation.printResult({ rows }, width =>
        rows.length > 0 ? tableOf(rows, COLUMNS, ['account', 'details', 'figures'], width) : 'no changes are recorded',
      )
    })
}

const COLUMNS = {
  'at (UTC)': ({ at }: RecordedOperation) => minute(at),
  account: 'account',
  command: 'command',
  details: ({ details }: RecordedOperation) => summarizeValues(details),
  figures: ({ figures }: RecordedOperation) => summarizeValues(figures),
} as const
