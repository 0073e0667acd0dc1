/** Adds the names of assets and companies to tables that have only their ids. */
import { useMemo } from 'react'
import { useSession } from '../../scope-context'
import { useScopeAssets } from '../../variables/scope-assets'
import type { Table } from './tables'

interface Named {
  id: string
  name: string
}

/** `assetId`, `asset.id`, or `id` in a list of assets. */
const KINDS = { assets: /assets?(\.id|Id)$/i, companies: /compan(y|ies)(\.id|Id)$/i }

const nameColumn = (column: string): string => column.replace(/Id$/, 'Name').replace(/id$/, 'name')

/** Returns the columns of ids of a kind whose names the table does not have. */
const findUnnamed = ({ name, columns }: Table, kind: RegExp): string[] =>
  columns.filter(column => kind.test(`${name}.${column}`) && !columns.includes(nameColumn(column)))

/** Returns a table with names, once they have been read; they are read only for a table that needs them. */
export function useNames(table: Table): Table {
  const { companies } = useSession()
  const { assets } = useScopeAssets(findUnnamed(table, KINDS.assets).length > 0)
  return useMemo(() => addNames(table, { assets: assets ?? [], companies }), [table, assets, companies])
}

/** Returns the table with a column of names behind each column of ids. Names that are not known are null. */
function addNames(table: Table, known: Record<keyof typeof KINDS, readonly Named[]>): Table {
  const found = Object.entries(KINDS).flatMap(([kind, pattern]) => {
    const named = known[kind as keyof typeof KINDS]
    const names = new Map(named.map(({ id, name }) => [id, name]))
    return named.length > 0
      ? findUnnamed(table, pattern).map(column => [table.columns.indexOf(column), names] as const)
      : []
  })
  if (found.length === 0) return table
  const namesOf = new Map(found)
  const insert = <Value>(values: readonly Value[], create: (value: Value, names: Map<string, string>) => Value) =>
    values.flatMap((value, i) => {
      const names = namesOf.get(i)
      return names ? [value, create(value, names)] : [value]
    })
  return {
    ...table,
    columns: insert(table.columns, nameColumn),
    rows: table.rows.map(row => insert(row, (id, names) => names.get(String(id)) ?? null)),
    additive: insert(table.additive, () => false),
  }
}
