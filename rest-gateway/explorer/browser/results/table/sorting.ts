/** Sorts rows by a column. Text is collated, numbers in text are compared by value, and null is always last. */
import type { Cell } from './tables'

export interface Order {
  column: number
  descending: boolean
}

const collator = new Intl.Collator(undefined, { numeric: true })

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
