/** Unicode tokens of a time format, and those of luxon that stand for them. */

/** Reads a value as ISO 8601: a date, or a date and time with an offset if the value has one. */
export type ReadTime = (text: string) => string | undefined

export interface FormatParts {
  /** The format in the tokens of luxon. */
  format: string
  hasTime: boolean
  /** Whether the hours are 1 to 24. */
  isHourFrom1: boolean
  /** Whether it has a year alone, which stands for its first day. */
  isYear: boolean
  /** Whether Z stands for the offset zero. */
  hasZulu: boolean
}

/** The parts of a time that the tokens stand for. A format has each part at most once. */
type Field =
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

const TOKENS: Record<string, readonly [luxon: string, field: Field]> = {
  y: ['y', 'year'],
  yy: ['yy', 'year'],
  yyyy: ['yyyy', 'year'],
  M: ['M', 'month'],
  MM: ['MM', 'month'],
  MMM: ['MMM', 'month'],
  MMMM: ['MMMM', 'month'],
  L: ['L', 'month'],
  LL: ['LL', 'month'],
  LLL: ['LLL', 'month'],
  LLLL: ['LLLL', 'month'],
  d: ['d', 'day'],
  dd: ['dd', 'day'],
  D: ['o', 'ordinal'],
  DDD: ['ooo', 'ordinal'],
  E: ['EEE', 'weekday'],
  EE: ['EEE', 'weekday'],
  EEE: ['EEE', 'weekday'],
  EEEE: ['EEEE', 'weekday'],
  ccc: ['EEE', 'weekday'],
  cccc: ['EEEE', 'weekday'],
  H: ['H', 'hour'],
  HH: ['HH', 'hour'],
  k: ['H', 'hour'],
  kk: ['HH', 'hour'],
  h: ['h', 'hour12'],
  hh: ['hh', 'hour12'],
  a: ['a', 'meridiem'],
  m: ['m', 'minute'],
  mm: ['mm', 'minute'],
  s: ['s', 'second'],
  ss: ['ss', 'second'],
  S: ['u', 'fraction'],
  SS: ['u', 'fraction'],
  SSS: ['SSS', 'fraction'],
  SSSSSS: ['u', 'fraction'],
  X: ['ZZ', 'offset'],
  XX: ['ZZZ', 'offset'],
  XXX: ['ZZ', 'offset'],
  x: ['ZZ', 'offset'],
  xx: ['ZZZ', 'offset'],
  xxx: ['ZZ', 'offset'],
  Z: ['ZZZ', 'offset'],
}

const KNOWN = 'yyyy yy MM MMM MMMM dd DDD EEE EEEE HH kk hh a mm ss SSS XXX'

/** Formats with the tokens of other tools, and the messages about them. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/%/, 'has %: the tokens are those of Unicode, like dd.MM.yyyy HH:mm'],
  [/Y|DD(?!D)|D.*[ML]|[ML].*D/, 'has tokens of another tool: the year is yyyy, the day of the month is dd'],
]

const MAX_LENGTH = 100

/** @returns what is wrong with the format as a sentence without subject, or its parts */
export function parseFormat(format: string): FormatParts | string {
  if (format.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`
  const fields: Field[] = []
  let luxon = ''
  let hasZulu = false
  let isHourFrom1 = false
  for (const [part, quoted, token] of format.matchAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z]/g)) {
    if (quoted !== undefined || token === undefined || part === 'T') {
      if (quoted === '' || part === "'") return "has an apostrophe: text in '…' cannot contain one"
      luxon += `'${quoted ?? part}'`
      continue
    }
    const known = TOKENS[part]
    if (!known) {
      const mistake = MISTAKES.find(([pattern]) => pattern.test(format))?.[1]
      return (
        mistake ?? `has ${part}, which is not a known token; known tokens are ${KNOWN}, and other text is quoted: '…'`
      )
    }
    const [replacement, field] = known
    if (fields.includes(field)) return `has the ${field} twice`
    fields.push(field)
    luxon += replacement
    hasZulu ||= part.startsWith('X')
    isHourFrom1 ||= part.startsWith('k')
  }
  const reason = missingField(new Set(fields), format)
  if (reason) return reason
  return {
    format: luxon,
    hasTime: fields.includes('hour') || fields.includes('hour12'),
    isHourFrom1,
    isYear: fields.length === 1,
    hasZulu,
  }
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
