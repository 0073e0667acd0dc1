/** Which of a file's columns are ours: by the same name, renamed, left out, or given one value for all rows. */
import { FileFault, told } from '../figures'

/** How the operator says that a file's columns are meant. */
export interface ColumnOptions {
  /** Their column for one of ours: `[ours, theirs]`. One of theirs may stand for several of ours. */
  map?: readonly (readonly [string, string])[]
  /** Their columns that are left out. */
  ignore?: readonly string[]
  /** One value for one of ours in all rows: `[ours, value]`. */
  set?: readonly (readonly [string, string])[]
}

/** Our columns that a file has, and how a record becomes their values. */
export interface Header {
  columns: readonly string[]
  /** How many values every record has. */
  width: number
  read(record: readonly string[]): readonly string[]
}

/** Faults of the options by themselves, whatever the file: one line each. */
export function faultsOfOptions(allowed: readonly string[], options: ColumnOptions): string[] {
  const given = [...(options.map ?? []), ...(options.set ?? [])].map(([column]) => column)
  return [
    ...(options.map ?? []).filter(([column]) => !allowed.includes(column)).map(([column]) => `--map: ${no(column)}`),
    ...(options.set ?? []).filter(([column]) => !allowed.includes(column)).map(([column]) => `--set: ${no(column)}`),
    ...repeated(given).map(column => `${column} is given more than once by --map and --set`),
  ]
  function no(column: string): string {
    return `there is no column ${column}; the columns are ${allowed.join(', ')}`
  }
}

/**
 * Reads a header.
 *
 * @param allowed all columns of the kind
 * @param required those without which no row makes sense; `a|b` for one of two
 * @throws FileFault that names what does not fit
 */
export function readHeader(
  record: readonly string[],
  line: number,
  allowed: readonly string[],
  required: readonly string[],
  options: ColumnOptions,
): Header {
  const theirs = record.map(name => name.trim())
  const fault = (reason: string) => new FileFault(reason, line)
  const [wrong] = faultsOfOptions(allowed, options)
  if (wrong) throw fault(wrong)
  const { map = [], ignore = [], set = [] } = options
  const twice = repeated(theirs)
  if (twice.length > 0) throw fault(`has the column ${twice.join(', ')} more than once`)
  const lacking = [...map.map(([, name]) => name), ...ignore].filter(name => !theirs.includes(name))
  if (lacking.length > 0) throw fault(`lacks the column ${lacking.join(', ')} that --map or --ignore names`)

  const source = new Map(map.map(([column, name]) => [column, theirs.indexOf(name)]))
  const unknown: string[] = []
  for (const [at, name] of theirs.entries()) {
    if (ignore.includes(name) || map.some(([, mapped]) => mapped === name)) continue
    if (!allowed.includes(name)) unknown.push(name)
    else if (source.has(name))
      throw fault(`has the column ${name}, which --map gives too: leave it out with --ignore ${name}`)
    else if (set.some(([column]) => column === name)) {
      throw fault(`has the column ${name}, which --set gives too: leave it out with --ignore ${name}`)
    } else source.set(name, at)
  }
  if (unknown.length > 0) throw fault(unknownColumns(unknown, allowed))
  const constants = new Map(set)
  const columns = allowed.filter(column => source.has(column) || constants.has(column))
  const missing = required.filter(column => !column.split('|').some(one => columns.includes(one)))
  if (missing.length > 0) throw fault(`lacks ${missing.map(column => column.replace('|', ' or ')).join(', ')}`)
  const places = columns.map(column => source.get(column) ?? -1)
  const fixed = columns.map(column => constants.get(column) ?? '')
  const asTheyStand = places.length === record.length && places.every((place, i) => place === i)
  return {
    columns,
    width: record.length,
    read: values => (asTheyStand ? values : places.map((place, i) => (place < 0 ? fixed[i] : values[place]) as string)),
  }
}

function unknownColumns(unknown: readonly string[], allowed: readonly string[]): string {
  const [first = ''] = unknown
  const separator = /[;\t|]/.exec(first) ? ' (values are separated by commas)' : ''
  const names = unknown.map(told).join(', ')
  return (
    `has unknown columns: ${names}${separator}. The columns are ${allowed.join(', ')}; ` +
    'rename one with --map column=their_name or leave it out with --ignore their_name'
  )
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, i) => names.indexOf(name) !== i)),
]
