/**
 * Reads dates and times of other forms than ISO 8601, which formats in Unicode tokens describe (UTS 35, "Date Field Symbols").
 * luxon parses them. Since it takes 12 µs per value, dates and times of day are parsed once each: the expression that luxon
 * makes of a format splits a value into both.
 */
import type { Token } from 'luxon'
import { FileError } from '../../../db/file-errors'
import { NAMED_FORMATS } from './named-formats'
import { readNames } from './names'
import { rangeDateFormat, rangeReader } from './range-format'
import { type FormatParts, parseFormat, type ReadTime } from './time-tokens'

/** Dates and times of day that are cached, each. */
const MAX_CACHED = 100_000

const OTHER_BLANKS = /[\u00a0\u202f]/

/** `a.m.` and `p.m.`, which luxon does not know. */
const DOTTED_MERIDIEM = /\b([ap])\.\s?m\b\.?/i

/**
 * Returns a reader of the formats, of which the first that fits a value reads it. Hour 24 is read as the end of its date.
 *
 * @param language of the names of months and weekdays, a BCP 47 tag; English by default
 * @throws FileError for an invalid format
 */
export function compileTimeFormats(formats: readonly string[], language?: string): ReadTime {
  const readers = formats.flatMap(format => compileReaders(format, language))
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

/** Returns whether a format has a year alone. */
export function isYearFormat(format: string): boolean {
  const parts = parseFormat(format)
  return typeof parts !== 'string' && parts.isYear
}

/** Returns whether a format has more than a date. */
export function hasTime(format: string): boolean {
  const parts = parseFormat(format)
  return typeof parts === 'string' ? /^epoch|range$/.test(format) : parts.hasTime
}

/** The offset Z of X is a reader of its own, because luxon reads numbers only. */
const compileReaders = (format: string, language?: string): ReadTime[] => {
  const named = NAMED_FORMATS[format]
  if (named) return [named]
  const date = rangeDateFormat(format)
  if (date !== undefined) return compileReaders(date, language).map(rangeReader)
  const parts = parseFormat(format)
  if (typeof parts === 'string') throw new FileError(`--time-format ${JSON.stringify(format)} ${parts}`)
  const english = compileReader(parts)
  const read = language === undefined ? english : readNames(english, parts.format, language)
  if (!parts.hasZulu) return [read]
  return [read, text => (/z$/i.test(text) ? read(`${text.slice(0, -1)}+00:00`) : undefined)]
}

function compileReader({ format, hasTime, isHourFrom1 }: FormatParts): ReadTime {
  // Loaded here, because it takes long to load, and few files need it.
  const { DateTime } = require('luxon') as typeof import('luxon')
  const locale = 'en-US'
  const { regex, tokens } = DateTime.fromFormatExplain('', format, { locale })
  const { groups, beforeHour, hour24, hour12, hasOffset, isDateFirst } = analyzeTokens(tokens)
  const lengthOf = (match: RegExpExecArray, listed: readonly number[]) =>
    listed.reduce((length, group) => length + (match[group] as string).length, 0)
  const dates = new Map<string, string>()
  const times = new Map<string, string>()
  const read = (text: string): string | undefined => {
    const match = regex.exec(text)
    if (!match || Number(match[hour12]) > 12) return undefined
    const hour = Number(match[hour24])
    if (isHourFrom1 && hour === 0) return undefined
    if (hour !== 24) return parse(text, match)
    // luxon would read the next date.
    const index = lengthOf(match, beforeHour)
    const midnight = `${text.slice(0, index)}${'0'.repeat((match[hour24] as string).length)}${text.slice(index + 2)}`
    const start = parse(midnight, regex.exec(midnight) as RegExpExecArray)
    return start && /T00:00:00(?!\.)/.test(start) ? start.replace('T00', 'T24') : undefined
  }
  const parse = (text: string, match: RegExpExecArray): string | undefined => {
    const end = lengthOf(match, groups)
    const [start, rest] = [text.slice(0, end), text.slice(end)]
    const [dateText, timeText] = isDateFirst ? [start, rest] : [rest, start]
    const date = dates.get(dateText)
    const time = times.get(timeText)
    if (date !== undefined && time !== undefined) return date + time
    const parsed = DateTime.fromFormat(text, format, { zone: 'utc', locale, setZone: true })
    if (!parsed.isValid) return undefined
    const clock = hasTime ? parsed.toFormat("'T'HH:mm:ss.SSS").replace('.000', '') : ''
    remember(dates, dateText, parsed.toFormat('yyyy-MM-dd'))
    remember(times, timeText, hasOffset ? clock + parsed.toFormat('ZZ') : clock)
    return `${dates.get(dateText)}${times.get(timeText)}`
  }
  const hasMeridiem = hour12 >= 0
  return text => {
    const time = read(text)
    if (time !== undefined) return time
    const simple = text.replace(OTHER_BLANKS, ' ')
    const plain = hasMeridiem ? simple.replace(DOTTED_MERIDIEM, '$1m') : simple
    return plain === text ? undefined : read(plain)
  }
}

interface Structure {
  /** The groups of the expression that make up the first of date and time of day; all, if these are mixed. */
  groups: number[]
  isDateFirst: boolean
  /** The groups of the hours; -1 for none. */
  hour24: number
  /** The groups before it. */
  beforeHour: number[]
  hour12: number
  hasOffset: boolean
}

function analyzeTokens(tokens: readonly Token[]): Structure {
  const hours = { hour24: -1, beforeHour: [], hour12: -1 }
  const structure: Structure = { groups: [], isDateFirst: true, ...hours, hasOffset: false }
  const all: number[] = []
  const parts: ('date' | 'time')[] = []
  let group = 1
  for (const { literal, val } of tokens) {
    const part = literal || !/^[a-z]/i.test(val) ? undefined : /^[yMLdoE]/.test(val) ? 'date' : 'time'
    if (part && part !== parts.at(-1)) {
      if (parts.length === 1) structure.groups = [...all]
      parts.push(part)
    }
    if (part && val.startsWith('H')) Object.assign(structure, { hour24: group, beforeHour: [...all] })
    all.push(group)
    if (part && val.startsWith('h')) structure.hour12 = group
    const isOffset = part !== undefined && val.startsWith('Z')
    structure.hasOffset ||= isOffset
    // The expression of an offset has two groups of its own.
    group += isOffset ? 3 : 1
  }
  if (parts.length !== 2) return { ...structure, groups: all }
  return { ...structure, isDateFirst: parts[0] === 'date' }
}

function remember(cache: Map<string, string>, key: string, value: string): void {
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, value)
}
