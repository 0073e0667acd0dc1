/** Matches the header of a file with the columns of its kind. */
import { FileError, quote } from '../../../db/file-errors'
import { nearestName, suggestion } from '../../../db/nearest-name'
import { MIDNIGHT_AT_END } from '../times/joined-times'
import { type Cell, findSerial, readSums, type SummedColumns, sensorCells, timeCells } from './cells'
import { columnsNamed, type JoinedPart, joinedParts } from './column-names'
import { type ColumnOptions, columnsOf, describeColumns, isNumber, type KindColumns, repeated } from './column-options'

export interface Header {
  /** The names in the file. */
  names: readonly string[]
  /** The columns that the file has, also those that its cells or sums give. */
  columns: readonly string[]
  /** Indexes of columns without a name, which must be empty. */
  unnamed: readonly number[]
  /** The cells of a record, if each is a row. */
  cells: readonly Cell[] | undefined
  /** Columns of counts whose sum is the count of a row. */
  summed: readonly number[] | undefined
  /** Returns the values of a record in the order of `columns`, without those of cells and sums. */
  arrangeValues(record: readonly string[]): readonly string[]
}

/** Reads a header. @throws FileError */
export function readHeader(record: readonly string[], line: number, kind: KindColumns, options: ColumnOptions): Header {
  const names = record.map(name => name.trim())
  const { required } = kind
  const allowed = columnsOf(kind, options, names)
  const { wide = false, across = false, serial = [] } = options
  const refuse = (reason: string): never => {
    throw new FileError(reason, line > 0 ? line : undefined)
  }
  const { sources, sums, isIgnored } = findNamed(names, options, refuse)
  const constants = new Map(options.set)
  const summed = wide ? undefined : sums[0]?.indexes
  const used = [...[...sources.values()].flat(2), ...(summed ?? [])]
  const consumed = new Set(used.map(index => (typeof index === 'number' ? names[index] : undefined)))
  const unnamed: number[] = []
  const rest: number[] = []
  for (const [index, name] of names.entries()) {
    if (consumed.has(name) || isIgnored(index)) continue
    const isSum = summed !== undefined && name === 'impressions'
    const option = sources.has(name) ? '--map' : constants.has(name) ? '--set' : isSum ? '--sum' : undefined
    if (name === '') unnamed.push(index)
    else if (wide ? name !== 'start' || option : !allowed.includes(name)) rest.push(index)
    else if (option) refuse(`has the column ${name}, which ${option} gives too: leave it out with --ignore ${name}`)
    else if (across && name === 'impressions')
      refuse('has the column impressions beside the times: give --ignore impressions')
    else sources.set(name, [[index]])
  }
  const others = rest.map(index => names[index]!)
  const counted = wide ? ['sensor', 'impressions'] : across || summed ? ['impressions'] : []
  const columns = allowed.filter(column => sources.has(column) || constants.has(column) || counted.includes(column))
  const missing = required.filter(column => !column.split('|').some(choice => columns.includes(choice)))
  if (missing.length > 0) refuse(missingColumns(missing, names))
  if (!across && !wide && rest.length > 0) refuse(unknownColumns(others, kind))
  const timesOrSensors = () =>
    across ? timeCells(names, rest, options.stamps === 'end', refuse) : sensorCells(names, rest, serial, sums, refuse)
  return {
    names,
    columns,
    unnamed,
    cells: wide || across ? timesOrSensors() : undefined,
    summed,
    arrangeValues: valueReader(columns, sources, constants, wide ? [] : serial),
  }
}

interface NamedColumns {
  sources: Map<string, readonly JoinedPart[]>
  sums: readonly SummedColumns[]
  isIgnored: (index: number) => boolean
}

/** Finds the columns that options name, and refuses a header that lacks one of them. */
function findNamed(names: readonly string[], options: ColumnOptions, refuse: (reason: string) => never): NamedColumns {
  const { map = [], set = [], wide = false, ignore = [] } = options
  const serial = wide ? (options.serial ?? []) : []
  const sums = readSums(names, options.sum ?? [])
  const named = new Set([...serial.map(([name]) => names.indexOf(name.trim())), ...sums.flatMap(sum => sum.indexes)])
  const ignored = new Set(ignore.flatMap(name => columnsNamed(name, names)).map(index => names[index]!))
  const duplicates = repeated(names.filter(name => name !== '' && !ignored.has(name)))
  if (duplicates.length > 0) refuse(`has the column ${duplicates.join(', ')} more than once`)
  const sources = new Map<string, readonly JoinedPart[]>()
  const absent = [...ignore, ...serial.map(([name]) => name)].filter(
    name => !name.includes('*') && columnsNamed(name, names).length === 0,
  )
  for (const [column, name] of map) {
    const parts = joinedParts(name, names)
    if (parts) sources.set(column, checkParts(column, name, parts, refuse))
    else absent.unshift(name)
  }
  absent.push(...sums.filter(sum => sum.indexes.length === 0).map(({ text }) => text))
  const hasStart = names.includes('start') || [...map, ...set].some(([column]) => column === 'start')
  if (wide && absent.length === 0 && !hasStart) refuse(missingColumns(['start'], names))
  if (absent.length > 0) {
    const inWide = wide ? ', --serial' : ''
    const option = wide || sums.length > 0 ? `--map, --ignore${inWide} or --sum` : '--map or --ignore'
    refuse(missingColumns(absent, names, option))
  }
  return { sources, sums, isIgnored: index => ignored.has(names[index]!) && !named.has(index) }
}

