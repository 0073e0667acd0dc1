/** `partner-metrics close`: makes a month final, and all before it. */
import { type Command, InvalidArgumentError } from 'commander'
import { isDate } from '../../db/calendar/local-days'
import { type ClosedCompany, type Closing, closeMonth } from '../../db/operations/closed-months'
import { type Invocation, UsageError } from '../invocation'
import { parseReason } from '../option-values'
import { tableOf } from '../text/fitted-table'
import { addConfirmOptions, type ConfirmOptions, listMoreAssets, MAX_ASSETS, runConfirmed } from './confirm'

interface CloseOptions extends ConfirmOptions {
  company?: string
  undo?: boolean
  reason?: string
}

export function register(program: Command, invocation: Invocation): void {
  const command = program
    .command('close')
    .description('make a month final, and all before it: what would change a total of a day in it is refused')
    .argument('<month>', 'the month, as YYYY-MM; it must be over in all time zones of the company', parseMonth)
    .option('--company <company>', 'id or name; all companies without it')
    .option('--undo', 'take back the close of the last closed month; needs --reason')
    .option('--reason <text>', 'why, for the history', parseReason)
    .addHelpText('after', '\nRetention and the deletion of companies are not stopped by it.')
  addConfirmOptions(command).action((month: string, { company, undo = false, reason, ...options }: CloseOptions) => {
    if (undo !== (reason !== undefined)) throw new UsageError('USAGE', "--undo and --reason 'TEXT' go together")
    const request = {
      month,
      ...(company !== undefined && { company }),
      ...(reason !== undefined && { undo: { reason } }),
    }
    const { printMessage: onWait } = invocation
    return runConfirmed<Closing>(invocation, options, {
      preview: pool => closeMonth(pool, request, { dryRun: true, onWait }),
      run: (pool, preview) => closeMonth(pool, request, { preview, onWait }),
      isEmpty: ({ companies }) => companies.every(({ previous, final_through }) => previous === final_through),
      plan: undo ? 'to open again' : 'to make final',
      done: undo ? 'open again' : 'final',
      format: formatClosing,
      question: undo
        ? 'Their totals can change again.'
        : 'Their totals can then change with --restate only, which partners see.',
    })
  })
}

function parseMonth(text: string): string {
  if (/^\d{4}-\d\d$/.test(text) && isDate(`${text}-01`)) return text
  throw new InvalidArgumentError('It must be a month, as YYYY-MM.')
}

const COMPANY_COLUMNS = {
  company: 'name',
  'final through': ({ final_through }: ClosedCompany) => final_through ?? 'none',
  before: ({ final_through, previous }: ClosedCompany) =>
    final_through === previous ? 'unchanged' : (previous ?? 'none'),
  ...({ from: 'from', assets: 'assets', days: 'days', 'missing days': 'missing_days' } as const),
} as const

const ASSET_COLUMNS = {
  asset: 'asset_id',
  name: 'asset',
  company: 'company',
  days: 'days',
  'missing days': 'missing_days',
} as const

function formatClosing({ companies, missing }: Closing, heading: string, width: number | undefined): string[] {
  if (companies.length === 0) return ['there is no company']
  const listed = tableOf(missing.slice(0, MAX_ASSETS), ASSET_COLUMNS, ['name', 'company'], width)
  return [
    heading,
    tableOf(companies, COMPANY_COLUMNS, ['company'], width),
    ...(missing.length > 0 ? ['days without counts on which a sensor was installed:', listed] : []),
    ...listMoreAssets(missing),
  ]
}
