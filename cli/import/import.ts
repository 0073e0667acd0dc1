/** `partner-metrics import`: imports CSV files, each in a transaction of its own, and prints the figures. */
import { Argument, type Command, Help, type Option } from 'commander'
import type { Figures } from '../../db/figures'
import { failedCommand, recordOperation } from '../../db/operations/record'
import type { Pool } from '../../db/postgres/pool'
import type { KindColumns } from '../../imports/csv/header/column-options'
import type { MonthChange } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'
import { registerImportAll } from '../export'
import type { Invocation } from '../invocation'
import { type OwnerSession, withOwner } from '../operations/owner'
import { addChoices } from '../option-values'
import { fittedTable, tableOf } from '../text/fitted-table'
import { type FileResult, importFiles } from './import-files'
import { addOptions, type GivenOptions, hasOption, readOptions } from './options'

const EXAMPLE = 'Example:\n  partner-metrics import impressions counts.csv --dry-run'

export function register(program: Command, invocation: Invocation): void {
  const command = addOptions(
    program
      .command('import')
      .summary('import CSV files (.gz, and - for standard input, too), each as a whole or not at all')
      .description(
        `Import CSV files; .gz files, and - for standard input, too. Each is stored as a whole or not at all.
Kinds: ${Object.keys(KINDS).join(', ')}
\`import all <folder>\` reads what \`export all\` has written into a new database.`,
      )
      .addArgument(addChoices(new Argument('<kind>', 'what the files contain'), Object.keys(KINDS)))
      .argument('<file...>'),
  )
  registerImportAll(command, invocation)
  const [, kindNamed] = invocation.args
  const kindOfHelp = isKind(kindNamed) ? kindNamed : undefined
  const isShown = (option: Option) => kindOfHelp === undefined || hasOption(kindOfHelp, option)
  command
    .configureHelp({
      commandDescription: all => (kindOfHelp ? all.summary() : all.description()),
      visibleArguments: () => [],
      visibleCommands: () => [],
      visibleOptions: all => new Help().visibleOptions(all).filter(isShown),
      optionDescription: option => option.description,
    })
    .addHelpText('after', () => `\n${kindOfHelp ? kindHelp(kindOfHelp) : EXAMPLE}`)
    .action(async (kind: Kind, files: string[], given: GivenOptions) => {
      const options = readOptions(kind, files, given, command)
      const importAll = async ({ pool }: OwnerSession) => {
        const imported = await importFiles(invocation, pool, kind, files, options)
        if (!options.dryRun) await recordFailures(invocation, pool, kind, imported.results)
        return imported
      }
      const { results, implausible, changes } = await withOwner(invocation, importAll)
      const total = addFigures(results)
      const { days, total: implausible_total } = implausible
      const judged = kind === 'impressions' && { implausible: days, implausible_total }
      const document = { files: results, total, ...judged, ...(changes && { changes }) }
      invocation.printResult(document, width => [
        figuresTable(results, total, width),
        ...(changes ? changeLines(changes, width) : []),
      ])
      if (results.some(hasFailed)) invocation.exitCode = 1
    })
}

const isKind = (text = ''): text is Kind => Object.hasOwn(KINDS, text)

const hasFailed = ({ refused, read, rejected }: FileResult): boolean => refused || (rejected > 0 && rejected === read)

/** Records the files of which nothing was stored, for the history and the metrics. The database may be the reason. */
async function recordFailures(
  invocation: Invocation,
  pool: Pool,
  kind: Kind,
  results: readonly FileResult[],
): Promise<void> {
  try {
    for (const { file, read, rejected } of results.filter(hasFailed)) {
      const command = failedCommand(`import ${kind}`)
      await recordOperation(pool, { command, details: { file }, figures: { read, rejected } })
    }
  } catch {
    invocation.printMessage('the failed import could not be recorded in the history')
  }
}

const MAX_LINE = 78

/** Returns the columns of a kind and a file with the command that imports it. */
function kindHelp(kind: Kind): string {
  const { columns, required, named }: KindColumns = KINDS[kind]
  const wrap = (text: string) => new Help().boxWrap(text, MAX_LINE).replace(/^/gm, '  ')
  const isRequired = (column: string) => required.some(names => names.split('|').includes(column))
  return [
    `Columns of ${kind} (* ${required.some(names => names.includes('|')) ? 'one of them is' : 'are'} required):`,
    wrap(columns.map(column => (isRequired(column) ? `${column}*` : column)).join(', ')),
    ...(named ? [wrap(`and ${named.prefix}NAME, NAME being ${named.expected}`)] : []),
    '',
    `Example, for partner-metrics import ${kind} ${kind}.csv:`,
    ...KINDS[kind].example.map(line => `  ${line}`),
  ].join('\n')
}

const FIGURES = ['read', 'stored', 'unchanged', 'set_aside', 'erased', 'dropped', 'rejected', 'not_stored'] as const

function addFigures(results: readonly FileResult[]): Figures {
  const sum = (figure: keyof Figures) => results.reduce((total, result) => total + result[figure], 0)
  return Object.fromEntries(FIGURES.map(figure => [figure, sum(figure)])) as unknown as Figures
}

function figuresTable(results: readonly FileResult[], total: Figures, width: number | undefined): string {
  const row = (name: string, figures: Figures) => [name, ...FIGURES.map(figure => figures[figure])]
  const rows = results.map(result => row(result.refused ? `${result.file} (refused)` : result.file, result))
  const head = ['file', ...FIGURES.map(figure => figure.replace('_', ' '))]
  return fittedTable(head, results.length > 1 ? [...rows, row('total', total)] : rows, ['file'], { width })
}

function changeLines(changes: readonly MonthChange[], width: number | undefined): string[] {
  if (changes.length === 0) return ['Dry run: nothing was stored, and no monthly total would change.']
  const totals = {
    'impressions now': (change: MonthChange) => change.old ?? 'nothing',
    'would be': (change: MonthChange) => change.new ?? 'nothing',
  }
  return [
    'Dry run: nothing was stored. Monthly totals that would change:',
    tableOf(changes, { asset: 'asset_id', name: 'asset', month: 'month', ...totals }, ['name'], width),
  ]
}
