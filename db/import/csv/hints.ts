/** Adds to the reason why a row is rejected the option that would read its values. */
import { isDate } from '../../calendar/local-days'
import { guessTimeFormats } from './times/guess-time-format'
import { TimestampParser } from './timestamp-parser'
import { VALUE_TYPES, type ValueOptions } from './values'

const MISSING = /^(na|n\/a|#n\/a|nan|null|none|nil|missing|-+|\?|\.)$/i

const EXPECTED = '2026-03-01T08:00:00+01:00 or 2026-03-01 08:00'

const timestamps = new TimestampParser()

/**
 * Returns the reason, with a hint for the first value that it names and that another option would read.
 *
 * @param columns of the values
 * @param values as the file has them
 * @param isRead whether the options read a time
 */
export function withHint(
  reason: string,
  columns: readonly string[],
  values: readonly string[],
  options: ValueOptions,
  isRead: (column: number, text: string) => boolean = () => false,
): string {
  for (const [i, column] of columns.entries()) {
    const text = (values[i] ?? '').trim()
    const type = VALUE_TYPES[column]
    if (!type || text === '' || options.missing?.includes(text) || !reason.includes(column)) continue
    if (options.timeFormat?.length && (type === 'instant' || type === 'date') && isRead(i, text)) continue
    const hint = hintFor(text, type, options)
    if (hint) return `${reason}${hint}`
  }
  return reason
}

function hintFor(text: string, type: 'instant' | 'date' | 'whole' | 'decimal', options: ValueOptions): string {
  if (type === 'instant' || type === 'date') {
    if (!options.timeFormat?.length && (isDate(text) || (type === 'instant' && timestamps.parse(text)))) return ''
  } else if (/^[+-]?\d+$/.test(text)) return ''
  if (MISSING.test(text)) return `; if ${text} stands for no value, give --missing ${text}`
  if (type === 'instant' || type === 'date') return timeHint(text, type, options)
  return numberHint(text, type, options)
}

function timeHint(text: string, type: 'instant' | 'date', { timeFormat = [] }: ValueOptions): string {
  const footer = /\d/.test(text)
    ? ''
    : '; if this line is a sum or a note at the end of the file, give --footer-lines N'
  const isGiven = timeFormat.length > 0
  const [first, swapped] = guessTimeFormats(text).filter(format => !timeFormat.includes(format))
  const also = isGiven ? ' as well' : ''
  if (first && swapped) {
    const [day, month] = first.indexOf('d') < first.indexOf('M') ? [first, swapped] : [swapped, first]
    return `; give --time-format ${quote(month)}${also} if the month comes first, ${quote(day)} if the day does`
  }
  if (first) return `; give --time-format ${quote(first)}${also}`
  if (isGiven || type === 'date') return footer
  return `; expected: ${EXPECTED}, or the form that --time-format names, such as 'dd.MM.yyyy HH:mm'${footer}`
}

/** Quotes a format for the shell: literal text in it has single quotes of its own. */
const quote = (format: string | undefined): string => (format?.includes("'") ? `"${format}"` : `'${format}'`)

function numberHint(text: string, type: 'whole' | 'decimal', { thousands, decimal }: ValueOptions): string {
  const grouped = /^[+-]?\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\1\d{3})*$/.exec(text)?.[1]
  if (type === 'whole' && grouped && thousands === undefined) {
    const separator = /\s/.test(grouped) ? ' ' : grouped.replace('’', "'")
    const decimals = /^[^.,]*[.,]000$/.test(text) ? `; if these are decimals, --decimal ${grouped}` : ''
    return `; if these are groups of three digits, give --thousands "${separator}"${decimals}`
  }
  const decimals = type === 'whole' ? /^[+-]?\d+,0+$/ : /^[+-]?\d+,\d+$/
  if (decimal === undefined && decimals.test(text)) return '; if its comma is a decimal comma, give --decimal ,'
  return ''
}
