/** The time formats that a message may propose. Two-digit years and offsets are in none, because they may mean something else. */
const FORMATS = [
  'yyyy-MM-dd',
  'yyyy-MM-dd HH:mm',
  'yyyy-MM-dd HH:mm:ss',
  'yyyy-MM-dd HHmm',
  'yyyy-MM-dd H',
  'yyyy-MM-dd hh:mm a',
  'yyyy/MM/dd',
  'yyyy/MM/dd HH:mm',
  'yyyy/MM/dd HH:mm:ss',
  'yyyyMMdd',
  'yyyyMMddHHmm',
  'yyyyMMddHHmmss',
  'dd.MM.yyyy',
  'dd.MM.yyyy HH:mm',
  'dd.MM.yyyy HH:mm:ss',
  'dd/MM/yyyy',
  'MM/dd/yyyy',
  'dd/MM/yyyy HH:mm',
  'MM/dd/yyyy HH:mm',
  'dd/MM/yyyy HH:mm:ss',
  'MM/dd/yyyy HH:mm:ss',
  'dd/MM/yyyy hh:mm a',
  'MM/dd/yyyy hh:mm a',
  'dd/MM/yyyy hh:mm:ss a',
  'MM/dd/yyyy hh:mm:ss a',
  'dd-MM-yyyy HH:mm',
  'MM-dd-yyyy HH:mm',
  'dd-MMM-yyyy HH:mm',
  'MMMM dd, yyyy hh:mm:ss a',
  'range',
  'dd.MM.yyyy range',
  'dd/MM/yyyy range',
  'MM/dd/yyyy range',
]

const oneDigit = (tokens: RegExp) => (format: string) => format.replace(tokens, token => token.charAt(0))

/** Stricter formats first: those of which the hour, then also the day and month may have one digit, come behind. */
export const KNOWN_FORMATS: readonly string[] = [
  ...new Set([...FORMATS, ...FORMATS.map(oneDigit(/\b(HH|hh)\b/)), ...FORMATS.map(oneDigit(/\b(dd|MM|HH|hh)\b/g))]),
]
