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
export function missingColumns(missing: readonly string[], names: readonly string[], source?: string): string {
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
