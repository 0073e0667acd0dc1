/**
 * The values of a file as columns parse them: dates and instants of ISO 8601, whole numbers of digits only, decimals
 * with a point, and nothing for a missing value. Blanks around a value are removed.
 */
import { isDate } from '../../db/calendar/local-days'
import { TimestampParser } from '../../db/calendar/timestamp-parser'
import { isTimeZone } from '../../db/calendar/zone-rules'
import { quote } from '../../db/file-errors'
import { describeNumbered, type NumberedGrain, readDateAndTime, readNumbered } from './times/joined-times'
import { isLanguage } from './times/names'
import { isRange, READ_RANGES } from './times/range-format'
import { compileTimeFormats, hasTime, isYearFormat } from './times/time-format'
import type { ReadTime } from './times/time-tokens'

export interface ValueOptions {
  /** Formats of dates and instants, in Unicode tokens; the first that fits a value reads it. ISO 8601 by default. */
  timeFormat?: readonly string[]
  /** The language of the names of months and weekdays in them, a BCP 47 tag; English by default. */
  language?: string
  /** The time zone of times without an offset; by default that of the asset. */
  timeZone?: string
  /** Whether a time names the start or the end of what a row covers, which may be 24:00; `start` by default. */
  stamps?: 'start' | 'end'
  /** `[column, name in the file]`; `A+B` joins columns with a blank, `'text'+A` a constant without one. */
  map?: readonly (readonly [string, string])[]
  /** Every other column of a file of impressions is a time of the row's day, and has its counts. */
  across?: boolean
  /** The last column of `start` numbers the intervals of this grain in the day, which rows cover by default. */
  intervalNumber?: NumberedGrain
  /** The number of the first one; 0 by default. */
  firstInterval?: '0' | '1'
  /** The separator of groups of three digits in whole numbers. */
  thousands?: Thousands
  /** The decimal separator. */
  decimal?: Decimal
  /** Values that stand for an empty one. */
  missing?: readonly string[]
}

export const THOUSANDS = [',', '.', ' ', "'"] as const
type Thousands = (typeof THOUSANDS)[number]

export const DECIMALS = [',', '.'] as const
type Decimal = (typeof DECIMALS)[number]

/** The types in which the values of columns are written; all other columns are text. */
export const VALUE_TYPES: Readonly<Record<string, 'instant' | 'date' | 'whole' | 'decimal'>> = {
  start: 'instant',
  installed_at: 'instant',
  removed_at: 'instant',
  checked_at: 'instant',
  last_seen_at: 'instant',
  date: 'date',
  impressions: 'whole',
  legacy_id: 'whole',
  venue_type_id: 'whole',
  facing_degrees: 'whole',
  width_m: 'decimal',
  height_m: 'decimal',
  latitude: 'decimal',
  longitude: 'decimal',
}

