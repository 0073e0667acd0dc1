/** Matches the header of a file with the columns of its kind. */
import { FileError, quote } from '../errors'
import { originalHeader } from './rejects'

/** How the columns of a file are matched. */
export interface ColumnOptions {
  /** `[column, name in the file]`. One column of the file may be the source of several columns. */
  map?: readonly (readonly [string, string])[]
  /** Columns of the file that are left out. */
  ignore?: readonly string[]
  /** `[column, value in every row]`. */
  set?: readonly (readonly [string, string])[]
}

export interface Header {
  /** The columns that the file has. */
  columns: readonly string[]
  /** Number of values in each record. */
  width: number
  /** The values of a record in the order of `columns`. */
  valuesOf(record: readonly string[]): readonly string[]
}

/** What is wrong with the options whatever the file, one line each. */
export function columnOptionErrors(columns: readonly string[], { map = [], set = [] }: ColumnOptions): string[] {
  const unknown = (option: string, pairs: readonly (readonly [string, string])[]) =>
    pairs
      .filter(([column]) => !columns.includes(column))
      .map(([column]) => `${option}: there is no column ${column}; the columns are ${columns.join(', ')}`)
  return [
    ...unknown('--map', map),
    ...unknown('--set', set),
    ...repeated([...map, ...set].map(([column]) => column)).map(
      column => `${column} is given more than once by --map and --set`,
    ),
  ]
}

/**
 * Reads a header.
 *
 * @param allowed all columns of the kind
 * @param required columns that the file must have; `a|b` for either of two
 * @throws FileError
 */
export function readHeader(
  record: readonly string[],
  line: number,
  allowed: readonly string[],
  required: readonly string[],
  options: ColumnOptions,
): Header {
  const names = record.map(name => name.trim())
  const { map = [], ignore = [], set = [] } = options
  const refuse = (reason: string): never => {
    throw new FileError(reason, line)
  }
  const [optionError] = columnOptionErrors(allowed, options)
  if (optionError) refuse(optionError)
  const duplicates = repeated(names)
  if (duplicates.length > 0) refuse(`has the column ${duplicates.join(', ')} more than once`)
  const absent = [...map.map(([, name]) => name), ...ignore].filter(name => !names.includes(name))
  if (absent.length > 0) refuse(`has no column ${absent.join(', ')}, which --map or --ignore names`)

  const constants = new Map(set)
  const indexes = new Map(map.map(([column, name]) => [column, names.indexOf(name)]))
  const rejection = originalHeader(names, allowed) ? names.slice(-2) : []
  const consumed = new Set([...rejection, ...ignore, ...map.map(([, name]) => name)])
  const unknown: string[] = []
  for (const [index, name] of names.entries()) {
    if (consumed.has(name)) continue
    const option = indexes.has(name) ? '--map' : constants.has(name) ? '--set' : undefined
    if (!allowed.includes(name)) unknown.push(name)
    else if (option) refuse(`has the column ${name}, which ${option} gives too: leave it out with --ignore ${name}`)
    else indexes.set(name, index)
  }
  if (unknown.length > 0) refuse(unknownColumns(unknown, allowed))
  const columns = allowed.filter(column => indexes.has(column) || constants.has(column))
  const missing = required.filter(column => !column.split('|').some(choice => columns.includes(choice)))
  if (missing.length > 0) refuse(`has no column ${missing.map(column => column.replace('|', ' or ')).join(', ')}`)

  const sources = columns.map(column => indexes.get(column) ?? -1)
  const values = columns.map(column => constants.get(column) ?? '')
  const isUnchanged = sources.length === record.length && sources.every((source, i) => source === i)
  return {
    columns,
    width: record.length,
    valuesOf: record =>
      isUnchanged ? record : sources.map((source, i) => (source < 0 ? values[i] : record[source]) as string),
  }
}

function unknownColumns(unknown: readonly string[], allowed: readonly string[]): string {
  const [first = ''] = unknown
  const separator = /[;\t|]/.test(first) ? ' (values are separated by commas)' : ''
  return (
    `has unknown columns: ${unknown.map(quote).join(', ')}${separator}. The columns are ${allowed.join(', ')}; ` +
    'rename one with --map column=their_name or leave it out with --ignore their_name'
  )
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, i) => names.indexOf(name) !== i)),
]
