/** Reasons why a header does not fit the columns of its kind. */

import { quote } from '../../../db/file-errors'
import { nearestName, suggestion } from '../../../db/nearest-name'
import { describeColumns, type KindColumns } from './column-options'

/** Unknown columns that a message names. */
const MAX_UNKNOWN = 10

/** Columns of the file that a message names. */
const MAX_NAMES = 20

export function unknownColumns(unknown: readonly string[], kind: KindColumns): string {
  const named = unknown.slice(0, MAX_UNKNOWN).map(name => {
    const nearest = nearestName(name, kind.columns) ?? nearestNamed(name, kind)
    return nearest ? `${quote(name)} (${nearest}?)` : quote(name)
  })
  return (
    `has unknown columns: ${named.join(', ')}${more(unknown.length, MAX_UNKNOWN)}. ` +
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

/** @param source the options that name the missing columns, of which `a|b` is either of two */
export function missingColumns(missing: readonly string[], names: readonly string[], source?: string): string {
  const [first = ''] = missing[0]?.split('|') ?? []
  const column = missing.map(column => column.replace('|', ' or ')).join(', ')
  const read = names.slice(0, MAX_NAMES).map(quote).join(', ') + more(names.length, MAX_NAMES)
  return (
    `has no column ${column}${source ? `, which ${source} names` : ''}${suggestion(first, names)}; the header was read as ${read}. ` +
    'If the values are separated by another character, give --delimiter; if the header is on another line, --header-line; ' +
    `if there is none, --no-header${source ? '' : `; if the column has another name, --map ${first}=their_name`}`
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
