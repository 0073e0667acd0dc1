/** Names of months and weekdays, in any language that Intl has, as dates contain them. */

export interface DateNames {
  /** Reads a name in lower case, with or without a dot. */
  pattern: string
  /** The number of the month or weekday (from 1, Monday) by name, in lower case and without a dot at the end. */
  numbers: ReadonlyMap<string, number>
}

/** Returns whether this Node.js knows a language. */
export function isLanguage(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf([tag]).length > 0
  } catch {
    return false
  }
}

/** Returns text as names are compared. */
export const normalize = (text: string, language: string): string =>
  text.normalize('NFC').replace(/\s/g, ' ').toLocaleLowerCase(language)

/** Returns the names in a language, long and short ones. */
export function listNames(language: string, part: 'month' | 'weekday'): DateNames {
  const numbers = new Map<string, number>()
  const ambiguous = new Set<string>()
  for (let number = 1; number <= (part === 'month' ? 12 : 7); number++) {
    const date = part === 'month' ? Date.UTC(2024, number - 1, 1) : Date.UTC(2024, 0, number)
    for (const form of listForms(language, part, date)) {
      const name = normalize(form, language).replace(/\.$/, '')
      // Some languages write numbers in dates.
      if (!/\p{L}/u.test(name)) continue
      if ((numbers.get(name) ?? number) !== number) ambiguous.add(name)
      numbers.set(name, number)
    }
  }
  for (const name of ambiguous) numbers.delete(name)
  const longestFirst = [...numbers.keys()].sort((a, b) => b.length - a.length)
  return { pattern: `(?:${longestFirst.map(escapePattern).join('|')})\\.?`, numbers }
}

/** Returns a regular expression that matches a text. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Returns the forms of a name, alone and within a date. */
const listForms = (language: string, part: 'month' | 'weekday', date: number): string[] =>
  (['long', 'short'] as const).flatMap(width =>
    [{}, { day: 'numeric' }, { day: 'numeric', year: 'numeric', month: width }].map(others => {
      const options = { calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC', [part]: width, ...others }
      const parts = new Intl.DateTimeFormat(language, options as Intl.DateTimeFormatOptions).formatToParts(date)
      return parts.find(({ type }) => type === part)?.value ?? ''
    }),
  )
