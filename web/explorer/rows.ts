/** The lists of objects in a response as rows, and the forms of their values. */
import { SPREADSHEET_MARK, spreadsheetCell } from '../../db/formulas'

export type Cell = string | number | boolean | null

export type Row = Record<string, Cell>

interface Lists {
  /** By the names of their fields, such as `assets.nodes`. */
  lists: Map<string, Row[]>
  /** The values that are in no list, by the names of their fields. */
  facts: Row
}

type Json = Cell | Json[] | { [name: string]: Json }

const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the lists of a response. A row of a list within a list also has the values of the objects that contain it.
 *
 * @param names the names of assets by their ids, which are shown beside ids
 */
export function readLists(data: unknown, names: ReadonlyMap<string, string>): Lists {
  const lists = new Map<string, Row[]>()
  const visit = (object: Record<string, Json>, path: string, outer: Row | undefined): Row => {
    const { values, nested } = split(object, names)
    for (const [name, items] of nested) {
      const list = path + name
      const rows = lists.get(list) ?? []
      lists.set(list, rows)
      const inherited = outer ? join(outer, values) : {}
      for (const item of items) rows.push(join(inherited, visit(item, `${list}.`, inherited)))
    }
    return values
  }
  return { lists, facts: isObject(data) ? visit(data, '', undefined) : {} }
}

/** Returns the values of an object, with those of its objects, and its lists of objects. */
function split(object: Record<string, Json>, names: ReadonlyMap<string, string>) {
  const values: Row = {}
  const nested: [name: string, items: Record<string, Json>[]][] = []
  const add = (part: Record<string, Json>, prefix: string) => {
    for (const [key, value] of Object.entries(part)) {
      const name = key === 'assetId' && !('name' in part) ? names.get(String(value)) : undefined
      if (name !== undefined) values[`${prefix}asset`] = name
      if (isObject(value)) add(value, `${prefix}${key}.`)
      else if (!Array.isArray(value)) values[prefix + key] = value
      else if (value.every(isObject)) nested.push([prefix + key, value])
      else values[prefix + key] = value.join('; ')
    }
  }
  add(object, '')
  return { values, nested }
}

/** Returns the values of an object after those of the objects around it, of which `outer` comes before names that both have. */
function join(outer: Row, own: Row): Row {
  const renamed = Object.entries(outer).map(([name, value]) => [name in own ? `outer.${name}` : name, value])
  return { ...Object.fromEntries(renamed), ...own }
}

export const columnsOf = (rows: readonly Row[]): string[] => [...new Set(rows.flatMap(row => Object.keys(row)))]

/** Returns the name of a column in words. */
export function titleOf(column: string): string {
  const words = column.replace(/[.A-Z]/g, letter => (letter === '.' ? ' ' : ` ${letter.toLowerCase()}`))
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const numbers = (options: Intl.NumberFormatOptions) => {
  const { format } = new Intl.NumberFormat('en', options)
  return (value: number) => format(value)
}
const plain = numbers({ maximumFractionDigits: 4 })
const average = numbers({ maximumFractionDigits: 0 })
const percent = numbers({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
const change = numbers({ signDisplay: 'exceptZero' })
const changeRate = numbers({ style: 'percent', minimumFractionDigits: 1, signDisplay: 'exceptZero' })

/** The one form of the numbers of each field of the schema; others are written as they are. */
const FORMS: Readonly<Record<string, (value: number) => string>> = {
  average,
  averageImpressions: average,
  averageDailyImpressions: average,
  share: percent,
  coverage: percent,
  change,
  changeRate,
  weekday: value => WEEKDAYS[value - 1] ?? plain(value),
  hour: value => `${String(value).padStart(2, '0')}:00`,
}

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d)?(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/

const VALUE_OF_ENUM = /^[a-z]+(_[a-z]+)+$/

/** Returns a value as tables and charts show it. Without data, it is a dash. */
export function formatCell(column: string, cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '–'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  if (typeof cell === 'string' && VALUE_OF_ENUM.test(cell)) return cell.replaceAll('_', ' ')
  if (typeof cell === 'string') return cell.replace(TIME, '$1 $2 $3').replace(/ Z$/, ' UTC')
  return (FORMS[column.slice(column.lastIndexOf('.') + 1)] ?? plain)(cell)
}

/** Spreadsheets with a decimal comma expect semicolons between values. */
export type Separator = ',' | ';'

/** Returns CSV (RFC 4180) for spreadsheets: text is guarded against evaluation, and Excel needs the byte order mark. */
export function writeCsv(columns: readonly string[], rows: readonly Row[], separator: Separator): string {
  const cell = (value: Cell | undefined): string => {
    if (value === null || value === undefined) return ''
    if (typeof value === 'number' && separator === ';') return String(value).replace('.', ',')
    return typeof value === 'string' ? spreadsheetCell(value) : String(value)
  }
  const lines = [columns.map(cell), ...rows.map(row => columns.map(column => cell(row[column])))]
  return SPREADSHEET_MARK + lines.map(line => `${line.join(separator)}\r\n`).join('')
}
