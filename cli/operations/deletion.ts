/** Deletes once the operator has confirmed it. */

import { countOf } from '../../db/count-of'
import { FACTS } from '../../db/facts'
import { type DeletionPlan, isEmpty } from '../../db/operations/deletion'
import { type Deletion, previewDeletion, runDeletion } from '../../db/operations/run-deletion'
import type { Invocation } from '../invocation'
import { fittedTable } from '../text/fitted-table'
import { printableLine } from '../text/printable'
import { type ConfirmOptions, runConfirmed } from './confirm'

/** Assets in the table; the JSON document has all. */
const MAX_ASSETS = 20

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
    ...(changes.length > MAX_ASSETS
      ? [`and ${countOf(changes.length - MAX_ASSETS, 'more asset')} (--json lists all)`]
      : []),
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
