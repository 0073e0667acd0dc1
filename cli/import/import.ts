/** `partner-metrics import`: imports CSV files, each in a transaction of its own, and prints the figures. */
import { Argument, type Command, Help, type Option } from 'commander'
import { failedCommand, recordOperation } from '../../db/operations/record'
import type { Pool } from '../../db/postgres/pool'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'
import type { Invocation } from '../invocation'
import { type OwnerSession, withOwner } from '../operations/owner'
import { addChoices } from '../option-values'
import { addFigures, changeLines, figuresTable } from './closing-lines'
import { registerImportAll } from './import-all'
import { type FileResult, importFiles } from './import-files'
import { kindHelp } from './kind-help'
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
