/**
 * The values of a file as columns parse them: dates and instants of ISO 8601, whole numbers of digits only, decimals with a
 * point, and nothing for a missing value. Blanks around a value are removed.
 */
import { quote } from '../errors'
import { compileTimeFormats, isYearFormat } from './times/time-format'

export interface ValueOptions {
  /** Formats of dates and instants, in Unicode tokens; the first one that fits a value reads it. ISO 8601 by default. */
  timeFormat?: readonly string[]
  /** The separator of groups of three digits in whole numbers. */
  thousands?: Thousands
  /** The decimal separator. */
  decimal?: Decimal
  /** Values that stand for an empty one. */
  missing?: readonly string[]
}

export const THOUSANDS = [',', '.', ' ', "'"] as const
export type Thousands = (typeof THOUSANDS)[number]

export const DECIMALS = [',', '.'] as const
export type Decimal = (typeof DECIMALS)[number]

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

/** Reads a value; undefined for one that must not be guessed. */
type Read = (text: string) => string | undefined

interface ValueReader {
  read: Read
  /** The valid values, in words that complete "… must be". */
  expected: string
}

/** Reads the values of rows. */
export class RowValues {
  /** Why the last row could not be read. */
  reason: string | undefined
  private readonly readers: readonly (ValueReader | undefined)[]
  private readonly missing: ReadonlySet<string>

  /** @param columns of the rows */
  constructor(
    private readonly columns: readonly string[],
    options: ValueOptions,
  ) {
    const reads = createReaders(options)
    this.readers = columns.map(column => reads[column === 'installed_at' ? column : (VALUE_TYPES[column] ?? 'text')])
    this.missing = new Set(options.missing)
  }

  /**
   * Returns the values of a row; undefined, with a reason, if one of them cannot be read. A whole number that cannot be
   * read remains as it is, with a reason, so that the sink learns of the faulty row.
   */
  read(row: readonly string[]): readonly string[] | undefined {
    let values = row as string[]
    this.reason = undefined
    for (let i = 0; i < this.columns.length; i++) {
      const text = row[i] as string
      const value = this.readValue(i, text)
      if (value === undefined && VALUE_TYPES[this.columns[i] as string] === 'whole') continue
      if (value === undefined) return undefined
      if (value === text) continue
      if (values === row) values = [...row]
      values[i] = value
    }
    return values
  }

  /** Returns the value of a column; undefined, with a reason, if it cannot be read. */
  readValue(column: number, raw: string): string | undefined {
    const text = trimmed(raw)
    if (text === '' || (this.missing.size > 0 && this.missing.has(text))) return ''
    const reader = this.readers[column]
    if (!reader) return text
    const value = reader.read(text)
    if (value === undefined) {
      this.reason = `${this.columns[column]} is ${quote(text)}, but must be ${reader.expected}`
    }
    return value
  }
}

/**
 * Returns the errors of value options.
 *
 * @param columns of the kind
 */
export function valueOptionErrors(
  { timeFormat = [], thousands, decimal }: ValueOptions,
  columns: readonly string[] = [],
): string[] {
  const errors: string[] = []
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

function createReaders(options: ValueOptions): Record<string, ValueReader | undefined> {
  const { timeFormat = [], thousands, decimal } = options
  const point = decimal ?? (thousands === '.' ? ',' : '.')
  const readers: Record<string, ValueReader> = {
    whole: { read: wholeNumber(thousands, point, decimal !== undefined), expected: 'a whole number' },
  }
  if (point === ',') readers.decimal = { read: commaNumber, expected: 'a number with the decimal comma' }
  readers.installed_at = { read: text => (/^\d{4}$/.test(text) ? `${text}-01-01` : text), expected: '' }
  if (timeFormat.length > 0) readers.installed_at = createTimeReader(timeFormat)
  const formats = timeFormat.filter(format => !isYearFormat(format))
  if (formats.length > 0) {
    const { read, expected } = createTimeReader(formats)
    readers.instant = { read, expected }
    readers.date = { read: text => cutDate(read(text)), expected: `a date ${expected}` }
  }
  return readers
}

const createTimeReader = (formats: readonly string[]): ValueReader => ({
  read: compileTimeFormats(formats),
  expected: `of the form ${formats.join(' or ')} (--time-format)`,
})

/** Returns the date of a time at the start of its day. */
const cutDate = (time: string | undefined): string | undefined =>
  time !== undefined && /^[^T]+(T00:00:00)?$/.test(time) ? time.slice(0, 10) : undefined

/** Patterns of separators that are written in several ways. */
const VARIANTS: Partial<Record<Thousands, string>> = { ' ': '[ \\u00a0\\u202f]', "'": "['’]" }

/** A number in other notation that is not whole remains as it is: the column refuses it. */
function wholeNumber(thousands: Thousands | undefined, point: Decimal, pointGiven: boolean): Read {
  const separator = (thousands && VARIANTS[thousands]) ?? `\\${thousands}`
  const grouped = thousands && new RegExp(`^[+-]?[1-9]\\d{0,2}(${separator}\\d{3})+(?!\\d)`)
  const separators = thousands && new RegExp(separator, 'g')
  const zeros = new RegExp(`^([+-]?\\d+)\\${point}0*$`)
  return text => {
    if (isDigits(text)) return text
    const plain = grouped?.test(text) ? text.replace(separators as RegExp, '') : text
    // 1.000 is one or a thousand.
    if (!thousands && !pointGiven && /^[+-]?\d{1,3}\.000$/.test(plain)) return undefined
    return zeros.exec(plain)?.[1] ?? plain
  }
}

const commaNumber: Read = text => (text.includes('.') ? undefined : text.replace(',', '.'))

function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 48 || code > 57) return false
  }
  return true
}

const isBlank = (code: number): boolean => code <= 32 || code === 0xa0

const trimmed = (text: string): string =>
  isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1)) ? text.trim() : text
