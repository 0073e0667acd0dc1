/** A table as files have it: the values beside the list are columns of each row. */
import type { Cell, Table } from '../table/tables'

export interface Records {
  columns: string[]
  rows: Cell[][]
}

export function addFacts({ columns, rows, facts }: Table): Records {
  const names = facts.map(([name]) => (columns.includes(name) ? `result.${name}` : name))
  const values = facts.map(([, value]) => value)
  return { columns: [...columns, ...names], rows: rows.map(row => [...row, ...values]) }
}

/** Writes one JSON object per row and line. */
export const writeNdjson = ({ columns, rows }: Records): string =>
  rows.map(row => `${JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, row[i]])))}\n`).join('')
