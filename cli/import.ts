/** `partner-metrics import`: imports CSV files, each in a transaction of its own, and prints the figures. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { REPEATED_HOURS } from '../db/import/counts/count-options'
import { columnOptionErrors } from '../db/import/csv/header'
import type { Figures } from '../db/import/figures'
import { KINDS, type Kind } from '../db/import/kinds'
import { withPool } from '../db/postgres/pool'
import { withDatabase } from './database'
import { type FileResult, type ImportFilesOptions, importFiles } from './import/import-files'
import { optionValue } from './option-value'
import { createTable, printResult, UsageError } from './output'
import { readSettings } from './settings'

type Pair = readonly [string, string]

export function register(program: Command): void {
  program
    .command('import')
    .description('import CSV files that have a header; .gz files and - (standard input) too')
    .addArgument(new Argument('<kind>', 'what the files contain').choices(Object.keys(KINDS)))
    .argument('<file...>', 'each file is stored as a whole or not at all')
    .option('--map <column=their_name>', 'the name that a column has in the files (repeatable)', parsePair)
    .option('--ignore <their_name>', 'leave out a column of the files (repeatable)', append)
    .option('--set <column=value>', 'a value for a column in all rows (repeatable)', parsePair)
    .option('--erase', 'an empty value removes the stored count (impressions, origins, demographics)')
    .addOption(
      new Option(
        '--repeated-hour <pass>',
        'where counts belong if a file has the hour that the clock repeats only once',
      ).choices(REPEATED_HOURS),
    )
    .addOption(
      new Option('--skipped-hour <drop>', 'leave out counts in the hour that the clock skips').choices(['drop']),
    )
    .option('--extend-installations', 'counts before or after the installations of a sensor extend them')
    .option('--sum-to-grain', "add up counts that are finer than the sensor's interval")
    .option('--skip-faulty', 'store the valid rows of a file even if others have errors')
    .option('--rejects <file>', 'write rows with errors to a CSV file, with line and reason', optionValue)
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nColumns:\n${columnsHelp()}`)
    .action(async (kind: Kind, files: string[], given: Partial<ImportFilesOptions> & { json?: boolean }) => {
      const options = { map: [], ignore: [], set: [], ...given }
      checkUsage(kind, files, options)
      const config = { max: 1, connectionTimeoutMillis: 30_000, keepAlive: true }
      const results = await withDatabase(readSettings(process.env), ({ ownerUrl }) =>
        withPool(ownerUrl, config, pool => importFiles(pool, kind, files, options)),
      )
      const total = totalOf(results)
      printResult(options.json === true, { files: results, total }, () => tableOf(results, total))
      if (results.some(({ refused }) => refused)) process.exitCode = 1
    })
}

const columnsHelp = (): string =>
  Object.entries(KINDS)
    .map(([kind, { columns }]) => `  ${kind.padEnd(12)} ${columns.join(', ')}`)
    .join('\n')

function parsePair(text: string, previous: Pair[] = []): Pair[] {
  const [, column, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (column === undefined || value === undefined) throw new InvalidArgumentError('It has the form column=….')
  return [...previous, [column.trim(), value]]
}

const append = (text: string, previous: string[] = []): string[] => [...previous, text]

function checkUsage(kind: Kind, files: readonly string[], options: ImportFilesOptions): void {
  const errors = columnOptionErrors(KINDS[kind].columns, options)
  if (files.filter(file => file === '-').length > 1) errors.push('standard input (-) can be read only once')
  if (options.rejects === '-') errors.push('--rejects must be a file')
  if (errors.length > 0) throw new UsageError('USAGE', errors.join('\n'))
}

const FIGURES = ['read', 'stored', 'unchanged', 'erased', 'dropped', 'rejected', 'not_stored'] as const

function totalOf(results: readonly FileResult[]): Figures {
  const sum = (figure: keyof Figures) => results.reduce((total, result) => total + result[figure], 0)
  return Object.fromEntries(FIGURES.map(figure => [figure, sum(figure)])) as unknown as Figures
}

function tableOf(results: readonly FileResult[], total: Figures): string {
  const head = ['file', ...FIGURES.map(figure => figure.replace('_', ' '))]
  const table = createTable(head, { colAligns: ['left', ...FIGURES.map(() => 'right' as const)] })
  const addRow = (name: string, figures: Figures) => table.push([name, ...FIGURES.map(figure => figures[figure])])
  for (const result of results) addRow(result.refused ? `${result.file} (refused)` : result.file, result)
  if (results.length > 1) addRow('total', total)
  return table.toString()
}
