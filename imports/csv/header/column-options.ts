/** Options that match the columns of a file with those of its kind. */
import { VALUE_TYPES, type ValueOptions } from '../values'
import { hasUnclosedQuote } from './column-names'

type Pairs = readonly (readonly [string, string])[]

export interface ColumnOptions extends Pick<ValueOptions, 'stamps' | 'intervalNumber' | 'map' | 'across'> {
  /** Columns of the file that are left out; `*` stands for any text. */
  ignore?: readonly string[]
  /** `[column, value in every row]`. */
  set?: Pairs
  /** Every other column of a file of impressions is a sensor, and has its counts. */
  wide?: boolean
  /** `[name in the file, serial]` of sensors, which a wide file has as columns; `*` is the same text in both. */
  serial?: Pairs
  /** `[serial, A+B]` of sensors with several columns in a wide file, which are added up; else `[impressions, A+B]`. */
  sum?: Pairs
  /** Cells that are missing at the end of a row are empty. */
  shortRows?: boolean
}

/** The columns of a kind. */
export interface KindColumns {
  columns: readonly string[]
  /** Columns that every file must have; `a|b` for either of two. */
  required: readonly string[]
  /** Columns besides these whose names a file chooses. */
  named?: NamedColumns
}

interface NamedColumns {
  /** The beginning of their names. */
  prefix: string
  /** The rest, in words that complete the sentence "… must be". */
  expected: string
  isNamed(column: string): boolean
}

/** Returns the columns of a kind, with those that a file or its options name. */
export const columnsOf = (
  { columns, named }: KindColumns,
  { map, set }: ColumnOptions,
  names: readonly string[] = [],
) => {
  const given = named ? [...names, ...[...(map ?? []), ...(set ?? [])].map(([column]) => column)] : []
  return [...columns, ...new Set(given.filter(name => named?.isNamed(name)))]
}

export const describeColumns = ({ columns, named }: KindColumns): string =>
  columns.join(', ') + (named ? ` and ${named.prefix}NAME, where NAME must be ${named.expected}` : '')

/** Returns the errors of the options that do not depend on the file, one line each. */
export function columnOptionErrors(kind: KindColumns, options: ColumnOptions): string[] {
  const { map = [], set = [], wide = false, across = false, serial = [], sum = [] } = options
  const columns = columnsOf(kind, options)
  const sums = wide ? [] : sum
  const unknown = (option: string, pairs: Pairs) =>
    pairs
      .filter(([column]) => !columns.includes(column))
      .map(([column]) => `${option}: there is no column ${column}; the columns are ${describeColumns(kind)}`)
  const errors = [...unknown('--map', map), ...unknown('--set', set)]
  for (const column of repeated([...map, ...set, ...sums].map(([column]) => column))) {
    errors.push(`${column} is given more than once by --map, --set and --sum`)
  }
  for (const [column, name] of map.filter(([, name]) => hasUnclosedQuote(name))) {
    errors.push(`--map ${column}=${name}: the quote of a constant is not closed, as in ${column}='2026-02-'+Day`)
  }
  const [summed] = sums.find(([column]) => column !== 'impressions' || !columns.includes(column)) ?? []
  if (summed !== undefined) {
    errors.push(`--sum: ${summed} is not a column of counts: give impressions=A+B, or --wide if it is a sensor`)
  }
  const contradicting = Object.entries({ wide, sum: sum.length > 0, 'interval-number': options.intervalNumber })
  for (const [option, isGiven] of across ? contradicting : []) {
    if (isGiven) errors.push(`--across and --${option} contradict each other: a column is a time, and nothing else`)
  }
  for (const [column] of wide || across ? [...map, ...set] : []) {
    if (wide && column !== 'start')
      errors.push(`--wide: ${column} is not a column of its own; only start can be mapped`)
    else if (column === 'impressions') errors.push('--across: impressions is not a column of its own')
  }
  if (serial.length > 0 && set.some(([column]) => column === 'sensor')) {
    errors.push('--serial and --set sensor contradict each other')
  }
  return errors
}

/** Returns whether values of several columns must not be joined: 7 and 123 are not 7123. */
export const isNumber = (column: string): boolean => ['whole', 'decimal'].includes(VALUE_TYPES[column] ?? '')

export function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return [...new Set(names.filter(name => seen.size === seen.add(name).size))]
}