/** Returns what a message adds about a value that cannot be read: what it looks like, and the options that say more. */
export function describeUnread(column: string, text: string): string {
  const type = VALUE_TYPES[column]
  if (type === undefined) return ''
  if (type === 'whole' || type === 'decimal')
    return (type === 'whole' ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(text)
      ? ''
      : ' (--thousands, --decimal and --missing say how numbers are written)'
  if (isRange(text)) return `; it looks like a range of times: ${READ_RANGES}`
  if (isNoRow(text)) return NO_ROW
  return /^\d{4}-\d\d-\d\d/.test(text) ? '' : ' (--time-format says how times are written)'
}

/** Returns whether a text is a comment, or has no number. */
export const isNoRow = (text: string): boolean => /^\s*(#|\/\/)|^\D*$/.test(text)

/** Ends messages about a line that seems to be no row. */
export const NO_ROW =
  '; if this line is no row, --comment leaves out lines that begin with a text, and --footer-lines the last lines of the file'

/** A time zone without clock changes, as a logger may have it. */
const FIXED_OFFSET = /^[+-](0\d|1[0-4]):[0-5]\d$/

interface ValueReader {
  read: ReadTime
  /** The valid values, in words that complete "… must be". */
  expected: string
}

export class RowValues {
  private readonly readers: readonly (ValueReader | undefined)[]
  private readonly missing: ReadonlySet<string>

  constructor(
    private readonly columns: readonly string[],
    options: ValueOptions,
  ) {
    const reads = createReaders(options)
    this.readers = columns.map(column => reads[column === 'installed_at' ? column : (VALUE_TYPES[column] ?? 'text')])
    this.missing = new Set(options.missing)
  }

  /** Returns the values of a row, or the reason why one of them cannot be read. */
  readRow(row: readonly string[]): readonly string[] | string {
    let values = row as string[]
    for (let i = 0; i < this.columns.length; i++) {
      const text = row[i]!
      const value = this.readValue(i, text)
      if (value === undefined) {
        const column = this.columns[i]!
        const note = describeUnread(column, text)
        return `${column} is ${quote(text.trim())}, but must be ${this.readers[i]?.expected}${note}`
      }
      if (value === text) continue
      if (values === row) values = [...row]
      values[i] = value
    }
    return values
  }

  /** Returns the value of a column; undefined if it cannot be read. */
  readValue(column: number, raw: string): string | undefined {
    const text = raw.trim()
    if (text === '' || (this.missing.size > 0 && this.missing.has(text))) return ''
    const reader = this.readers[column]
    return reader ? reader.read(text) : text
  }
}

/** Returns the errors of value options. @param columns of the kind */
export function valueOptionErrors(options: ValueOptions, columns: readonly string[] = []): string[] {
  const { timeFormat = [], language, timeZone, thousands, decimal } = options
  const errors = intervalNumberErrors(options)
  const hasNames = timeFormat.some(format => /MMM|LLL|E|ccc/.test(format.replace(/'[^']*'/g, '')))
  if (language !== undefined && !hasNames)
    errors.push('--language is for the names of months and weekdays in --time-format (MMM, MMMM, EEE)')
  if (language !== undefined && !isLanguage(language))
    errors.push(
      `--language ${quote(language)} is not a language that this Node.js knows; known are de, fr or pt-BR, for example`,
    )
  if (timeZone !== undefined && !isTimeZone(timeZone) && !FIXED_OFFSET.test(timeZone))
    errors.push(`--time-zone ${quote(timeZone)} is not an IANA time zone like Europe/Berlin, nor an offset like +01:00`)
  if (!columns.includes('installed_at') && timeFormat.some(isYearFormat)) {
    errors.push('--time-format has no month (MM; mm are minutes): only an installed_at may be a year alone')
  }
  try {
    compileTimeFormats(timeFormat)
  } catch (error) {
    errors.push((error as Error).message)
  }
  if (thousands !== undefined && thousands === decimal) errors.push('--thousands and --decimal are the same character')
  return errors
}

function intervalNumberErrors(options: ValueOptions): string[] {
  const { timeFormat = [], intervalNumber, firstInterval, stamps } = options
  if (intervalNumber === undefined) return firstInterval ? ['--first-interval is for --interval-number'] : []
  const errors: string[] = []
  if (partsOfStart(options) < 2)
    errors.push('--interval-number needs a date and a number in start: --map start=Date+Interval')
  if (stamps === 'end') errors.push('--interval-number numbers the intervals themselves: leave out --stamps end')
  const timed = timeFormat.find(hasTime)
  if (timed !== undefined)
    errors.push(
      `--time-format ${quote(timed)} has a time, which --interval-number gives: the format is that of the date`,
    )
  return errors
}

/** Returns the number of columns that are joined to `start`. */
function partsOfStart({ map = [], across = false }: ValueOptions): number {
  const name = map.find(([column]) => column === 'start')?.[1] ?? ''
  return name.replace(/'[^']*'\+?/g, '').split('+').length + Number(across)
}

function createReaders(options: ValueOptions): Record<string, ValueReader | undefined> {
  const { timeFormat = [], language, intervalNumber, thousands, decimal } = options
  const point = decimal ?? (thousands === '.' ? ',' : '.')
  const readers: Record<string, ValueReader> = {
    whole: { read: wholeNumber(thousands, point, decimal !== undefined), expected: '' },
  }
  if (point === ',') readers.decimal = { read: commaNumber, expected: 'a number with the decimal comma' }
  readers.installed_at = { read: text => (/^\d{4}$/.test(text) ? `${text}-01-01` : text), expected: '' }
  const formats = timeFormat.filter(format => !isYearFormat(format))
  const time = formats.length > 0 ? createTimeReader(formats, language) : undefined
  if (formats.length < timeFormat.length) readers.installed_at = createTimeReader(timeFormat, language)
  else if (time) readers.installed_at = time
  const isJoined = partsOfStart(options) === 2
  if (time) {
    const { read, expected } = time
    readers.instant = { read: readDateAndTime(read, isJoined), expected }
    readers.date = { read: text => dateOf(read(text) ?? ''), expected: `a date ${expected}` }
  } else if (isJoined) {
    const read = readDateAndTime(isoTime, true)
    // The column refuses what is no time, and says what is.
    readers.instant = { read: text => read(text) ?? text, expected: '' }
  }
  if (intervalNumber !== undefined) {
    const first = Number(options.firstInterval ?? 0)
    readers.instant = {
      read: readNumbered(time?.read ?? isoTime, intervalNumber, first),
      expected: `a date ${time?.expected ?? 'like 2026-03-01'} and ${describeNumbered(intervalNumber, first)}`,
    }
  }
  return readers
}

const createTimeReader = (formats: readonly string[], language: string | undefined): ValueReader => ({
  read: compileTimeFormats(formats, language),
  expected: `of the form ${formats.join(' or ')}`,
})

const timestamps = new TimestampParser()

const isoTime: ReadTime = text => (isDate(text) || timestamps.parse(text) ? text : undefined)

/** Returns the date of a time at the start of its day. */
export const dateOf = (time: string): string | undefined =>
  /^(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?)?$/.exec(time)?.[1]

/** Patterns of separators that are written in several ways. */
const VARIANTS: Partial<Record<Thousands, string>> = { ' ': '[ \\u00a0\\u202f]', "'": "['’]" }

/** A number in other notation that is not whole, or may be another one, remains as it is: the column refuses it. */
function wholeNumber(thousands: Thousands | undefined, point: Decimal, pointGiven: boolean): ReadTime {
  const separator = (thousands && VARIANTS[thousands]) ?? `\\${thousands}`
  const grouped = thousands && new RegExp(`^[+-]?[1-9]\\d{0,2}(${separator}\\d{3})+(?!\\d)`)
  const separators = thousands && new RegExp(separator, 'g')
  const zeros = new RegExp(`^([+-]?\\d+)\\${point}0*$`)
  return text => {
    if (/^\d+$/.test(text)) return text
    const plain = grouped?.test(text) ? text.replace(separators as RegExp, '') : text
    // 1.000 is one or a thousand.
    if (!thousands && !pointGiven && /^[+-]?\d{1,3}\.000$/.test(plain)) return plain
    return zeros.exec(plain)?.[1] ?? plain
  }
}

const commaNumber: ReadTime = text => (text.includes('.') ? undefined : text.replace(',', '.'))
