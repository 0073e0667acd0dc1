/** Finds the common time formats that fit a value, for error messages. */
import { compileTimeFormats, type ReadTime } from './time-format'

const DATES = [
  'yyyy-MM-dd',
  'yyyy/MM/dd',
  'yyyy.MM.dd',
  'dd.MM.yyyy',
  'd.M.yyyy',
  'dd.MM.yy',
  'MM/dd/yyyy',
  'dd/MM/yyyy',
  'M/d/yyyy',
  'd/M/yyyy',
  'MM/dd/yy',
  'dd/MM/yy',
  'M/d/yy',
  'd/M/yy',
  'MM-dd-yyyy',
  'dd-MM-yyyy',
  'dd-MMM-yyyy',
  'dd-MMM-yy',
  'd MMM yyyy',
  'd MMMM yyyy',
  'MMM d, yyyy',
  'MMMM d, yyyy',
  'yyyyMMdd',
]

const TIMES = [
  '',
  'HH:mm',
  'HH:mm:ss',
  'H:mm',
  'H:mm:ss',
  'hh:mm a',
  'hh:mm:ss a',
  'h:mm a',
  'h:mm:ss a',
  'HH:mm:ss.SSS',
  'HH:mm:ssXXX',
  'HHmm',
  'H',
]

/** Guesses for different values; those that fit no format before take longest. */
const MAX_GUESSES = 1000

let formats: { format: string; read: ReadTime }[] | undefined
let guesses = 0

/** The formats that fit: one, or two where the order of day and month is not certain. Empty for none. */
export function guessTimeFormats(text: string): string[] {
  if (text.length > 60 || !/\d/.test(text) || guesses++ > MAX_GUESSES) return []
  formats ??= DATES.flatMap(date => TIMES.flatMap(time => formatsOf(date, time))).map(format => ({
    format,
    read: compileTimeFormats([format]),
  }))
  const fitting = formats.filter(({ read }) => read(text) !== undefined)
  const [first] = fitting
  if (!first) return []
  // Rows like this one come next, most likely.
  formats = [first, ...formats.filter(format => format !== first)]
  const swapped = fitting.find(({ format }) => isDayFirst(format) !== isDayFirst(first.format))
  return swapped ? [first.format, swapped.format] : [first.format]
}

const formatsOf = (date: string, time: string): string[] =>
  time === ''
    ? [date]
    : date === 'yyyyMMdd' || /^yyyy/.test(date)
      ? [`${date} ${time}`, `${date}T${time}`]
      : [`${date} ${time}`, `${date}, ${time}`]

const isDayFirst = (format: string): boolean => format.indexOf('d') < format.indexOf('M')
