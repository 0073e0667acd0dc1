/** Finds the assets of a result, with the numbers that it has for each of them. */
import type { ScopeAsset } from '../../variables/scope-assets'
import type { Cell, Table } from '../table/tables'

export interface CountedAsset {
  asset: ScopeAsset
  /** By column. Of several rows, the sum where it has a meaning, otherwise the mean; undefined without data. */
  numbers: Record<string, number | undefined>
}

/** Returns the assets of a table by their ids or, if it has no ids, by names that only one asset has; empty without assets. */
export function countAssets(table: Table, assets: ScopeAsset[], measures: string[]): CountedAsset[] {
  const ids = new Map(assets.map(asset => [asset.id, asset]))
  const names = new Map<string, ScopeAsset | undefined>()
  for (const asset of assets) names.set(asset.name, names.has(asset.name) ? undefined : asset)
  const found = findAssets(table, /(^|\.)(id|assetId)$/, ids) ?? findAssets(table, /(^|\.)name$/, names) ?? []
  return [...new Set(found)].flatMap(asset => {
    const rows = table.rows.filter((_, i) => found[i] === asset)
    const numbers = Object.fromEntries(measures.map(measure => [measure, combine(table, rows, measure)]))
    return asset ? { asset, numbers } : []
  })
}

/** Returns the asset of each row by the first column of a name that has any; undefined if there is none. */
function findAssets(
  { columns, rows }: Table,
  pattern: RegExp,
  assets: Map<string, ScopeAsset | undefined>,
): (ScopeAsset | undefined)[] | undefined {
  return columns
    .map((name, i) => (pattern.test(name) ? rows.map(row => assets.get(String(row[i]))) : []))
    .find(found => found.some(Boolean))
}

function combine({ columns, additive }: Table, rows: Cell[][], measure: string): number | undefined {
  const column = columns.indexOf(measure)
  const numbers = rows.map(row => row[column]).filter(cell => typeof cell === 'number')
  if (numbers.length === 0) return undefined
  const sum = numbers.reduce((total, number) => total + number, 0)
  return additive[column] ? sum : sum / numbers.length
}
