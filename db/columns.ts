/** The types of columns: how a value of a file is parsed, and the text that PostgreSQL gets. */

import type { LocalDayCache } from './calendar/local-day-cache'
import { dayNumber, isDate } from './calendar/local-days'
import { TimestampParser } from './calendar/timestamp-parser'
import { isTimeZone } from './calendar/zone-rules'

export interface Column {
  /** The type in PostgreSQL. */
  type: string
  /** The valid values, in words that complete the sentence "… must be". */
  expected: string
  /**
   * Parses a value that is not empty.
   *
   * @param zone the time zone of local times
   * @returns text for PostgreSQL; undefined for an invalid value
   */
  parse(text: string, zone: string): string | undefined
  /** An empty value is an error. */
  required?: true
  /** SQL of the value of a new row that has none. An existing row keeps its value. */
  defaultValue?: string
}

/** Returns the same column, with a value required in every row. */
export const required = (column: Column): Column => ({ ...column, required: true })

/** Returns the same column, with a default (in SQL) for new rows. */
export const withDefault = (defaultValue: string, column: Column): Column => ({ ...column, defaultValue })

const TEXT = 'text COLLATE "C"'

const pattern = (expected: string, valid: RegExp): Column => ({
  type: TEXT,
  expected,
  parse: text => (valid.test(text) ? text : undefined),
})

/** Text without the blanks around it, which would make a name another name. */
export const text = (maxLength: number): Column => ({
  type: TEXT,
  expected: `text of at most ${maxLength} characters`,
  parse: text => {
    const trimmed = text.trim()
    return trimmed !== '' && (trimmed.length <= maxLength || [...trimmed].length <= maxLength) ? trimmed : undefined
  },
})

export const oneOf = (choices: readonly string[]): Column => ({
  type: TEXT,
  expected: `one of ${choices.join(', ')}`,
  parse: text => (choices.includes(text) ? text : undefined),
})

/** One of the choices, stored as its index. */
export const indexIn = (choices: readonly string[]): Column => ({
  ...oneOf(choices),
  type: 'smallint',
  parse: text => {
    const index = choices.indexOf(text)
    return index < 0 ? undefined : String(index)
  },
})

export const integer = (min: number, max: number): Column => ({
  type: max > 2_147_483_647 ? 'bigint' : 'integer',
  expected: `a whole number from ${min} to ${max}`,
  parse: text => {
    if (!/^-?\d{1,16}$/.test(text)) return undefined
    const number = Number(text)
    return number >= min && number <= max ? String(number) : undefined
  },
})

/** @param isValid checked for finite numbers */
export const decimal = (expected: string, isValid: (number: number) => boolean): Column => ({
  type: 'double precision',
  expected,
  parse: text => {
    if (text.length > 40 || !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/.test(text)) return undefined
    const number = Number(text)
    return Number.isFinite(number) && isValid(number) ? String(number) : undefined
  },
})

const TRUE = ['true', 't', 'yes', '1']
const FALSE = ['false', 'f', 'no', '0']

export const boolean: Column = {
  type: 'boolean',
  expected: 'true or false',
  parse: text => {
    const word = text.toLowerCase()
    return TRUE.includes(word) ? 'true' : FALSE.includes(word) ? 'false' : undefined
  },
}

export const id = pattern(
  'an identifier: a letter, then 7 to 31 letters or digits, in lower case',
  /^[a-z][a-z0-9]{7,31}$/,
)

/** The id or the natural key of something stored; `StagedRows.resolve` looks it up. */
export const reference = pattern('an id or another unique name', /^.{1,500}$/s)

export const country = pattern('an ISO 3166-1 alpha-2 code like DE', /^[A-Z]{2}$/)

export const region = pattern('an ISO 3166-2 code like DE-NW', /^[A-Z]{2}-[A-Z0-9]{1,3}$/)

export const timeZone: Column = {
  type: TEXT,
  expected: 'an IANA time zone like Europe/Berlin',
  parse: text => (isTimeZone(text) ? text : undefined),
}

export const date: Column = {
  type: 'date',
  expected: 'a real date, YYYY-MM-DD',
  parse: text => (isDate(text) ? text : undefined),
}

const MIN_INSTANT = dayNumber('1900-01-01') * 86_400
const MAX_INSTANT = dayNumber('2200-12-31') * 86_400

/**
 * An instant. Without an offset it is local time, the first of two instants where the clock repeats it; a date is the start of
 * its day.
 *
 * @param fileZone the time zone of times, if it is not that of the row
 */
export function instant(days: LocalDayCache, fileZone?: string): Column {
  const timestamp = new TimestampParser()
  const parseSeconds = (text: string, zone: string): number | undefined => {
    if (isDate(text)) return days.day(zone, dayNumber(text)).start
    if (!timestamp.parse(text) || timestamp.second === 86_400) return undefined
    if (timestamp.offset !== undefined) return timestamp.day * 86_400 + timestamp.second - timestamp.offset
    return days.findInstants(fileZone ?? zone, timestamp.day, timestamp.second)[0]
  }
  return {
    type: 'timestamptz(3)',
    expected: 'a timestamp like 2026-03-01T08:00:00+01:00, or a local date or time that exists',
    parse: (text, zone) => {
      timestamp.millisecond = 0
      const seconds = parseSeconds(text, zone)
      if (seconds === undefined || seconds < MIN_INSTANT || seconds > MAX_INSTANT) return undefined
      return new Date(seconds * 1000 + timestamp.millisecond).toISOString()
    },
  }
}
