/** Matches the header of a file with the columns of its kind. */
import { nearestName, suggestion } from '../../nearest-name'
import { FileError, quote } from '../errors'
import { columnsJoined, columnsNamed } from './column-names'
import { DELIMITERS, type Delimiter } from './file-form'
import { originalHeader } from './rejects'
import { readSensorColumns, readSums, type SensorColumn } from './sensor-columns'

/** Unknown columns that a message names. */
const MAX_NAMED = 10

/** Options that match the columns of a file. */
export interface ColumnOptions {
  /**
   * `[column, name in the file]`; `A+B` for two columns of the file whose values are joined with a blank. One column of the
   * file may be the source of several columns.
   */
  map?: readonly (readonly [string, string])[]
  /** Columns of the file that are left out; `*` stands for any text. */
  ignore?: readonly string[]
  /** `[column, value in every row]`. */
  set?: readonly (readonly [string, string])[]
  /** Every other column of a file of impressions is a sensor, and has its counts. */
  wide?: boolean
  /** `[name in the file, serial]` of sensors in a wide file; `*` stands for the same text in both. */
  serial?: readonly (readonly [string, string])[]
  /** `[serial, A+B]` of sensors in a wide file that have several columns, which are added up. */
  sum?: readonly (readonly [string, string])[]
  /** Whether the file may lack columns that options name, because other files have them. */
  mayLackColumns?: boolean
}

/** The columns of a kind, and those that every file must have; `a|b` for either of two. */
export interface KindColumns {
  columns: readonly string[]
  required: readonly string[]
}

export interface Header {
  /** The columns that the file has; of a wide file, those that each of its cells has. */
  columns: readonly string[]
  /** Number of values in each record. */
  width: number
  /** Indexes of columns without a name, which must be empty. */
  unnamed: readonly number[]
  /** The columns of a wide file that are sensors. */
  sensors: readonly SensorColumn[] | undefined
  /** Returns the values of a record in the order of `columns`; of a wide file, without sensor and count. */
  arrangeValues(record: readonly string[]): readonly string[]
}

/** Returns the errors of the options that do not depend on the file, one line each. */
export function columnOptionErrors(
  columns: readonly string[],
  { map = [], set = [], wide = false, serial = [], sum = [] }: ColumnOptions,
): string[] {
  const unknown = (option: string, pairs: readonly (readonly [string, string])[]) =>
    pairs
      .filter(([column]) => !columns.includes(column))
      .map(([column]) => `${option}: there is no column ${column}; the columns are ${columns.join(', ')}`)
  const errors = [...unknown('--map', map), ...unknown('--set', set)]
  for (const column of repeated([...map, ...set].map(([column]) => column))) {
    errors.push(`${column} is given more than once by --map and --set`)
  }
  if (!wide && sum.length > 0) errors.push('--sum adds up columns of a wide file: give --wide too')
  if (!wide && serial.length > 0) errors.push('--serial renames the sensors of a wide file: give --wide too')
  if (wide && !columns.includes('sensor')) errors.push('--wide is for impressions only')
  for (const [column] of wide ? [...map, ...set] : []) {
    if (column !== 'start') errors.push(`--wide: ${column} is not a column of its own; only start can be mapped`)
  }
  return errors
}

/** Returns whether names are those of a header, as far as required columns go. */
export function isHeader(names: readonly string[], { required }: KindColumns, options: ColumnOptions): boolean {
  const { map = [], set = [], wide } = options
  const present = names.map(name => name.trim())
  const mapped = map.filter(([, name]) => columnsJoined(name, present))
  if (mapped.length < map.length && !options.mayLackColumns) return false
  const columns = new Set([...present, ...[...mapped, ...set].map(([column]) => column)])
  if (wide) return columns.has('start') && present.length > 1
  return required.every(column => column.split('|').some(choice => columns.has(choice)))
}

/**
 * Reads a header.
 *
 * @throws FileError
 */
