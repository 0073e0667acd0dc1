/** Shows the values of a result as text. */
import type { Cell } from './tables'

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })

/** Without data, a dash. */
export function formatCell(cell: Cell): string {
  if (cell === null) return '–'
  return typeof cell === 'number' ? numbers.format(cell) : String(cell)
}
