/** The part of a table that is shown: filtered rows in an order, and chosen columns. It starts anew with other columns. */
import { useMemo, useState } from 'react'
import type { Cell, Table } from './tables'

interface Choice {
  /** The table's name and columns, to which the choice belongs. */
  signature: string
  order?: Order
  filter: string
  hidden: ReadonlySet<string>
}

export interface TableState extends Choice {
  /** The rows and columns that are shown and downloaded. */
  shown: Table
  /** The sum of each column over the rows shown; null where it has no meaning. */
  totals: (number | null)[]
  sortBy(column: string): void
  setFilter(filter: string): void
  toggle(column: string): void
}

export function useTableState(table: Table): TableState {
  const signature = [table.name, ...table.columns].join('\n')
  const [stored, setStored] = useState<Choice>({ signature, filter: '', hidden: new Set() })
  const choice = stored.signature === signature ? stored : { signature, filter: '', hidden: new Set<string>() }
  const { order, filter, hidden } = choice
  const shown = useMemo(
    () => selectPart(table, { filter, hidden, ...(order && { order }) }),
    [table, filter, hidden, order],
  )
  const totals = useMemo(() => sumColumns(shown), [shown])
  return {
    ...choice,
    shown,
    totals,
    sortBy: column => {
      const index = table.columns.indexOf(column)
      const first = isNumeric(table, index)
      const next = order?.column !== index ? first : order.descending === first ? !first : undefined
      const { order: _, ...others } = choice
      setStored(next === undefined ? others : { ...others, order: { column: index, descending: next } })
    },
    setFilter: text => setStored({ ...choice, filter: text }),
    toggle: column => {
      const changed = new Set(hidden)
      if (!changed.delete(column)) changed.add(column)
      setStored({ ...choice, hidden: changed })
    },
  }
}

export const isNumeric = ({ rows }: Table, column: number): boolean => rows.some(row => typeof row[column] === 'number')

/** Returns the rows in which every word of the filter occurs, in an order, without hidden columns. */
export function selectPart(table: Table, { order, filter, hidden }: Omit<Choice, 'signature'>): Table {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (row: Cell[]) => {
    const text = row.join(' ').toLowerCase()
    return words.every(word => text.includes(word))
  }
  const rows = sortRows(words.length > 0 ? table.rows.filter(matches) : table.rows, order)
  const indexes = table.columns.map((_, i) => i).filter(i => !hidden.has(table.columns[i]!))
  return {
    ...table,
    columns: indexes.map(i => table.columns[i]!),
    rows: rows.map(row => indexes.map(i => row[i] ?? null)),
    additive: indexes.map(i => table.additive[i] === true),
  }
}

export const sumColumns = ({ columns, rows, additive }: Table): (number | null)[] =>
  columns.map((_, i) => {
    const numbers = rows.map(row => row[i]).filter(cell => typeof cell === 'number')
    if (!additive[i] || numbers.length === 0) return null
    // Shares have four decimals: their sum is not to show the errors of binary fractions.
    return Number(numbers.reduce((sum, number) => sum + number, 0).toFixed(4))
  })

interface Order {
  column: number
  descending: boolean
}

const collator = new Intl.Collator(undefined, { numeric: true })

/** Sorts rows by a column. Text is collated, numbers in text are compared by value, and null is always last. */
export function sortRows(rows: readonly Cell[][], order: Order | undefined): readonly Cell[][] {
  if (!order) return rows
  const { column, descending } = order
  return [...rows].sort((a, b) => {
    const [left, right] = [a[column] ?? null, b[column] ?? null]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    const difference =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : collator.compare(String(left), String(right))
    return descending ? -difference : difference
  })
}
