/** `partner-metrics delete`: deletes companies, assets, sensors, and counts of a range of dates. */
import { Argument, type Command, Option } from 'commander'
import { countOf } from '../../db/count-of'
import { FACTS } from '../../db/facts'
import { type DeletionPlan, type DeletionRequest, isEmpty } from '../../db/operations/deletion'
import { recordedOptions } from '../../db/operations/record'
import type { RestatementOptions } from '../../db/operations/restatement'
import { type Deletion, previewDeletion, runDeletion } from '../../db/operations/run-deletion'
import { ENTITIES, type EntityKind } from '../../db/references'
import { type Invocation, UsageError } from '../invocation'
import { addRestatementOptions, checkRestatementOptions, dateValue } from '../option-values'
import { fittedTable } from '../text/fitted-table'
import { printableLine } from '../text/printable'
import { addConfirmOptions, type ConfirmOptions, listMoreAssets, MAX_ASSETS, runConfirmed } from './confirm'

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

export const deleteOnCommand = (invocation: Invocation, deletion: Deletion, options: ConfirmOptions): Promise<void> =>
  runConfirmed(invocation, options, {
    preview: pool => previewDeletion(pool, deletion),
    run: (pool, preview) => runDeletion(pool, deletion, preview, invocation.printMessage),
    isEmpty,
    plan: 'to delete',
    done: 'deleted',
    format: formatPlan,
    question: 'This cannot be undone.',
  })

function formatPlan(plan: DeletionPlan, heading: string, width: number | undefined): string[] {
  if (isEmpty(plan)) return ['there is nothing to delete']
  const { changes, companies, keys, in_closed_months } = plan
  return [
    heading,
    ...figureLines(plan).map(line => `  ${line}`),
    ...companies.map(({ id, name }) => `  the company ${printableLine(name)} (${id})`),
    ...(in_closed_months ? ['days of closed months are among them'] : []),
    ...(changes.length > 0 ? [drawChangeTable(changes.slice(0, MAX_ASSETS), width)] : []),
    ...listMoreAssets(changes),
    ...keys.map(keyLine),
  ]
}

function figureLines({ deleted }: DeletionPlan): string[] {
  const { impressions, counts, ...others } = deleted
  const lines = Object.entries(others).map(([name, figure]) => [figure, countOf(figure, ...nounsOf(name))] as const)
  lines.splice(4, 0, [counts, `${countOf(counts, 'count')}, ${countOf(impressions, 'impression')} in total`])
  return lines.filter(([figure]) => figure > 0).map(([, line]) => line)
}

const nounsOf = (name: string): [singular: string, plural: string] => {
  if (name === 'set_aside') return ['count that is set aside', 'counts that are set aside']
  if (name in FACTS) return [`row of ${name}`, `rows of ${name}`]
  return [name === 'companies' ? 'company' : name.replace(/s$/, ''), name]
}

/** The figures of all assets together have the kinds of rows apart. */
const drawChangeTable = (changes: DeletionPlan['changes'], width: number | undefined): string =>
  fittedTable(
    ['asset', 'name', 'from', 'to', 'counts', 'other rows'],
    changes.map(({ asset_id, asset, from_date, to_date, counts, impressions: _, ...rows }) => [
      ...[asset_id, asset, from_date, to_date],
      ...[counts, Object.values(rows).reduce((sum, figure) => sum + figure, 0)],
    ]),
    ['name'],
    { width },
  )

const keyLine = ({ id, label, deactivated }: DeletionPlan['keys'][number]): string =>
  `the key ${id}${label === null ? '' : ` (${printableLine(label)})`} loses ${deactivated ? 'its last company: deactivated' : 'a company'}`
