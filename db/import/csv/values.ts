/** How the values of columns are read: each gives the text that PostgreSQL takes, or undefined for what is not allowed. */
import { dayNumber, isDate, isTimeZone } from '../../calendar/local-days'
import type { Clocks } from '../counts/clock'
import { WallClock } from '../counts/wall-clock'

export interface Column {
  /** Its type in PostgreSQL. */
  type: string
  /** What is allowed, as it ends the sentence "… must be". */
  expected: string
  /** @param zone where local times are meant */
  read(text: string, zone: string): string | undefined
  /** An empty value is a fault. */
  required?: true
  /** SQL for the value of a new row that tells none; an existing row keeps its own. */
  otherwise?: string
}

/** The same column, which must have a value. */
export const required = (column: Column): Column => ({ ...column, required: true })

/** The same column, with a value (in SQL) for new rows that have none. */
export const otherwise = (value: string, column: Column): Column => ({ ...column, otherwise: value })

const pattern = (expected: string, allowed: RegExp): Column => ({
  type: 'text COLLATE "C"',
  expected,
  read: text => (allowed.test(text) ? text : undefined),
})

export const text = (most: number): Column => ({
  type: 'text COLLATE "C"',
  expected: `text of at most ${most} characters`,
  read: text => {
    // Blanks around a name would make it another name.
    const trimmed = text.trim()
    return trimmed !== '' && (trimmed.length <= most || [...trimmed].length <= most) ? trimmed : undefined
  },
})

export const oneOf = (choices: readonly string[]): Column => ({
  type: 'text COLLATE "C"',
  expected: `one of ${choices.join(', ')}`,
  read: text => (choices.includes(text) ? text : undefined),
})

/** The same, kept as its place among them, from 0. */
export const placeIn = (choices: readonly string[]): Column => ({
  ...oneOf(choices),
  type: 'smallint',
  read: text => {
    const place = choices.indexOf(text)
    return place < 0 ? undefined : String(place)
  },
})

export const whole = (least: number, most: number): Column => ({
  type: most > 2_147_483_647 ? 'bigint' : 'integer',
  expected: `a whole number from ${least} to ${most}`,
  read: text => {
    if (!/^-?\d{1,16}$/.test(text)) return undefined
    const number = Number(text)
    return number >= least && number <= most ? String(number) : undefined
  },
})

/** @param allows besides being a finite number */
export const decimal = (expected: string, allows: (number: number) => boolean): Column => ({
  type: 'double precision',
  expected,
  read: text => {
    if (text.length > 40 || !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/.test(text)) return undefined
    const number = Number(text)
    return Number.isFinite(number) && allows(number) ? String(number) : undefined
  },
})

const YES = ['true', 't', 'yes', '1']
const NO = ['false', 'f', 'no', '0']

export const yesOrNo: Column = {
  type: 'boolean',
  expected: 'true or false',
  read: text => {
    const word = text.toLowerCase()
    return YES.includes(word) ? 'true' : NO.includes(word) ? 'false' : undefined
  },
}

export const id = pattern(
  'an identifier: a letter, then 7 to 31 letters or digits, in lower case',
  /^[a-z][a-z0-9]{7,31}$/,
)

/** An identifier, or another name of something that exists. */
export const reference = pattern('what another row is known by', /^.{1,500}$/s)

export const country = pattern('an ISO 3166-1 alpha-2 code like DE', /^[A-Z]{2}$/)

export const region = pattern('an ISO 3166-2 code like DE-NW', /^[A-Z]{2}-[A-Z0-9]{1,3}$/)

export const timeZone: Column = {
  type: 'text COLLATE "C"',
  expected: 'an IANA time zone like Europe/Berlin',
  read: text => (isTimeZone(text) ? text : undefined),
}

export const date: Column = {
  type: 'date',
  expected: 'a real date, YYYY-MM-DD',
  read: text => (isDate(text) ? text : undefined),
}

/** An instant; without an offset it is local time, and a date is the beginning of its day. */
export function instant(clocks: Clocks): Column {
  const clock = new WallClock()
  const secondsOf = (text: string, zone: string): number | undefined => {
    if (isDate(text)) return clocks.day(zone, dayNumber(text)).start
    if (!clock.read(text)) return undefined
    if (clock.offset !== undefined) return clock.day * 86_400 + clock.second - clock.offset
    return clocks.instantsOf(zone, clock.day, clock.second)[0]
  }
  return {
    type: 'timestamptz(3)',
    expected: 'a time stamp like 2026-03-01T08:00:00+01:00, or a local date or time that the clock shows',
    read: (text, zone) => {
      clock.millis = 0
      const seconds = secondsOf(text, zone)
      if (seconds === undefined || seconds < FIRST || seconds > LAST) return undefined
      return new Date(seconds * 1000 + clock.millis).toISOString()
    },
  }
}

const FIRST = dayNumber('1900-01-01') * 86_400
const LAST = dayNumber('2200-12-31') * 86_400
