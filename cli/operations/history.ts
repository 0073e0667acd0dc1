/** `partner-metrics history`: prints what operators changed, or every value that a day of an asset had. */
import type { Command } from 'commander'
import { type DayValue, readDayHistory } from '../../db/operations/day-history'
import { type RecordedOperation, readHistory } from '../../db/operations/history'
import type { Invocation } from '../invocation'
import { dateValue, optionValue, wholeNumber } from '../option-values'
import { fittedTable } from '../text/fitted-table'
import { UsageError } from '../usage-error'
import { minute } from './columns'
import { withOwner } from './owner'
import { summarizeValues } from './summary'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100_000

interface HistoryOptions {
  limit: number
  asset?: string
  date?: string
}

export function register(program: Command, invocation: Invocation): void {
  program
    .command('history')
    .description('show what operators changed, latest first; with --asset and --date, every value that a day ever had')
    .option('--limit <number>', 'number of operations', wholeNumber(MAX_LIMIT), DEFAULT_LIMIT)
    .option('--asset <asset>', 'id or legacy id of an asset; needs --date', optionValue)
    .option('--date <date>', 'a local day of the asset, as YYYY-MM-DD', dateValue)
    .action(async ({ limit, asset, date }: HistoryOptions) => {
      if (asset !== undefined && date !== undefined) {
        const rows = await withOwner(invocation, ({ pool }) => readDayHistory(pool, asset, date))
        return invocation.printResult({ asset, date, rows }, width =>
          rows.length > 0 ? drawValueTable(rows, width) : 'the day never had a value',
        )
      }
      if (asset !== undefined || date !== undefined) throw new UsageError('USAGE', '--asset and --date go together')
      const rows = await withOwner(invocation, ({ pool }) => readHistory(pool, limit))
      invocation.printResult({ rows }, width =>
        rows.length > 0 ? drawOperationTable(rows, width) : 'no changes are recorded',
      )
    })
}

const drawValueTable = (values: readonly DayValue[], width: number | undefined): string =>
  fittedTable(
    ['kind', 'from (UTC)', 'value', 'intervals', 'reason', 'note', 'account', 'command'],
    values.map(({ kind, from, value, intervals, reason, note, final, account, command }) => [
      kind,
      from === null ? 'in time' : minute(from),
      value ?? 'none',
      intervals,
      `${reason ?? ''}${final ? ' (closed month)' : ''}`,
      note,
      account,
      command,
    ]),
    ['note', 'account', 'command'],
    { width },
  )

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
