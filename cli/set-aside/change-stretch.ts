/** Runs a change of what is set aside for a command: plan, confirmation, change, result. */
import type { Command } from 'commander'
import type { RevisionOptions } from '../../db/operations/revision'
import type { Pool } from '../../db/postgres/pool'
import { countOf } from '../../db/text/count-of'
import type { ChangedStretch, RunOptions } from '../../imports/set-aside/set-aside'
import type { Invocation } from '../invocation'
import { type ConfirmOptions, checkConfirmable, confirm } from '../operations/confirm'
import { withOwner } from '../operations/owner'
import { addRevisionOptions, checkRevisionOptions } from '../revision-options'
import { printableLine } from '../text/printable'

export interface StretchOptions extends ConfirmOptions, RevisionOptions {
  json?: boolean
}

interface Change {
  run(pool: Pool, options: RunOptions): Promise<ChangedStretch>
  /** The headings of what will be changed, and of what was. */
  plan: string
  done: string
  question: string
  /** The words on a stretch that ends in the future. */
  ahead?: string
}

/** Assets in the lines; the JSON document has all. */
const MAX_ASSETS = 20

export const addOptions = (command: Command): Command =>
  addRevisionOptions(command)
    .option('--dry-run', 'show what would be changed, and change nothing')
    .option('--yes', 'go on without asking; required where there is no terminal')
    .option('--json', 'print one JSON document')

export async function changeStretch(invocation: Invocation, options: StretchOptions, change: Change): Promise<void> {
  const { yes, dryRun = false, json = false } = options
  checkRevisionOptions(options)
  checkConfirmable(invocation, options)
  const given = { ...options, dryRun: false, onWait: invocation.printMessage }
  const stretch = await withOwner(invocation, async ({ pool }) => {
    if (!dryRun && yes) return change.run(pool, given)
    const preview = await change.run(pool, { ...given, dryRun: true })
    if (dryRun) return preview
    invocation.printMessage(formatStretch(preview, change, change.plan).join('\n'))
    await confirm(invocation, change.question)
    return change.run(pool, { ...given, preview })
  })
  const { id, ...shown } = stretch
  const heading = dryRun ? `${change.plan.replace(/:$/, '')} (nothing was changed):` : change.done
  // The number of a stretch that is only shown is not kept.
  const document = dryRun ? shown : { id, ...shown }
  invocation.printResult(json, { dry_run: dryRun, ...document }, () => [
    ...formatStretch(stretch, change, heading),
    ...(dryRun ? [] : [`  number ${id}`]),
  ])
}

function formatStretch(
  { sensor, from, to, reason, public: isPublic, counts, impressions, changed }: ChangedStretch,
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
    ...(more > 0 ? [`  and on ${more} more assets (--json lists all)`] : []),
    `  reason, ${isPublic ? 'which partners read' : 'for operators alone'}: ${printableLine(reason)}`,
  ]
}
