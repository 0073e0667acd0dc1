/** Matches the header of a file with the columns of its kind. */
import { nearestName, suggestion } from '../../nearest-name'
import { FileError, quote } from '../errors'
import { DELIMITERS, type Delimiter } from './file-form'
import { originalHeader } from './rejects'
import { readSensorColumns, type SensorColumn } from './sensor-columns'

/** How the columns of a file are matched. */
export interface ColumnOptions {
  /**
   * `[column, name in the file]`; `A+B` for two columns of the file whose values are joined with a blank. One column of the
   * file may be the source of several columns.
   */
  map?: readonly (readonly [string, string])[]
  /** Columns of the file that are left out. */
  ignore?: readonly string[]
  /** `[column, value in every row]`. */
  set?: readonly (readonly [string, string])[]
  /** Every other column of a file of impressions is a sensor, and has its counts. */
  wide?: boolean
  /** `[name in the file, serial]` of sensors in a wide file. */
  serial?: readonly (readonly [string, string])[]
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
  /** Of a wide file. */
  sensors: readonly SensorColumn[] | undefined
  /** The values of a record in the order of `columns`; of a wide file, without sensor and count. */
  valuesOf(record: readonly string[]): readonly string[]
}

/** What is wrong with the options whatever the file, one line each. */
export function columnOptionErrors(
  columns: readonly string[],
  { map = [], set = [], wide = false, serial = [] }: ColumnOptions,
): string[] {
  const unknown = (option: string, pairs: readonly (readonly [string, string])[]) =>
    pairs
      .filter(([column]) => !columns.includes(column))
      .map(([column]) => `${option}: there is no column ${column}; the columns are ${columns.join(', ')}`)
  const errors = [...unknown('--map', map), ...unknown('--set', set)]
  for (const column of repeated([...map, ...set].map(([column]) => column))) {
    errors.push(`${column} is given more than once by --map and --set`)
  }
  if (!wide && serial.length > 0) errors.push('--serial renames the sensors of a wide file: give --wide too')
  if (wide && !columns.includes('sensor')) errors.push('--wide is for impressions only')
  for (const [column] of wide ? [...map, ...set] : []) {
    if (column !== 'start') errors.push(`--wide: ${column} is not a column of its own; only start can be mapped`)
  }
  return errors
}

/** Whether names are those of a header, as far as required columns go. */
export function isHeader(names: readonly string[], { required }: KindColumns, options: ColumnOptions): boolean {
  const { map = [], set = [], wide } = options
  const present = names.map(name => name.trim())
  if (map.some(([, name]) => !sourcesOf(name, present))) return false
  const columns = new Set([...present, ...[...map, ...set].map(([column]) => column)])
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
  const { map = [], set = [], wide = false } = options
  const ignore = (options.ignore ?? []).map(name => name.trim())
  const refuse = (reason: string): never => {
    throw new FileError(reason, line > 0 ? line : undefined)
  }
  const [optionError] = columnOptionErrors(allowed, options)
  if (optionError) refuse(optionError)
  const duplicates = repeated(names.filter(name => name !== '' && !ignore.includes(name)))
  if (duplicates.length > 0) refuse(`has the column ${duplicates.join(', ')} more than once`)
  const given = [...names, ...[...map, ...set].map(([column]) => column)]
  if (wide && !given.includes('start')) refuse(missingColumns(['start'], names))
  const renamed = wide ? (options.serial ?? []).map(([name]) => name) : []
  const absent = [...map.map(([, name]) => name), ...ignore, ...renamed].filter(name => !sourcesOf(name, names))
  if (absent.length > 0) {
    const option = wide ? '--map, --ignore or --serial' : '--map or --ignore'
    refuse(`has no column ${absent.join(', ')}, which ${option} names${suggestion(absent[0] as string, names)}`)
  }
  const constants = new Map(set)
  const sources = new Map(map.map(([column, name]) => [column, sourcesOf(name, names) as number[]]))
  const rejection = originalHeader(names, allowed) ? names.slice(-2) : []
  const consumed = new Set([...rejection, ...ignore, ...[...sources.values()].flat().map(index => names[index])])
  const unnamed: number[] = []
  const rest: number[] = []
  const unknown: string[] = []
  for (const [index, name] of names.entries()) {
    if (consumed.has(name)) continue
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
    sensors: wide ? readSensorColumns(names, rest, options.serial ?? [], refuse) : undefined,
    valuesOf: valueReader(columns, sources, constants, record.length),
  }
}

function valueReader(
  columns: readonly string[],
  sources: ReadonlyMap<string, readonly number[]>,
  constants: ReadonlyMap<string, string>,
  width: number,
): Header['valuesOf'] {
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

/** The indexes of the column of this name, or of those that it joins with `+`; undefined where one is missing. */
function sourcesOf(name: string, names: readonly string[]): number[] | undefined {
  const whole = names.indexOf(name.trim())
  if (whole >= 0) return [whole]
  const parts = name.split('+').map(part => names.indexOf(part.trim()))
  return parts.length > 1 && !parts.includes(-1) ? parts : undefined
}

function unknownColumns(unknown: readonly string[], allowed: readonly string[], delimiter: Delimiter): string {
  const [first = ''] = unknown
  const detected = delimiter === ',' ? '' : ` (between ${DELIMITERS[delimiter]})`
  const separator = /[;\t|,]/.test(first) ? ' (name the character between the values with --delimiter)' : detected
  const named = unknown.map(name => {
    const nearest = nearestName(name, allowed)
    return nearest ? `${quote(name)} (${nearest}?)` : quote(name)
  })
  return (
    `has unknown columns: ${named.join(', ')}${separator}. The columns are ${allowed.join(', ')}; ` +
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
