/** `partner-metrics delete`: deletes companies, assets, sensors, and counts of a range of dates. */
import { Argument, type Command, Option } from 'commander'
import type { DeletionRequest } from '../../db/operations/deletion'
import { recordedOptions } from '../../db/operations/record'
import { dateValue } from '../option-values'
import { UsageError } from '../output'
import { type DeletionOptions, deleteOnCommand } from './deletion'

interface RangeOptions extends DeletionOptions {
  sensor?: string[]
  asset?: string[]
  from: string
  to: string
}

const ENTITIES = {
  companies: ['companies with all they own: assets, their counts, and sensors that were nowhere else', 'ids or names'],
  assets: ['assets with their counts, origins and demographics; their sensors stay, on no asset', 'ids or legacy ids'],
  sensors: ['sensors with their counts', 'serials or ids'],
} as const

const FACTS = {
  impressions: ['sensor', 'serial or id of the sensor (repeatable)'],
  origins: ['asset', 'id or legacy id of the asset (repeatable)'],
  demographics: ['asset', 'id or legacy id of the asset (repeatable)'],
} as const

export function register(program: Command): void {
  const commands = program
    .command('delete')
    .description('delete companies, assets or sensors, or counts of a range of dates')
    .addHelpText('after', '\nEach deletion shows what it deletes and asks before. It runs as a whole or not at all.')
  for (const [kind, [description, ids]] of entriesOf(ENTITIES)) {
    addOptions(
      commands.command(kind).description(`delete ${description}`).addArgument(new Argument('<id...>', ids)),
    ).action((given: string[], options: DeletionOptions) => run({ kind, ids: given }, { ids: given, ...options }))
  }
  for (const [kind, [of, description]] of entriesOf(FACTS)) {
    addOptions(
      commands
        .command(kind)
        .description(`delete ${kind} of ${of}s from one day to another, both inclusive, local at the asset`)
        .addOption(new Option(`--${of} <${of}...>`, description).makeOptionMandatory())
        .addOption(new Option('--from <date>', 'first day, as YYYY-MM-DD').argParser(dateValue).makeOptionMandatory())
        .addOption(new Option('--to <date>', 'last day, as YYYY-MM-DD').argParser(dateValue).makeOptionMandatory()),
    ).action((options: RangeOptions) => {
      const { from, to } = options
      if (from > to) throw new UsageError('USAGE', `--from ${from} is after --to ${to}`)
      return run({ kind, of: options[of] as string[], from, to }, options)
    })
  }
}

const entriesOf = <Key extends string, Value>(record: Record<Key, Value>) => Object.entries(record) as [Key, Value][]

/** The options of every deletion. */
export const addOptions = (command: Command): Command =>
  command
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--yes', 'delete without asking; required where there is no terminal')
    .option('--json', 'print one JSON document')

function run(request: DeletionRequest, options: DeletionOptions & { ids?: readonly string[] }): Promise<void> {
  return deleteOnCommand(request, { command: `delete ${request.kind}`, details: recordedOptions(options) }, options)
}
