/** The output of an import: the figures, and what a dry run would change. */
import type { Figures } from '../../db/figures'
import type { MonthChange } from '../../imports/dry-run'
import { fittedTable, tableOf } from '../text/fitted-table'
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
  const totals = {
    'impressions now': (change: MonthChange) => change.old ?? 'nothing',
    'would be': (change: MonthChange) => change.new ?? 'nothing',
  }
  return [
    'Dry run: nothing was stored. Monthly totals that would change:',
    tableOf(changes, { asset: 'asset_id', name: 'asset', month: 'month', ...totals }, ['name'], width),
  ]
}
