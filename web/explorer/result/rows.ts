/** The lists of objects in a response as rows, and the forms of their values. */
import { SPREADSHEET_MARK, spreadsheetCell } from '../../../schema/spreadsheet-cells'

export type Cell = string | number | boolean | null

export type Row = Record<string, Cell>

type Json = Cell | Json[] | { [name: string]: Json }

type Objects = Record<string, Json>[]

const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the lists of a response by the names of their fields, such as `assets.nodes`, and the values that are in no list. A row of a
 * list within a list also has the values of the objects that contain it.
 *
 * @param names the names of assets by their ids, which are shown beside ids
 */
export function readLists(
  data: unknown,
  names: ReadonlyMap<string, string>,
): { lists: Map<string, Row[]>; facts: Row } {
  const lists = new Map<string, Row[]>()
  const visit = (object: Record<string, Json>, path: string, outer: Row | undefined): Row => {
    const nested: [name: string, items: Objects][] = []
    const values: Row = {}
    for (const [name, value] of flatten(object, '')) {
      const asset = name === 'assetId' && !('name' in object) && names.get(String(value))
      if (asset) values.asset = asset
      if (!Array.isArray(value)) values[name] = value as Cell
      else if (value.every(isObject)) nested.push([path + name, value])
      else values[name] = value.join('; ')
    }
    for (const [list, items] of nested) {
      const inherited = outer && { ...outer, ...values }
      const rows = items.map(item => ({ ...inherited, ...visit(item, `${list}.`, inherited ?? {}) }))
      lists.set(list, [...(lists.get(list) ?? []), ...rows])
    }
    return values
  }
  return { lists, facts: isObject(data) ? visit(data, '', undefined) : {} }
}

/** Returns the values of an object and of those in it, by their names. */
const flatten = (object: Record<string, Json>, prefix: string): [name: string, value: Json][] =>
  Object.entries(object).flatMap(([name, value]) =>
    isObject(value) ? flatten(value, `${prefix}${name}.`) : [[prefix + name, value] as [string, Json]],
  )

export const columnsOf = (rows: readonly Row[]): string[] => [...new Set(rows.flatMap(row => Object.keys(row)))]

/** Returns the name of a column in words. Queries name fields as readers would. */
export function titleOf(column: string): string {
  const words = column.replace(/[.A-Z]/g, letter => (letter === '.' ? ' ' : ` ${letter.toLowerCase()}`))
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Marks a row that compares ranges of which one is less complete. */
export const UNEVEN = '◐'

/** Returns whether the coverage of a row differs by more than a tenth from that of the range before. */
export const isUneven = ({ coverage, coverageBefore }: Row): boolean =>
  typeof coverage === 'number' && typeof coverageBefore === 'number' && Math.abs(coverage - coverageBefore) > 0.1

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const numbers = (options: Intl.NumberFormatOptions) => {
  const { format } = new Intl.NumberFormat('en', options)
  return (value: number) => format(value)
}
const plain = numbers({ maximumFractionDigits: 4 })
const average = numbers({ maximumFractionDigits: 0 })
const percent = numbers({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
const change = numbers({ maximumFractionDigits: 0, signDisplay: 'exceptZero' })
const changeRate = numbers({ style: 'percent', minimumFractionDigits: 1, signDisplay: 'exceptZero' })

/** The one form of the numbers of each field of the schema; others are written as they are. */
const FORMS: Readonly<Record<string, (value: number) => string>> = {
  average,
  averagePerHour: average,
  share: percent,
  coverage: percent,
  coverageBefore: percent,
  changePerDay: change,
  relativeChangePerDay: changeRate,
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

/** Dates are shown without the year. */
export const shortenDay = (label: string): string => (/^\d{4}-\d\d-\d\d$/.test(label) ? label.slice(5) : label)
