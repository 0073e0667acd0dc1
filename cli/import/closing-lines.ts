/** The output of an import: the figures, the days that changed, and what a dry run would change. */
import type { Figures } from '../../db/figures'
import { countOf } from '../../db/text/count-of'
import type { ChangedDays } from '../../imports/changes/changed-days'
import type { MonthChange } from '../../imports/changes/dry-run'
import { fittedTable } from '../text/fitted-table'
import { printableLine } from '../text/printable'
import type { FileResult } from './import-files'

const FIGURES = ['read', 'stored', 'unchanged', 'set_aside', 'erased', 'dropped', 'rejected', 'not_stored'] as const

export function addFigures(results: readonly FileResult[]): Figures {
  const sum = (figure: keyof Figures) => results.reduce((total, result) => total + result[figure], 0)
  return Object.fromEntries(FIGURES.map(figure => [figure, sum(figure)])) as unknown as Figures
}

export function figuresTable(results: readonly FileResult[], total: Figures, width: number | undefined): string {
  const row = (name: string, figures: Figures) => [name, ...FIGURES.map(figure => figures[figure])]
  const rows = results.map(result => row(result.refused ? `${result.file} (refused)` : result.file, result))
  const head = ['file', ...FIGURES.map(figure => figure.replace('_', ' '))]
  return fittedTable(head, results.length > 1 ? [...rows, row('total', total)] : rows, ['file'], { width })
}

/** Returns the lines about what a dry run would change. */
export function changeLines(changes: readonly MonthChange[], width: number | undefined): string[] {
  if (changes.length === 0) return ['Dry run: nothing was stored, and no monthly total would change.']
  const rows = changes.map(({ asset_id, asset, month, old, new: after }) => [
    asset_id,
    asset,
    month,
    old ?? 'nothing',
    after ?? 'nothing',
  ])
  return [
    'Dry run: nothing was stored. Monthly totals that would change:',
    fittedTable(['asset', 'name', 'month', 'impressions now', 'would be'], rows, ['name'], { width }),
  ]
}

/** Names of assets that are shown. */
const MAX_NAMES = 3

/** Returns a line that names the assets and days that changed. */
export function changedLines(changed: readonly ChangedDays[]): string[] {
  if (changed.length === 0) return []
  const names = [...new Map(changed.map(({ id, name }) => [id, printableLine(name)])).values()]
  const days = changed.flatMap(({ from, to }) => [from, to]).sort()
  const shown = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), '…'] : names
  return [`Changed: ${countOf(names.length, 'asset')} (${shown.join(', ')}), ${days[0]} to ${days.at(-1)}.`]
}
