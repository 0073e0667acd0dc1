/** Finds the assets of a result, with the numbers that it has for each of them. */
import type { ScopeAsset } from '../../variables/scope-assets'
import type { Cell, Table } from '../table/tables'

export interface PlacedAsset {
  asset: ScopeAsset
  /** By column. Of several rows, the sum where it has a meaning, otherwise the mean; undefined without data. */
  numbers: Record<string, number | undefined>
}

const ID_COLUMN = /(^|\.)(id|assetId)$/
const NAME_COLUMN = /(^|\.)name$/

/** Returns the assets of a table by their ids or, if it has no ids, by names that only one asset has; empty without assets. */
export function placeAssets(table: Table, assets: ScopeAsset[], measures: string[]): PlacedAsset[] {
  const find = findReader(table, assets)
  if (!find) return []
  const rows = new Map<ScopeAsset, Cell[][]>()
  for (const row of table.rows) {
    const asset = find(row)
    if (asset) rows.set(asset, [...(rows.get(asset) ?? []), row])
  }
  return [...rows].map(([asset, cells]) => ({
    asset,
    numbers: Object.fromEntries(measures.map(measure => [measure, combine(table, cells, measure)])),
  }))
}

function findReader(table: Table, assets: ScopeAsset[]): ((row: Cell[]) => ScopeAsset | undefined) | undefined {
  const ids = new Map(assets.map(asset => [asset.id, asset]))
  const names = new Map<string, ScopeAsset | undefined>()
  for (const asset of assets) names.set(asset.name, names.has(asset.name) ? undefined : asset)
  for (const [pattern, known] of [
    [ID_COLUMN, ids],
    [NAME_COLUMN, names],
  ] as const) {
    const column = table.columns.findIndex(
      (name, i) => pattern.test(name) && table.rows.some(row => known.get(String(row[i])) !== undefined),
    )
    if (column >= 0) return row => known.get(String(row[column]))
  }
  return undefined
}

function combine({ columns, additive }: Table, rows: Cell[][], measure: string): number | undefined {
  const column = columns.indexOf(measure)
  const numbers = rows.map(row => row[column]).filter(cell => typeof cell === 'number')
  if (numbers.length === 0) return undefined
  const sum = numbers.reduce((total, number) => total + number, 0)
  return additive[column] ? sum : sum / numbers.length
}
