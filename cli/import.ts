/** `partner-metrics import`: brings CSV files into the database, each by itself, and tells what came of them. */
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { type Figures, faultsOfOptions, KINDS, type Kind } from '../db/import/import-file'
import { withPool } from '../db/postgres/pool'
import { notAnOption } from './arguments'
import { withDatabase } from './database'
import { type Imported, importAll, type Options } from './import/files'
import { openTable, printResult, UsageError } from './output'
import { readSettings } from './settings'

type Pair = readonly [string, string]

export function register(program: Command): void {
  program
    .command('import')
    .description('bring data into the database: CSV with a header, .gz or - (standard input) too')
    .addArgument(new Argument('<kind>', 'what stands in the files').choices(Object.keys(KINDS)))
    .argument('<file...>', 'each is stored as a whole, or not at all')
    .option('--map <column=their_name>', 'a column of ours has this name in the files (repeatable)', pair)
    .option('--ignore <their_name>', 'a column of theirs is left out (repeatable)', listed)
    .option('--set <column=value>', 'a column of ours has this value in all rows (repeatable)', pair)
    .option('--skip-faulty', 'store the good rows of a file that has faulty ones')
    .option('--rejects <file>', 'keep faulty rows there, as CSV with line and reason', notAnOption)
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nColumns:\n${columnsOf(KINDS)}`)
    .action(async (kind: Kind, files: string[], given: Partial<Options> & { json?: boolean }) => {
      const options = { map: [], ignore: [], set: [], ...given }
      checkUsage(kind, files, options)
      const config = { max: 1, connectionTimeoutMillis: 30_000, keepAlive: true }
      const imported = await withDatabase(readSettings(process.env), ({ ownerUrl }) =>
        withPool(ownerUrl, config, pool => importAll(pool, kind, files, options)),
      )
      const total = totalOf(imported)
      printResult(options.json === true, { files: imported, total }, () => tableOf(imported, total))
      if (imported.some(({ refused }) => refused)) process.exitCode = 1
    })
}

const columnsOf = (kinds: typeof KINDS): string =>
  Object.entries(kinds)
    .map(([kind, { columns }]) => `  ${kind.padEnd(12)} ${columns.join(', ')}`)
    .join('\n')

function pair(text: string, earlier: Pair[] = []): Pair[] {
  const [, column, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (column === undefined || value === undefined) throw new InvalidArgumentError('It has the form column=….')
  return [...earlier, [column.trim(), value]]
}

const listed = (text: string, earlier: string[] = []): string[] => [...earlier, text]

function checkUsage(kind: Kind, files: readonly string[], options: Options): void {
  const faults = faultsOfOptions(KINDS[kind].columns, options)
  if (files.filter(file => file === '-').length > 1) faults.push('standard input (-) can be read only once')
  if (options.rejects === '-') faults.push('--rejects is a file')
  if (faults.length > 0) throw new UsageError('USAGE', faults.join('\n'))
}

const FIGURES = ['read', 'stored', 'unchanged', 'rejected', 'not_stored'] as const

function totalOf(imported: readonly Imported[]): Figures {
  const sum = (figure: keyof Figures) => imported.reduce((total, file) => total + file[figure], 0)
  return Object.fromEntries(FIGURES.map(figure => [figure, sum(figure)])) as unknown as Figures
}

function tableOf(imported: readonly Imported[], total: Figures): string {
  const head = ['file', ...FIGURES.map(figure => figure.replace('_', ' '))]
  const table = openTable(head, ['left', ...FIGURES.map(() => 'right' as const)])
  const row = (name: string, figures: Figures) => table.push([name, ...FIGURES.map(figure => figures[figure])])
  for (const file of imported) row(file.refused ? `${file.file} (refused)` : file.file, file)
  if (imported.length > 1) row('in all', total)
  return table.toString()
}
