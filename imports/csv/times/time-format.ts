/** Reads dates and times of other forms than ISO 8601, which formats in Unicode tokens describe. */
import { dateOf, dayNumber, isDate, weekdayOf } from '../../../db/calendar/local-days'
import { FileError } from '../../../db/file-errors'
import { type DateNames, escapePattern, listNames, normalize } from './names'
import { rangeDateFormat, rangeReader } from './range-format'
import { type Field, type FormatPart, fieldsOf, parseFormat, type ReadTime } from './time-tokens'

/** Two digits are a year up to 2060. */
const LAST_YEAR_OF_TWO_DIGITS = 60

/** The days from 1899-12-30, from which Excel counts, to 1970-01-01. */
const EXCEL_EPOCH = 25_569

/** Excel counts 1900-02-29, which never was: 60. */
const FIRST_EXCEL_DAY = 61

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19)

/**
 * Formats that have a name in place of tokens: numbers of seconds, milliseconds or days. Numbers too short for a year
 * since 1973 are refused, because they are counted in another unit. Local times of Excel are rounded to seconds;
 * without a fraction, a number is a date.
 */
const NAMED_FORMATS: Readonly<Record<string, ReadTime>> = {
  epoch: text => {
    const [, seconds, fraction] = /^(\d{9,10})(?:[.,](\d{1,9}))?$/.exec(text) ?? []
    return seconds && `${isoTime(Number(seconds))}${fraction ? `.${fraction}` : ''}Z`
  },
  'epoch-ms': text => {
    const [, seconds, fraction] = /^(\d{9,10})(\d{3})(?:[.,]0+)?$/.exec(text) ?? []
    return seconds && `${isoTime(Number(seconds))}.${fraction}Z`
  },
  excel: text => {
    const serial = /^\d{2,6}(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : 0
    if (serial < FIRST_EXCEL_DAY) return undefined
    const time = isoTime(Math.round((serial - EXCEL_EPOCH) * 86_400))
    return /^\d+$/.test(text) ? time.slice(0, 10) : time
  },
}

/**
 * Returns a reader of the formats, of which the first that fits a value reads it. Hour 24 is the end of its date.
 *
 * @param language of the names of months and weekdays, a BCP 47 tag
 * @throws FileError for an invalid format
 */
export function compileTimeFormats(formats: readonly string[], language = 'en-US'): ReadTime {
  const readers = formats.map(format => compileFormat(format, language))
  const [only] = readers
  if (only && readers.length === 1) return only
  return text => {
    for (const read of readers) {
      const time = read(text)
      if (time !== undefined) return time
    }
    return undefined
  }
}

/** Returns whether a format has a year alone, which stands for its first day. */
export const isYearFormat = (format: string): boolean => fieldsOf(format).size === 1

/** Returns whether a format has more than a date. */
export const hasTime = (format: string): boolean =>
  /^epoch|range$/.test(format) || ['hour', 'hour12'].some(field => fieldsOf(format).has(field as Field))

function compileFormat(format: string, language: string): ReadTime {
  const named = NAMED_FORMATS[format]
  if (named) return named
  const date = rangeDateFormat(format)
  if (date !== undefined) return rangeReader(compileFormat(date, language))
  const parts = parseFormat(format)
  if (typeof parts === 'string') throw new FileError(`--time-format ${JSON.stringify(format)} ${parts}`)
  const fields = parts.flatMap(part => ('field' in part ? [part.field] : []))
  const names = new Map<Field, DateNames>()
  for (const part of parts) {
    if ('field' in part && part.pattern === '')
      names.set(part.field, listNames(language, part.field === 'month' ? 'month' : 'weekday'))
  }
  const patternOf = (part: FormatPart) => {
    if ('field' in part) return `(${part.pattern || names.get(part.field)?.pattern})`
    if (part.literal === ' ') return '[ \\u00a0\\u202f]'
    return escapePattern(names.size > 0 ? normalize(part.literal, language) : part.literal)
  }
  const pattern = new RegExp(`^${parts.map(patternOf).join('')}$`, 'iu')
  const has = (letter: string) => parts.some(part => 'field' in part && part.token.startsWith(letter))
  const [hasHourFrom1, mayAbbreviate] = [has('k'), has('yy')]
  const isDateOnly = !has('H') && !has('k') && !has('h')
  let lastDate: string | undefined
  return text => {
    const match = pattern.exec(names.size > 0 ? normalize(text, language) : text)
    if (!match) return undefined
    const values: Partial<Record<Field, string>> = {}
    for (let i = 0; i < fields.length; i++) values[fields[i]!] = match[i + 1]!
    for (const [field, { numbers }] of names) values[field] = String(numbers.get(values[field]!.replace(/\.$/, '')))
    if (mayAbbreviate && values.year?.length === 2) values.year = fullYear(values.year)
    const date = writeDate(values)
    // Most times have the date of the one before.
    if (date !== lastDate && !isDate(date)) return undefined
    lastDate = date
    if (values.weekday && weekdayOf(dayNumber(date)) !== Number(values.weekday)) return undefined
    const time = isDateOnly ? '' : readTimeOfDay(values, hasHourFrom1)
    return time === undefined ? undefined : date + time
  }
}

type Values = Readonly<Partial<Record<Field, string>>>

const padded = (number: number | string, length = 2): string => String(number).padStart(length, '0')

const fullYear = (year: string): string => `${Number(year) > LAST_YEAR_OF_TWO_DIGITS ? 19 : 20}${year}`

/** Returns a date, which may not exist; that of a year alone is its first day. */
function writeDate({ year = '', month = '1', day = '1', ordinal }: Values): string {
  const start = padded(year, 4)
  if (ordinal === undefined) return `${start}-${padded(month)}-${padded(day)}`
  const date = dateOf(dayNumber(`${start}-01-01`) + Number(ordinal) - 1)
  return date.startsWith(start) ? date : ''
}

function readTimeOfDay(values: Values, hasHourFrom1: boolean): string | undefined {
  const { hour, hour12 = '0', meridiem = '', minute = '0', second = '0', fraction = '0', offset = '' } = values
  if (Number(hour12) > 12) return undefined
  const hours = Number(hour ?? (Number(hour12) % 12) + (/^p/i.test(meridiem) ? 12 : 0))
  if (hours > 24 || Number(minute) > 59 || Number(second) > 59 || (hasHourFrom1 && hours === 0)) return undefined
  const milliseconds = fraction === '0' ? '' : fraction.padEnd(3, '0').slice(0, 3)
  const rest = `${padded(minute)}:${padded(second)}${Number(milliseconds) > 0 ? `.${milliseconds}` : ''}`
  if (hours === 24 && rest !== '00:00') return undefined
  return `T${padded(hours)}:${rest}${offset && readOffset(offset)}`
}

function readOffset(text: string): string {
  const [, sign, hours = '', minutes = '00'] = /^([+-])(\d{1,2}):?(\d\d)?$/.exec(text) ?? []
  return sign ? `${sign}${padded(hours)}:${minutes}` : '+00:00'
}
