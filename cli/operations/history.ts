/** `partner-metrics history`: prints what operators changed. */
import type { Command } from 'commander'
import { type RecordedOperation, readHistory } from '../../db/operations/history'
import type { Invocation } from '../invocation'
import { wholeNumber } from '../option-values'
import { fittedTable } from '../text/fitted-table'
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
      const rows = await withOwner(invocation, ({ pool }) => readHistory(pool, limit))
      invocation.printResult({ rows }, width =>
        rows.length > 0 ? drawOperationTable(rows, width) : 'no changes are recorded',
      )
    })
}

const drawOperationTable = (operations: readonly RecordedOperation[], width: number | undefined): string =>
  fittedTable(
    ['at (UTC)', 'account', 'command', 'details', 'figures'],
    operations.map(({ at, account, command, details, figures }) => [
      minute(at),
      account,
      command,
      summarizeValues(details),
      summarizeValues(figures),
    ]),
    ['account', 'details', 'figures'],
    { width },
  )
