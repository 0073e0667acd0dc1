/** The output of an import: the figures, the days that changed, and what a dry run would change. */
import type { FactKind } from '../../db/facts'
import type { Figures } from '../../db/figures'
import { countOf } from '../../db/text/count-of'
import type { ChangedDays } from '../../imports/changes/changed-days'
import type { MonthChange } from '../../imports/changes/dry-run'
import type { Kind } from '../../imports/kind-names'
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

/** The routes that show facts. */
const ROUTES: Record<FactKind, string> = {
  impressions: 'impressions/daily',
  origins: 'impressions/by-city',
  demographics: 'demographics',
}

/** Returns the route that shows the changes of a file: that of its kind, or of the impressions that moved. */
const findRoute = (kind: Kind): string => ROUTES[kind in ROUTES ? (kind as FactKind) : 'impressions']

/** Names of assets that are shown. */
const MAX_NAMES = 3

/**
 * Returns lines that name the assets and days that changed, with a request for the first one.
 *
 * @param origin of the service, such as `http://127.0.0.1:4000`
 */
export function changedLines(kind: Kind, changed: readonly ChangedDays[], origin: string): string[] {
  const names = new Map(changed.map(({ id, name }) => [id, printableLine(name)]))
  const [first] = changed
  if (!first) return []
  const days = changed.flatMap(({ from, to }) => [from, to]).sort()
  const shown = [...names.values()].slice(0, MAX_NAMES).join(', ')
  const path = `/v1/partner/assets/${first.id}/${findRoute(kind)}?from_date=${first.from}&to_date=${first.to}`
  return [
    `Changed: ${countOf(names.size, 'asset')} (${names.size > MAX_NAMES ? `${shown}, …` : shown}), ${days[0]} to ${days.at(-1)}.`,
    `See, with an API key in the variable KEY:`,
    `  curl -H "X-API-Key: $KEY" '${origin}${path}'`,
  ]
}
