/**
 * From an answer to tables: every list of records in it is one. A record has its own values and those of the records
 * around it, so that a list in a list becomes rows that can stand alone.
 */

export type Cell = string | number | boolean | null

export interface Table {
  name: string
  columns: string[]
  rows: Cell[][]
}

type Json = Cell | Json[] | { [name: string]: Json }
type Values = Record<string, Cell>

/** Names of lists that tell nothing about what is in them. */
const WRAPPERS = new Set(['nodes', 'rows', 'data', 'edges'])

/** The tables of an answer, the one with most rows first. What has no list is one row. */
export function tablesOf(data: unknown): Table[] {
  const found = new Map<string, Values[]>()
  if (!isRecord(data)) return []
  gather(data, [], {}, found)
  if (found.size === 0) found.set('result', [valuesOf(data)])
  return [...found].map(([name, rows]) => tableOf(name, rows)).sort((a, b) => b.rows.length - a.rows.length)
}

function tableOf(name: string, records: Values[]): Table {
  const columns = [...new Set(records.flatMap(record => Object.keys(record)))]
  return { name, columns, rows: records.map(record => columns.map(column => record[column] ?? null)) }
}

/** Walks down to the lists of records below a record. */
function gather(record: Record<string, Json>, path: string[], around: Values, found: Map<string, Values[]>): void {
  for (const [key, value] of Object.entries(record)) {
    const here = WRAPPERS.has(key) && path.length > 0 ? path : [...path, key]
    if (isRecord(value)) gather(value, here, around, found)
    if (!Array.isArray(value) || !value.some(isRecord)) continue
    const name = here.join('.')
    const rows = found.get(name) ?? []
    found.set(name, rows)
    for (const item of value) {
      if (!isRecord(item)) continue
      const own = valuesOf(item)
      rows.push({ ...around, ...own })
      const owner = here.at(-1)
      const named = Object.entries(own).map(([column, cell]) => [`${owner}.${column}`, cell])
      gather(item, here, { ...around, ...Object.fromEntries(named) }, found)
    }
  }
}

/** The plain values of a record, those of records in it too; a list of plain values is one text. */
function valuesOf(record: Record<string, Json>, prefix = ''): Values {
  const values: Values = {}
  for (const [key, value] of Object.entries(record)) {
    if (key === '__typename') continue
    if (isRecord(value)) Object.assign(values, valuesOf(value, `${prefix}${key}.`))
    else if (!Array.isArray(value)) values[prefix + key] = value
    else if (!value.some(isRecord)) values[prefix + key] = value.join('; ')
  }
  return values
}

const isRecord = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
