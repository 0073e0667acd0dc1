/**
 * Converts a GraphQL result to tables, one per list of objects. A row also has the values of the objects that contain it,
 * so that nested lists become flat rows. What is not in a list, such as a total, is kept beside the table.
 */

export type Cell = string | number | boolean | null

export interface Table {
  name: string
  columns: string[]
  rows: Cell[][]
  /** Values beside the list: totals, counts, comparisons. */
  facts: [name: string, value: Cell][]
  /** The columns whose sum over rows has a meaning. */
  additive: boolean[]
}

type Json = Cell | Json[] | { [name: string]: Json }
type Values = Record<string, Cell>

interface CollectedList {
  records: Values[]
  /** The columns that do not repeat a value of an outer object. */
  own: Set<string>
}

/** Generic field names that are left out of table names. */
const WRAPPERS = new Set(['nodes', 'rows', 'data', 'edges'])

/** Averages, coverages and counts of assets cannot be added up. */
const ADDITIVE =
  /(^|\.)(impressions|share|change|comparedWith|hoursObserved|daysWithData|busiestDateImpressions|sensors)$/

/**
 * Returns the tables of a result, sorted by descending number of rows. A result without lists becomes a table with one
 * row, a result of nothing but null none.
 */
export function findTables(data: unknown): Table[] {
  const tables = new Map<string, CollectedList>()
  if (!isRecord(data) || Object.values(data).every(value => value === null)) return []
  collect(data, [], {}, tables)
  if (tables.size === 0) return [createTable('result', { records: [flattenValues(data)], own: new Set() }, [])]
  return [...tables]
    .map(([name, rows]) => createTable(name, rows, findFacts(data, name)))
    .sort((a, b) => b.rows.length - a.rows.length)
}

function createTable(name: string, { records, own }: CollectedList, facts: Table['facts']): Table {
  const columns = [...new Set(records.flatMap(record => Object.keys(record)))]
  return {
    name,
    columns,
    rows: records.map(record => columns.map(column => record[column] ?? null)),
    facts,
    additive: columns.map(column => own.has(column) && ADDITIVE.test(column)),
  }
}

/** Returns the values outside of lists below the root field of a table. What a name has in common with the table is left out. */
function findFacts(data: Record<string, Json>, table: string): Table['facts'] {
  const path = table.split('.')
  const root = data[path[0]!]
  if (!isRecord(root)) return []
  const facts = Object.entries(flattenValues(root)).map(([name, value]): [string[], Cell] => [name.split('.'), value])
  const shorten = (name: string[]) => {
    const common = name.findIndex((segment, i) => i === name.length - 1 || segment !== path[i + 1])
    return name.slice(common).join('.')
  }
  const short = facts.map(([name]) => shorten(name))
  return facts.map(([name, value], i) => {
    const isUnique = short.indexOf(short[i]!) === short.lastIndexOf(short[i]!)
    return [isUnique ? short[i]! : name.join('.'), value]
  })
}

/** Adds the rows of all lists below an object. */
function collect(
  record: Record<string, Json>,
  path: string[],
  inherited: Values,
  tables: Map<string, CollectedList>,
): void {
  for (const [key, value] of Object.entries(record)) {
    const childPath = WRAPPERS.has(key) && path.length > 0 ? path : [...path, key]
    if (isRecord(value)) collect(value, childPath, inherited, tables)
    if (!Array.isArray(value) || !value.some(isRecord)) continue
    const name = childPath.join('.')
    const { records, own: ownColumns } = tables.get(name) ?? { records: [], own: new Set<string>() }
    tables.set(name, { records, own: ownColumns })
    for (const item of value) {
      if (!isRecord(item)) continue
      const own = flattenValues(item)
      for (const column of Object.keys(own)) ownColumns.add(column)
      records.push({ ...inherited, ...own })
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
