/** `partner-metrics delete`: deletes companies, assets, sensors, and counts of a range of dates. */
import { Argument, type Command, Option } from 'commander'
import { FACTS } from '../../db/facts'
import type { DeletionRequest } from '../../db/operations/deletion'
import { recordedOptions } from '../../db/operations/record'
import type { RestatementOptions } from '../../db/operations/restatement'
import { ENTITIES, type EntityKind } from '../../db/references'
import type { Invocation } from '../invocation'
import { dateValue } from '../option-values'
import { addRestatementOptions, checkRestatementOptions } from '../restatement-options'
import { UsageError } from '../usage-error'
import { addConfirmOptions, type ConfirmOptions } from './confirm'
import { deleteOnCommand } from './deletion'

interface DeleteOptions extends ConfirmOptions, RestatementOptions {}

interface RangeOptions extends DeleteOptions {
  sensor?: string[]
  asset?: string[]
  from: string
  to: string
}

const DESCRIPTIONS = {
  companies: 'companies with all they own: assets, their counts, and sensors that were nowhere else',
  assets: 'assets with their counts, origins and demographics; their sensors stay, on no asset',
  sensors: 'sensors with their counts',
} satisfies Partial<Record<EntityKind, string>>

/** Returns the keys of a kind, such as `id or legacy id`. */
const describeKeys = (kind: EntityKind, plural = ''): string =>
  ENTITIES[kind].keys.map(key => key.replace('_', ' ') + plural).join(' or ')

export function register(program: Command, invocation: Invocation): void {
  const commands = program
    .command('delete')
    .description('delete companies, assets or sensors, or counts of a range of dates')
    .addHelpText(
      'after',
      '\nEach shows what it will delete and asks for confirmation. It deletes everything\nor nothing.',
    )
  for (const [kind, description] of listEntries(DESCRIPTIONS)) {
    const ids = new Argument('<id...>', describeKeys(kind, 's'))
    addDeleteOptions(commands.command(kind).description(`delete ${description}`).addArgument(ids)).action(
      (given: string[], options: DeleteOptions) => run(invocation, { kind, ids: given }, { ids: given, ...options }),
    )
  }
  for (const [kind, { of }] of listEntries(FACTS)) {
    const description = `${describeKeys(`${of}s`)} of the ${of} (repeatable)`
    addDeleteOptions(
      commands
        .command(kind)
        .description(`delete ${kind} of ${of}s from one day to another, both inclusive, local at the asset`)
        .addOption(new Option(`--${of} <${of}...>`, description).makeOptionMandatory())
        .addOption(new Option('--from <date>', 'first day, as YYYY-MM-DD').argParser(dateValue).makeOptionMandatory())
        .addOption(new Option('--to <date>', 'last day, as YYYY-MM-DD').argParser(dateValue).makeOptionMandatory()),
    ).action((options: RangeOptions) => {
      const { from, to } = options
      if (from > to) throw new UsageError('USAGE', `--from ${from} is after --to ${to}`)
      return run(invocation, { kind, of: options[of]!, from, to }, options)
    })
  }
}

const listEntries = <Key extends string, Value>(record: Record<Key, Value>) => Object.entries(record) as [Key, Value][]

const addDeleteOptions = (command: Command): Command => addConfirmOptions(addRestatementOptions(command))

function run(
  invocation: Invocation,
  request: DeletionRequest,
  options: DeleteOptions & { ids?: readonly string[] },
): Promise<void> {
  checkRestatementOptions(options)
  const operation = { command: `delete ${request.kind}`, details: recordedOptions(options) }
  return deleteOnCommand(invocation, { request, operation, restatement: options }, options)
}
