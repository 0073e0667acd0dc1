/**
 * Converts a GraphQL result to tables, one per list of objects. A row also has the values of the objects that contain it,
 * so that nested lists become flat rows.
 */

export type Cell = string | number | boolean | null

export interface Table {
  name: string
  columns: string[]
  rows: Cell[][]
}

type Json = Cell | Json[] | { [name: string]: Json }
type Values = Record<string, Cell>

/** Generic field names that are left out of table names. */
const WRAPPERS = new Set(['nodes', 'rows', 'data', 'edges'])

/**
 * Returns the tables of a result, sorted by descending number of rows. A result without lists becomes a table with one
 * row.
 */
export function findTables(data: unknown): Table[] {
  const tables = new Map<string, Values[]>()
  if (!isRecord(data)) return []
  collect(data, [], {}, tables)
  if (tables.size === 0) tables.set('result', [flattenValues(data)])
  return [...tables].map(([name, rows]) => createTable(name, rows)).sort((a, b) => b.rows.length - a.rows.length)
}

function createTable(name: string, records: Values[]): Table {
  const columns = [...new Set(records.flatMap(record => Object.keys(record)))]
  return { name, columns, rows: records.map(record => columns.map(column => record[column] ?? null)) }
}

/** Adds the rows of all lists below an object. */
function collect(record: Record<string, Json>, path: string[], inherited: Values, tables: Map<string, Values[]>): void {
  for (const [key, value] of Object.entries(record)) {
    const childPath = WRAPPERS.has(key) && path.length > 0 ? path : [...path, key]
    if (isRecord(value)) collect(value, childPath, inherited, tables)
    if (!Array.isArray(value) || !value.some(isRecord)) continue
    const name = childPath.join('.')
    const rows = tables.get(name) ?? []
    tables.set(name, rows)
    for (const item of value) {
      if (!isRecord(item)) continue
      const own = flattenValues(item)
      rows.push({ ...inherited, ...own })
      const prefix = childPath.at(-1)
      const qualified = Object.entries(own).map(([column, cell]) => [`${prefix}.${column}`, cell])
      collect(item, childPath, { ...inherited, ...Object.fromEntries(qualified) }, tables)
    }
  }
}

/**
 * Returns the scalar values of an object, including those of nested objects. A list of scalars is joined to one text.
 */
function flattenValues(record: Record<string, Json>, prefix = ''): Values {
  const values: Values = {}
  for (const [key, value] of Object.entries(record)) {
    if (key === '__typename') continue
    if (isRecord(value)) Object.assign(values, flattenValues(value, `${prefix}${key}.`))
    else if (!Array.isArray(value)) values[prefix + key] = value
    else if (!value.some(isRecord)) values[prefix + key] = value.join('; ')
  }
  return values
}

const isRecord = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
