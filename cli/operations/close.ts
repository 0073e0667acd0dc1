/** `partner-metrics close`: makes a month final, and all before it. */
import { type Command, InvalidArgumentError } from 'commander'
import { isDate } from '../../db/calendar/local-days'
import { type ClosedCompany, closeMonth } from '../../db/operations/closed-months'
import type { Invocation } from '../invocation'
import { parseReason } from '../revision-options'
import { fittedTable } from '../text/fitted-table'
import { UsageError } from '../usage-error'
import { withOwner } from './owner'

interface CloseOptions {
  company?: string
  undo?: boolean
  reason?: string
}

export function register(program: Command, invocation: Invocation): void {
  program
    .command('close')
    .description('make a month final, and all before it: what would change a total of a day in it is refused')
    .argument('<month>', 'the month, as YYYY-MM; it must be over in all time zones of the company', parseMonth)
    .option('--company <company>', 'id or name; all companies without it')
    .option('--undo', 'take back the close of the last closed month; needs --reason')
    .option('--reason <text>', 'why, for the history', parseReason)
    .addHelpText('after', '\nRetention and the deletion of companies are not stopped by it.')
    .action(async (month: string, { company, undo = false, reason }: CloseOptions) => {
      if (undo !== (reason !== undefined)) throw new UsageError('USAGE', "--undo and --reason 'TEXT' go together")
      const request = {
        month,
        ...(company !== undefined && { company }),
        ...(reason !== undefined && { undo: { reason } }),
      }
      const companies = await withOwner(invocation, ({ pool }) => closeMonth(pool, request, invocation.printMessage))
      invocation.printResult({ companies }, width =>
        companies.length > 0 ? drawCompanyTable(companies, width) : 'there is no company',
      )
    })
}

function parseMonth(text: string): string {
  if (/^\d{4}-\d\d$/.test(text) && isDate(`${text}-01`)) return text
  throw new InvalidArgumentError('It must be a month, as YYYY-MM.')
}

const drawCompanyTable = (companies: readonly ClosedCompany[], width: number | undefined): string =>
  fittedTable(
    ['company', 'final through', 'before'],
    companies.map(({ name, final_through, previous }) => [
      name,
      final_through ?? 'none',
      final_through === previous ? 'unchanged' : (previous ?? 'none'),
    ]),
    ['company'],
    { width },
  )
