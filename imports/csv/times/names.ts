/** Names of months and weekdays in other languages, as Intl has them. */
import type { ReadTime } from './time-tokens'

interface Names {
  pattern: RegExp
  /** By name, in lower case and without a dot at the end. */
  english: ReadonlyMap<string, string>
}

/** Returns whether this Node.js knows a language. */
export function isLanguage(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf([tag]).length > 0
  } catch {
    return false
  }
}

/**
 * Returns a reader of times with names in a language, in any case, with or without a dot.
 *
 * @param read reads English names
 * @param format of the times, in the tokens of luxon
 */
export function readNames(read: ReadTime, format: string, language: string): ReadTime {
  const tokens = format.replace(/'[^']*'/g, '').match(/M{3,4}|L{3,4}|E{3,4}/g) ?? []
  const fields = tokens.map(token =>
    listNames(language, token.startsWith('E') ? 'weekday' : 'month', token.length === 4),
  )
  const translate = (text: string, dot: string): string | undefined => {
    let translated = ''
    let rest = text
    for (const { pattern, english } of fields) {
      const match = pattern.exec(rest)
      if (!match) return undefined
      const [whole, name = '', dots] = match
      translated += `${rest.slice(0, match.index)}${english.get(name)}${dots ? dot : ''}`
      rest = rest.slice(match.index + whole.length)
    }
    return translated + rest
  }
  return text => {
    const lower = normalize(text, language)
    for (const dot of ['', '.']) {
      const translated = translate(lower, dot)
      const time = translated === undefined ? undefined : read(translated)
      if (time !== undefined) return time
    }
    return undefined
  }
}

const normalize = (text: string, language: string): string =>
  text.normalize('NFC').replace(/\s/g, ' ').toLocaleLowerCase(language)

function listNames(language: string, part: 'month' | 'weekday', isLong: boolean): Names {
  const english = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (let i = 0; i < (part === 'month' ? 12 : 7); i++) {
    const date = part === 'month' ? Date.UTC(2024, i, 1) : Date.UTC(2024, 0, i + 1)
    const [name = ''] = formsOf('en-US', part, date, isLong ? ['long'] : ['short'])
    for (const form of formsOf(language, part, date, ['long', 'short'])) {
      const key = normalize(form, language).replace(/\.$/, '')
      // Some languages write numbers in dates.
      if (!/\p{L}/u.test(key)) continue
      if (english.has(key) && english.get(key) !== name) ambiguous.add(key)
      english.set(key, name)
    }
  }
  for (const key of ambiguous) english.delete(key)
  const keys = [...english.keys()].sort((a, b) => b.length - a.length)
  const choices = keys.map(key => key.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
  return { pattern: new RegExp(`(?<![\\p{L}\\p{M}])(${choices})(\\.?)(?![\\p{L}\\p{M}])`, 'u'), english }
}

/** Returns the forms of a name, alone and within a date. */
function formsOf(language: string, part: 'month' | 'weekday', date: number, widths: ('long' | 'short')[]): string[] {
  return widths.flatMap(width =>
    [{}, { day: 'numeric' }, { day: 'numeric', year: 'numeric', month: width }].map(others => {
      const options = { calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC', [part]: width, ...others }
      const parts = new Intl.DateTimeFormat(language, options as Intl.DateTimeFormatOptions).formatToParts(date)
      return parts.find(({ type }) => type === part)?.value ?? ''
    }),
  )
}
