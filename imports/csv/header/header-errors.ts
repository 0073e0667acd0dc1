/** Reasons why a header does not fit the columns of its kind. */

import { quote } from '../../../db/file-errors'
import { nearestName } from '../../../db/nearest-name'
import { DELIMITERS, type Delimiter } from '../file-form'
import { describeColumns, type KindColumns } from './column-options'

/** Unknown columns that a message names. */
const MAX_UNKNOWN = 10

/** Columns of the file that a message names. */
const MAX_NAMES = 20

export function unknownColumns(unknown: readonly string[], kind: KindColumns, delimiter: Delimiter): string {
  const [first = ''] = unknown
  const detected = delimiter === ',' ? '' : ` (between ${DELIMITERS[delimiter]})`
  const separator = /[;\t|,]/.test(first) ? ' (name the character between the values with --delimiter)' : detected
  const named = unknown.slice(0, MAX_UNKNOWN).map(name => {
    const nearest = nearestName(name, kind.columns) ?? nearestNamed(name, kind)
    return nearest ? `${quote(name)} (${nearest}?)` : quote(name)
  })
  return (
    `has unknown columns: ${named.join(', ')}${more(unknown.length, MAX_UNKNOWN)}${separator}. ` +
    `The columns are ${describeColumns(kind)}; ` +
    'rename one with --map column=their_name or leave it out with --ignore their_name'
  )
}

/** Returns the column with a name that the file chooses that was probably meant, such as `external_id:A` by `ExternalId: A`. */
function nearestNamed(name: string, { named }: KindColumns): string | undefined {
  if (!named) return undefined
  const [, before = '', chosen = ''] = /^(.*?[:.]|external[ _-]?ids?[ _-])\s*(.+)$/is.exec(name) ?? []
  const column = named.prefix + chosen.trim().replace(/\s+/g, '_')
  const isPrefix = before === named.prefix || nearestName(before, [named.prefix])
  return isPrefix && named.isNamed(column) ? column : undefined
}

export function missingColumns(missing: readonly string[], names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(quote).join(', ')
  const has = names.length > MAX_NAMES ? `${shown}, …` : shown
  const [first = ''] = missing[0]?.split('|') ?? []
  return (
    `has no column ${missing.map(column => column.replace('|', ' or ')).join(', ')}; it has ${has}. ` +
    `Name one with --map ${first}=their_name; if the header is on another line, give --header-line, if there is none, --no-header`
  )
}

/** @param others columns that are neither known nor times */
export function timesAcross(times: readonly string[], others: readonly string[]): string {
  const named = (names: readonly string[]) => names.slice(0, 3).map(quote).join(', ') + more(names.length, 3)
  const rest = others.length > 0 ? `, and map or leave out (--ignore) the others: ${named(others)}` : ''
  return (
    `has columns that are times: ${named(times)}. If each has the counts of that time of the row's day, give --across, ` +
    `with --map sensor=their_name or --set sensor=SN-1, and --map start=their_date${rest}`
  )
}

const more = (length: number, shown: number): string => (length > shown ? ` and ${length - shown} more` : '')
