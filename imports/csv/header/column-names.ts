/** The names by which options refer to columns of a file: whole names, or patterns with `*` for any text. */

/** Returns the texts that the asterisks of a pattern stand for, as short as possible; undefined without a match. */
export function matchPattern(pattern: string, text: string): string[] | undefined {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return pattern === text ? [] : undefined
  const end = text.length - last.length
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return undefined
  const texts: string[] = []
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return undefined
    texts.push(text.slice(at, found))
    at = found + part.length
  }
  return [...texts, text.slice(at, end)]
}

/** Returns the indexes of the columns with a name, or else of those that match it as a pattern. */
export function columnsNamed(name: string, names: readonly string[]): number[] {
  const wanted = name.trim()
  const isNamed = (each: string) => each === wanted
  const matches = names.some(isNamed) || !wanted.includes('*') ? isNamed : (each: string) => matchPattern(wanted, each)
  return names.flatMap((each, index) => (matches(each) ? [index] : []))
}

/** A part of joined columns: the indexes of the columns with its name, or a constant. */
export type JoinedPart = readonly number[] | string

/** A constant has single quotes; within it they are doubled. */
const CONSTANT = /^'((?:[^']|'')*)'$/

/**
 * Returns the parts of a text in which columns and constants are joined with `+`, which names may contain too. Of
 * columns with the same name it is the first. Undefined where a column is missing.
 */
export function joinedParts(text: string, names: readonly string[]): JoinedPart[] | undefined {
  const whole = readPart(text, names)
  if (whole !== undefined) return [whole]
  for (let at = text.indexOf('+'); at >= 0; at = text.indexOf('+', at + 1)) {
    const before = readPart(text.slice(0, at), names)
    const behind = before !== undefined && joinedParts(text.slice(at + 1), names)
    if (behind) return [before, ...behind]
  }
  return undefined
}

/** Returns the indexes of columns that are joined; undefined where one is missing. */
export function columnsJoined(text: string, names: readonly string[]): number[] | undefined {
  const parts = joinedParts(text, names)
  return parts?.some(part => typeof part === 'string') ? undefined : (parts?.flat() as number[] | undefined)
}

/** Returns whether a part begins with the quote of a constant, and has no other one at its end. */
export const hasUnclosedQuote = (text: string): boolean =>
  /^\s*'|\+\s*'/.test(text.replace(/(^|\+)\s*'(?:[^']|'')*'\s*(?=\+|$)/g, '$1'))

function readPart(text: string, names: readonly string[]): JoinedPart | undefined {
  const exact = names.indexOf(text.trim())
  const indexes = exact >= 0 ? [exact] : columnsNamed(text, names)
  return indexes.length > 0 ? indexes : CONSTANT.exec(text.trim())?.[1]?.replaceAll("''", "'")
}
