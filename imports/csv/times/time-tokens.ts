/** Unicode tokens of a time format (UTS 35, "Date Field Symbols"), with the texts that they read. */

/** Reads a value as ISO 8601: a date, or a date and time with an offset if the value has one. */
export type ReadTime = (text: string) => string | undefined

/** The parts of a time that tokens stand for. A format has each part at most once. */
export type Field =
  | 'year'
  | 'month'
  | 'day'
  | 'ordinal'
  | 'weekday'
  | 'hour'
  | 'hour12'
  | 'meridiem'
  | 'minute'
  | 'second'
  | 'fraction'
  | 'offset'

/** A part of a format: a token, or text that a value has as it is. */
export type FormatPart = { field: Field; token: string; pattern: string } | { literal: string }

const [ONE_OR_TWO, TWO] = [String.raw`\d{1,2}`, String.raw`\d{2}`]
const [WITH_COLON, WITHOUT_COLON] = [String.raw`[+-]\d{1,2}(?::\d{2})?`, String.raw`[+-]\d{1,2}(?:\d{2})?`]

/** Names have no pattern of their own: it depends on the language. */
const FIELDS: Record<Field, Record<string, string>> = {
  year: { y: String.raw`\d{1,6}`, yy: String.raw`\d{2,4}`, yyyy: String.raw`\d{4}` },
  month: { M: ONE_OR_TWO, MM: TWO, MMM: '', MMMM: '', L: ONE_OR_TWO, LL: TWO, LLL: '', LLLL: '' },
  day: { d: ONE_OR_TWO, dd: TWO },
  ordinal: { D: String.raw`\d{1,3}`, DDD: String.raw`\d{3}` },
  weekday: { E: '', EE: '', EEE: '', EEEE: '', ccc: '', cccc: '' },
  hour: { H: ONE_OR_TWO, HH: TWO, k: ONE_OR_TWO, kk: TWO },
  hour12: { h: ONE_OR_TWO, hh: TWO },
  meridiem: { a: String.raw`[ap](?:\.\s?)?m\.?` },
  minute: { m: ONE_OR_TWO, mm: TWO },
  second: { s: ONE_OR_TWO, ss: TWO },
  fraction: { S: String.raw`\d{1,9}`, SS: String.raw`\d{1,9}`, SSS: String.raw`\d{3}`, SSSSSS: String.raw`\d{1,9}` },
  offset: {
    ...{ X: `${WITH_COLON}|z`, XX: `${WITHOUT_COLON}|z`, XXX: `${WITH_COLON}|z` },
    ...{ x: WITH_COLON, xx: WITHOUT_COLON, xxx: WITH_COLON, Z: WITHOUT_COLON },
  },
}

const TOKENS = new Map(
  Object.entries(FIELDS).flatMap(([field, tokens]) =>
    Object.entries(tokens).map(([token, pattern]) => [token, { field: field as Field, token, pattern }] as const),
  ),
)

const KNOWN = 'yyyy yy MM MMM MMMM dd DDD EEE EEEE HH kk hh a mm ss SSS XXX'

/** Formats with the tokens of other tools, and the messages about them. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/%/, 'has %: the tokens are those of Unicode, like dd.MM.yyyy HH:mm'],
  [/Y|DD(?!D)|D.*[ML]|[ML].*D/, 'has tokens of another tool: the year is yyyy, the day of the month is dd'],
]

const MAX_LENGTH = 100

/** @returns what is wrong with the format as a sentence without subject, or its parts */
export function parseFormat(format: string): readonly FormatPart[] | string {
  if (format.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`
  const fields = new Set<Field>()
  const parts: FormatPart[] = []
  for (const [part, quoted, letter] of format.matchAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z]/g)) {
    if (quoted !== undefined || letter === undefined || part === 'T') {
      if (quoted === '' || part === "'") return "has an apostrophe: text in '…' cannot contain one"
      parts.push({ literal: quoted ?? part })
      continue
    }
    const token = TOKENS.get(part)
    if (!token) {
      const mistake = MISTAKES.find(([pattern]) => pattern.test(format))?.[1]
      return (
        mistake ?? `has ${part}, which is not a known token; known tokens are ${KNOWN}, and other text is quoted: '…'`
      )
    }
    if (fields.has(token.field)) return `has the ${token.field} twice`
    fields.add(token.field)
    parts.push(token)
  }
  return missingField(fields, format) ?? parts
}

/** Returns the fields of a format; none for one that has no tokens. */
export function fieldsOf(format: string): ReadonlySet<Field> {
  const parts = parseFormat(format)
  return new Set(typeof parts === 'string' ? [] : parts.flatMap(part => ('field' in part ? part.field : [])))
}

function missingField(fields: ReadonlySet<Field>, format: string): string | undefined {
  const mistake = MISTAKES.find(([pattern]) => pattern.test(format.replace(/'[^']*'/g, '')))?.[1]
  const hasHour = fields.has('hour') || fields.has('hour12')
  if (!fields.has('year')) return mistake ?? 'has no year (yyyy)'
  if (fields.size === 1 && !mistake) return undefined
  if (!fields.has('ordinal') && !fields.has('month')) return mistake ?? 'has no month (MM; mm are minutes)'
  if (!fields.has('ordinal') && !fields.has('day')) return mistake ?? 'has no day of the month (dd)'
  if (fields.has('ordinal') && (fields.has('month') || fields.has('day')))
    return mistake ?? 'has D (day of the year) beside a month or day'
  if (fields.has('hour') && (fields.has('hour12') || fields.has('meridiem')))
    return 'has HH (24 hours) beside hh or a (12 hours)'
  if (fields.has('hour12') !== fields.has('meridiem')) return 'needs both hh and a (AM or PM), or HH for 24 hours'
  if (!hasHour && ['minute', 'second', 'fraction', 'offset'].some(field => fields.has(field as Field)))
    return 'has no hour (HH)'
  if (fields.has('second') && !fields.has('minute')) return 'has no minutes (mm)'
  if (fields.has('fraction') && !fields.has('second')) return 'has no seconds (ss)'
  return undefined
}
