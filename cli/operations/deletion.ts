/** Runs a deletion for a command: preview, confirmation, deletion, result. */

import { FACTS } from '../../db/facts'
import { type DeletionPlan, isEmpty } from '../../db/operations/deletion'
import { type Deletion, previewDeletion, runDeletion } from '../../db/operations/run-deletion'
import { countOf } from '../../db/text/count-of'
import type { Invocation } from '../invocation'
import { fittedTable } from '../text/fitted-table'
import { printableLine } from '../text/printable'
import { type ConfirmOptions, checkConfirmable, confirm } from './confirm'
import { withOwner } from './owner'

export interface DeletionOptions extends ConfirmOptions {
  json?: boolean
}

/** Assets in the table; the JSON document has all. */
const MAX_ASSETS = 20

export async function deleteOnCommand(
  invocation: Invocation,
  deletion: Deletion,
  options: DeletionOptions,
): Promise<void> {
  checkConfirmable(invocation, options)
  const { yes, dryRun = false, json = false } = options
  const plan = await withOwner(invocation, async ({ pool }) => {
    if (!dryRun && yes) return runDeletion(pool, deletion, undefined, invocation.printMessage)
    const preview = await previewDeletion(pool, deletion)
    if (dryRun || isEmpty(preview)) return preview
    invocation.printMessage(formatPlan(preview, 'to delete:', invocation.stderr.columns).join('\n'))
    await confirm(invocation, 'This cannot be undone.')
    return runDeletion(pool, deletion, preview, invocation.printMessage)
  })
  const heading = dryRun ? 'would be deleted (nothing was changed):' : 'deleted:'
  invocation.printResult(json, { dry_run: dryRun, ...plan }, width => formatPlan(plan, heading, width))
}

function formatPlan(plan: DeletionPlan, heading: string, width: number | undefined): string[] {
  if (isEmpty(plan)) return ['there is nothing to delete']
  const { changes, companies, keys, in_closed_months } = plan
  return [
    heading,
    ...figureLines(plan).map(line => `  ${line}`),
    ...companies.map(({ id, name }) => `  the company ${printableLine(name)} (${id})`),
    ...(in_closed_months ? ['days of closed months are among them'] : []),
    ...(changes.length > 0 ? [drawChangeTable(changes.slice(0, MAX_ASSETS), width)] : []),
    ...(changes.length > MAX_ASSETS ? [`and ${changes.length - MAX_ASSETS} more assets (--json lists all)`] : []),
    ...keys.map(keyLine),
  ]
}

function figureLines({ deleted }: DeletionPlan): string[] {
  const { impressions, counts, ...others } = deleted
  const lines = Object.entries(others).map(([name, figure]) => [figure, countOf(figure, ...nounsOf(name))] as const)
  lines.splice(4, 0, [counts, `${countOf(counts, 'count')}, ${countOf(impressions, 'impression')} in total`])
  return lines.filter(([figure]) => figure > 0).map(([, line]) => line)
}

const SINGULARS: Record<string, string> = {
  companies: 'company',
  assets: 'asset',
  sensors: 'sensor',
  installations: 'installation',
}

const nounsOf = (name: string): [singular: string, plural: string] => {
  if (name === 'set_aside') return ['count that is set aside', 'counts that are set aside']
  if (name in FACTS) return [`row of ${name}`, `rows of ${name}`]
  return [SINGULARS[name] ?? name, name]
}

/** The figures of all assets together have the kinds of rows apart. */
const drawChangeTable = (changes: DeletionPlan['changes'], width: number | undefined): string =>
  fittedTable(
    ['asset', 'name', 'from', 'to', 'counts', 'other rows'],
    changes.map(({ asset_id, asset, from_date, to_date, counts, impressions: _, ...rows }) => [
      ...[asset_id, asset, from_date, to_date],
      ...[counts, Object.values(rows).reduce((sum, figure) => sum + figure, 0)].map(figure =>
        figure.toLocaleString('en'),
      ),
    ]),
    ['name'],
    { aligns: ['left', 'left', 'left', 'left', 'right', 'right'], width },
  )

const keyLine = ({ id, label, deactivated }: DeletionPlan['keys'][number]): string =>
  `the key ${id}${label === null ? '' : ` (${printableLine(label)})`} loses ${deactivated ? 'its last company: deactivated' : 'a company'}`
