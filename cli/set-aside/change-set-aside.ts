/** Changes what is set aside, once the operator has confirmed it. */
import type { Command } from 'commander'
import { countOf } from '../../db/count-of'
import type { RestatementOptions } from '../../db/operations/restatement'
import type { Pool } from '../../db/postgres/pool'
import type { ChangedPeriod, RunOptions } from '../../imports/set-aside/set-aside'
import type { Invocation } from '../invocation'
import { addConfirmOptions, type ConfirmOptions, runConfirmed } from '../operations/confirm'
import { addRestatementOptions, checkRestatementOptions } from '../restatement-options'
import { printableLine } from '../text/printable'

export interface SetAsideOptions extends ConfirmOptions, RestatementOptions {}

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

/** Assets in the lines; the JSON document has all. */
const MAX_ASSETS = 20

export const addOptions = (command: Command): Command => addConfirmOptions(addRestatementOptions(command))

export async function changeSetAside(invocation: Invocation, options: SetAsideOptions, change: Change): Promise<void> {
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
  const more = changed.length - MAX_ASSETS
  return [
    heading,
    `  ${countOf(counts, 'count')} of sensor ${printableLine(sensor)}, ${countOf(impressions, 'impression')} in total`,
    `  from ${from} to before ${to}${ahead && Date.parse(to) > Date.now() ? `: ${ahead}` : ''}`,
    ...changed
      .slice(0, MAX_ASSETS)
      .map(({ id, name, from, to }) => `  on ${printableLine(name)} (${id}), ${from} to ${to}`),
    ...(more > 0 ? [`  and on ${countOf(more, 'more asset')} (--json lists all)`] : []),
    `  reason, ${isPublic ? 'which partners read' : 'for operators alone'}: ${printableLine(reason)}`,
    ...(id === undefined ? [] : [`  number ${id}`]),
  ]
}
