/** `partner-metrics set-aside` and `restore`: take counts out of every number, and bring them back. */
import { type Command, Option } from 'commander'
import { countOf } from '../db/count-of'
import type { RestatementOptions } from '../db/operations/restatement'
import type { Pool } from '../db/postgres/pool'
import { restore } from '../imports/set-aside/restore'
import { type ChangedPeriod, type RunOptions, type SetAsideRequest, setAside } from '../imports/set-aside/set-aside'
import type { Invocation } from './invocation'
import { addConfirmOptions, type ConfirmOptions, listMoreAssets, MAX_ASSETS, runConfirmed } from './operations/confirm'
import { addRestatementOptions, checkRestatementOptions, optionValue } from './option-values'
import { printableLine } from './text/printable'

export function register(program: Command, invocation: Invocation): void {
  const command = program
    .command('set-aside')
    .description('take counts out of every number without deleting them: they read as missing')
    .addHelpText('after', '\n`restore ID` brings them back, `list set-aside` lists them.')
    .command('impressions')
    .description('set the counts of a sensor aside, those that are stored and those that arrive later')
  const time = 'local time or date at the asset, or a time with its offset'
  const options = [
    new Option('--sensor <sensor>', 'serial or id of the sensor'),
    new Option('--from <time>', `start of the first intervals: ${time}`).argParser(optionValue),
    new Option('--to <time>', 'end of the stretch in the same form, exclusive').argParser(optionValue),
  ]
  for (const option of options) command.addOption(option.makeOptionMandatory())
  addOptions(command).action((given: SetAsideOptions & SetAsideRequest) =>
    changeSetAside(invocation, given, {
      run: (pool, options) => setAside(pool, given, options),
      plan: 'to set aside, with all counts of that time that arrive later',
      done: 'set aside',
      ahead: 'counts that arrive until then will be set aside, too',
      question: '`partner-metrics restore` brings them back.',
    }),
  )
  command.options.find(({ long }) => long === '--reason')?.makeOptionMandatory()
  registerRestore(program, invocation)
}

function registerRestore(program: Command, invocation: Invocation): void {
  const command = program
    .command('restore')
    .description('bring counts back that were set aside, at the asset where the sensor was at their time')
    .argument('<id>', 'number of the stretch, which `partner-metrics list set-aside` shows')
  addOptions(command).action((id: string, options: SetAsideOptions) =>
    changeSetAside(invocation, options, {
      run: (pool, runOptions) => restore(pool, id, runOptions),
      plan: 'to restore',
      done: 'restored',
      question: 'They will be in all numbers again.',
    }),
  )
}

interface SetAsideOptions extends ConfirmOptions, RestatementOptions {}

interface Change {
  run(pool: Pool, options: RunOptions): Promise<ChangedPeriod>
  plan: string
  done: string
  question: string
  /** The words on a period that ends in the future. */
  ahead?: string
}

/** The number of a period that is only shown is not kept. */
type ShownPeriod = Omit<ChangedPeriod, 'id'> & { id?: number }

const addOptions = (command: Command): Command => addConfirmOptions(addRestatementOptions(command))

async function changeSetAside(invocation: Invocation, options: SetAsideOptions, change: Change): Promise<void> {
  checkRestatementOptions(options)
  const given = { ...options, dryRun: false, onWait: invocation.printMessage }
  await runConfirmed<ShownPeriod>(invocation, options, {
    ...change,
    preview: async pool => {
      const { id: _, ...shown } = await change.run(pool, { ...given, dryRun: true })
      return shown
    },
    run: (pool, preview) => change.run(pool, { ...given, ...(preview && { preview }) }),
    format: (period, heading) => formatPeriod(period, change, heading),
  })
}

function formatPeriod(
  { id, sensor, from, to, reason, public: isPublic, counts, impressions, changed }: ShownPeriod,
  { ahead }: Change,
  heading: string,
): string[] {
  return [
    heading,
    `  ${countOf(counts, 'count')} of sensor ${printableLine(sensor)}, ${countOf(impressions, 'impression')} in total`,
    `  from ${from} to before ${to}${ahead && Date.parse(to) > Date.now() ? `: ${ahead}` : ''}`,
    ...changed
      .slice(0, MAX_ASSETS)
      .map(({ id, name, from, to }) => `  on ${printableLine(name)} (${id}), ${from} to ${to}`),
    ...listMoreAssets(changed).map(line => `  ${line}`),
    `  reason, ${isPublic ? 'which partners read' : 'for operators alone'}: ${printableLine(reason)}`,
    ...(id === undefined ? [] : [`  number ${id}`]),
  ]
}