export function readHeader(
  record: readonly string[],
  line: number,
  { columns: allowed, required }: KindColumns,
  options: ColumnOptions,
  delimiter: Delimiter = ',',
): Header {
  const names = record.map(name => name.trim())
  const { map = [], set = [], wide = false, ignore = [], serial = [], mayLackColumns = false } = options
  const refuse = (reason: string): never => {
    throw new FileError(reason, line > 0 ? line : undefined)
  }
  const [optionError] = columnOptionErrors(allowed, options)
  if (optionError) refuse(optionError)
  const sums = readSums(names, options.sum ?? [])
  const named = [...serial.map(([name]) => names.indexOf(name.trim())), ...sums.flatMap(({ indexes }) => indexes)]
  const isIgnored = (index: number) => ignored.has(names[index] as string) && !named.includes(index)
  const ignored = new Set(ignore.flatMap(name => columnsNamed(name, names)).map(index => names[index] as string))
  const duplicates = repeated(names.filter(name => name !== '' && !ignored.has(name)))
  if (duplicates.length > 0) refuse(`has the column ${duplicates.join(', ')} more than once`)
  const sources = new Map<string, readonly number[]>()
  const absent = [...ignore, ...serial.map(([name]) => name)].filter(
    name => !name.includes('*') && columnsNamed(name, names).length === 0 && !mayLackColumns,
  )
  for (const [column, name] of map) {
    const indexes = columnsJoined(name, names)
    const isNeeded = !mayLackColumns || column === 'start' || required.includes(column) || names.includes(column)
    if (indexes && indexes.length > name.split('+').length) {
      refuse(`has ${indexes.length} columns that --map ${column}=${name} names: name one of them`)
    }
    if (indexes) sources.set(column, indexes)
    else if (isNeeded) absent.unshift(name)
  }
  absent.push(...sums.filter(({ indexes }) => indexes.length === 0 && !mayLackColumns).map(({ text }) => text))
  if (
    wide &&
    ![...names, ...sources.keys(), ...set.map(([column]) => column)].includes('start') &&
    absent.length === 0
  ) {
    refuse(missingColumns(['start'], names))
  }
  if (absent.length > 0) {
    const option = wide ? '--map, --ignore, --serial or --sum' : '--map or --ignore'
    refuse(`has no column ${absent.join(', ')}, which ${option} names${suggestion(absent[0] as string, names)}`)
  }
  const constants = new Map(set)
  const rejection = originalHeader(names, allowed) ? names.slice(-2) : []
  const consumed = new Set([...rejection, ...[...sources.values()].flat().map(index => names[index])])
  const unnamed: number[] = []
  const rest: number[] = []
  const unknown: string[] = []
  for (const [index, name] of names.entries()) {
    if (consumed.has(name) || isIgnored(index)) continue
    const option = sources.has(name) ? '--map' : constants.has(name) ? '--set' : undefined
    if (name === '') unnamed.push(index)
    else if (wide && (name !== 'start' || option)) rest.push(index)
    else if (!allowed.includes(name)) unknown.push(name)
    else if (option) refuse(`has the column ${name}, which ${option} gives too: leave it out with --ignore ${name}`)
    else sources.set(name, [index])
  }
  if (unknown.length > 0) refuse(unknownColumns(unknown, allowed, delimiter))
  const columns = allowed.filter(column => sources.has(column) || constants.has(column) || (wide && column !== 'start'))
  const missing = required.filter(column => !column.split('|').some(choice => columns.includes(choice)))
  if (missing.length > 0) refuse(missingColumns(missing, names))
  return {
    columns,
    width: record.length,
    unnamed,
    sensors: wide ? readSensorColumns(names, rest, serial, sums, refuse) : undefined,
    arrangeValues: valueReader(columns, sources, constants, record.length),
  }
}

function valueReader(
  columns: readonly string[],
  sources: ReadonlyMap<string, readonly number[]>,
  constants: ReadonlyMap<string, string>,
  width: number,
): Header['arrangeValues'] {
  const indexes = columns.map(column => sources.get(column) ?? [])
  const values = columns.map(column => constants.get(column) ?? '')
  if (indexes.length === width && indexes.every(([first, ...more], i) => first === i && more.length === 0)) {
    return record => record
  }
  return record =>
    indexes.map((source, i) => {
      if (source.length < 2)
        return source.length === 0 ? (values[i] as string) : (record[source[0] as number] as string)
      const parts = source.map(index => record[index] as string)
      return parts.every(part => part === '') ? '' : parts.join(' ')
    })
}

function unknownColumns(unknown: readonly string[], allowed: readonly string[], delimiter: Delimiter): string {
  const [first = ''] = unknown
  const detected = delimiter === ',' ? '' : ` (between ${DELIMITERS[delimiter]})`
  const separator = /[;\t|,]/.test(first) ? ' (name the character between the values with --delimiter)' : detected
  const named = unknown.slice(0, MAX_NAMED).map(name => {
    const nearest = nearestName(name, allowed)
    return nearest ? `${quote(name)} (${nearest}?)` : quote(name)
  })
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : ''
  return (
    `has unknown columns: ${named.join(', ')}${more}${separator}. The columns are ${allowed.join(', ')}; ` +
    'rename one with --map column=their_name or leave it out with --ignore their_name'
  )
}

const MAX_NAMES = 20

function missingColumns(missing: readonly string[], names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(quote).join(', ')
  const has = names.length > MAX_NAMES ? `${shown}, …` : shown
  const [first = ''] = missing[0]?.split('|') ?? []
  return (
    `has no column ${missing.map(column => column.replace('|', ' or ')).join(', ')}; it has ${has}. ` +
    `Name one with --map ${first}=their_name; if the header is on another line, give --header-line, if there is none, --no-header`
  )
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, i) => names.indexOf(name) !== i)),
]
