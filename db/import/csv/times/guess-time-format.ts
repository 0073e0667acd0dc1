/** Works out the time format that fits a value, for error messages. */
import { compileTimeFormats } from './time-format'

/** Guesses for different values; those that fit no format take longest. */
const MAX_GUESSES = 1000

const MONTHS = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i
const WEEKDAYS = /^(mon|tue|wed|thu|fri|sat|sun)/i

/** The name of a zone, or of its area, which as text of the format would be read as local time. */
const ZONE_NAME = /^(\p{Lu}{2,}|Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)$/u

/** A part of a value: a number, a word or an offset, and the text before it. */
interface Part {
  before: string
  text: string
}

type DateOrder = readonly ('y' | 'M' | 'd')[]

const YEAR_FIRST: DateOrder = ['y', 'M', 'd']
const MONTH_FIRST: DateOrder = ['M', 'd', 'y']
const DAY_FIRST: DateOrder = ['d', 'M', 'y']

let guesses = 0

/** Returns the formats that fit: one, or two where the order of day and month is not certain. Empty for none. */
export function guessTimeFormats(text: string): string[] {
  if (text.length > 60 || !/\d/.test(text) || guesses++ > MAX_GUESSES) return []
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(/(?<=\d)(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$|\d+|\p{L}+/gu)) {
    parts.push({ before: text.slice(end, match.index), text: match[0] })
    end = match.index + match[0].length
  }
  const rest = text.slice(end)
  const formats = guessOrders(text).flatMap(order => {
    const format = buildFormat(parts, order)
    return format === undefined ? [] : [format + literal(rest)]
  })
  return [...new Set(formats)].filter(fits(text)).slice(0, 2)
}

/** Returns the orders in which a date may be written; its year is first or last. */
function guessOrders(text: string): DateOrder[] {
  if (/^\D*\d{4}/.test(text)) return [YEAR_FIRST]
  return /^\D*\d{1,2}\./.test(text) ? [DAY_FIRST] : [MONTH_FIRST, DAY_FIRST]
}

const fits =
  (text: string) =>
  (format: string): boolean => {
    try {
      return compileTimeFormats([format])(text) !== undefined
    } catch {
      return false
    }
  }

function buildFormat(parts: readonly Part[], order: DateOrder): string | undefined {
  const date = [...order]
  const time = ['H', 'm', 's', 'S']
  const hasMeridiem = parts.some(({ text }) => /^[ap]m$/i.test(text))
  const isShort = hasShortFields(parts)
  let format = ''
  let isTime = false
  for (const { before, text } of parts) {
    format += literal(before)
    if (/^\d+$/.test(text)) {
      const digits = text.length
      if (digits >= 8 && digits % 2 === 0 && date.length === 3) {
        format += 'yyyyMMddHHmmss'.slice(0, digits)
        date.length = 0
        time.splice(0, (digits - 8) / 2)
      } else if (date.length > 0) {
        const field = date.shift() as string
        if (field === 'y') format += digits === 4 ? 'yyyy' : 'yy'
        else format += isShort(text) ? field : field.repeat(2)
      } else {
        if (digits === 4 && time[0] === 'H') time.splice(0, 2, 'Hm')
        const field = time.shift()
        if (field === undefined) return undefined
        if (field === 'Hm') format += hasMeridiem ? 'hhmm' : 'HHmm'
        else if (field === 'S') format += 'SSS'
        else format += (field === 'H' && hasMeridiem ? 'h' : field).repeat(field === 'H' && digits === 1 ? 1 : 2)
        isTime = true
      }
    } else if (/^(Z|[+-]\d\d:?\d\d)$/.test(text) && isTime) format += text.includes(':') || text === 'Z' ? 'XXX' : 'XX'
    else if (/^[ap]m$/i.test(text)) format += 'a'
    else if (MONTHS.test(text) && date.includes('M')) {
      date.splice(date.indexOf('M'), 1)
      format += text.length === 3 ? 'MMM' : 'MMMM'
    } else if (WEEKDAYS.test(text)) format += text.length === 3 ? 'EEE' : 'EEEE'
    else if (isTime && ZONE_NAME.test(text)) return undefined
    else format += text === 'T' ? 'T' : `'${text}'`
  }
  return date.length === 0 ? format : undefined
}

/** Returns whether a day or month is one letter of the format: others may have one digit where it has two. */
function hasShortFields(parts: readonly Part[]): (text: string) => boolean {
  const numbers = parts.filter(({ text }) => /^\d+$/.test(text))
  const hasMonthName = parts.some(({ text }) => MONTHS.test(text))
  if (hasMonthName && !parts.some(({ before }) => before === '-')) return () => true
  const isShort = numbers.slice(0, hasMonthName ? 2 : 3).some(({ text }) => text.length === 1)
  return text => isShort && !text.startsWith('0')
}

/** Returns text as it is written in a format. */
const literal = (text: string): string => text.replace(/[A-Za-z]+/g, "'$&'").replaceAll('\u00a0', ' ')
