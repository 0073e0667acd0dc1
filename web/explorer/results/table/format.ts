/** Shows the values of a result as text. */
import type { Cell } from './tables'

/** Without data, a dash. */
export function formatCell(cell: Cell): string {
  if (cell === null) return '–'
  return typeof cell === 'number' ? numbers.format(cell) : String(cell)
}

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })

/** The format of numbers in tooltips. */
export const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 4 })