function checkParts(
  column: string,
  name: string,
  parts: readonly JoinedPart[],
  refuse: (reason: string) => never,
): readonly JoinedPart[] {
  const columns = parts.filter(part => typeof part !== 'string')
  const ambiguous = columns.find(({ length }) => length > 1)
  if (ambiguous) refuse(`has ${ambiguous.length} columns that --map ${column}=${name} names: name one of them`)
  if (columns.length === 0) refuse(`--map ${column}=${name} names no column: give a constant with --set`)
  if (parts.length > 1 && isNumber(column)) {
    const sum = column === 'impressions' ? `: to add up counts, give --sum impressions=${name}` : ''
    refuse(`--map ${column}=${name} joins the digits of several columns to another number${sum}`)
  }
  return parts
}

type ReadValue = (record: readonly string[]) => string

function valueReader(
  columns: readonly string[],
  sources: ReadonlyMap<string, readonly JoinedPart[]>,
  constants: ReadonlyMap<string, string>,
  serials: ColumnOptions['serial'] = [],
): Header['arrangeValues'] {
  const readers = columns.map((column): ReadValue => {
    const read = partsReader(sources.get(column) ?? [], constants.get(column) ?? '')
    return column === 'sensor' && serials.length > 0 ? serialReader(read, serials) : read
  })
  return record => readers.map(read => read(record))
}

/** Reads serials, of which most rows have that of the row before. */
function serialReader(read: ReadValue, serials: NonNullable<ColumnOptions['serial']>): ReadValue {
  let [last, serial] = ['', '']
  return record => {
    const name = read(record).trim()
    if (name !== last) [last, serial] = [name, findSerial(name, serials)]
    return serial
  }
}

/** Joins columns with a blank, and constants with what is beside them. */
function partsReader(parts: readonly JoinedPart[], constant: string): ReadValue {
  const [first] = parts
  if (first === undefined) return () => constant
  if (parts.length === 1 && typeof first === 'object') return record => record[first[0] as number]!
  return record => {
    let joined = ''
    let isEmpty = true
    for (const [i, part] of parts.entries()) {
      const value = typeof part === 'string' ? part : record[part[0]!]!.trim()
      if (typeof part === 'object' && value !== '') isEmpty = false
      const isBlank = i > 0 && typeof part === 'object' && typeof parts[i - 1] === 'object'
      joined += isBlank ? ` ${value}` : value
    }
    if (isEmpty) return ''
    // A date-time at midnight whose time of day is empty is a date.
    return joined.endsWith(' ') ? joined.trimEnd().replace(MIDNIGHT_AT_END, '') : joined
  }
}

/** Unknown columns that a message names. */
const MAX_UNKNOWN = 10

/** Columns of the file that a message names. */
const MAX_NAMES = 20

function unknownColumns(unknown: readonly string[], kind: KindColumns): string {
  const named = unknown.slice(0, MAX_UNKNOWN).map(name => {
    const nearest = nearestName(name, kind.columns)
    return nearest ? `${quote(name)} (${nearest}?)` : quote(name)
  })
  return (
    `has unknown columns: ${named.join(', ')}${more(unknown.length, MAX_UNKNOWN)}. ` +
    `The columns are ${describeColumns(kind)}; ` +
    'rename one with --map column=their_name or leave it out with --ignore their_name'
  )
}

/** @param source the options that name the missing columns, of which `a|b` is either of two */
function missingColumns(missing: readonly string[], names: readonly string[], source?: string): string {
  const [first = ''] = missing[0]?.split('|') ?? []
  const column = missing.map(column => column.replace('|', ' or ')).join(', ')
  const inCells = missing.includes('impressions')
    ? '; if columns are sensors, --wide; if they are times of the day, --across'
    : ''
  const read = names.slice(0, MAX_NAMES).map(quote).join(', ') + more(names.length, MAX_NAMES)
  return (
    `has no column ${column}${source ? `, which ${source} names` : ''}${suggestion(first, names)}; the header was read as ${read}. ` +
    'If the values are separated by another character, give --delimiter; if the header is on another line, --header-line; ' +
    `if there is none, --no-header${inCells}${source ? '' : `; if the column has another name, --map ${first}=their_name`}`
  )
}

const more = (length: number, shown: number): string => (length > shown ? ` and ${length - shown} more` : '')
