/**
 * Characters of data that act on a terminal instead of being seen are printed as escapes: control characters, those
 * without a width, those that change the direction of what follows, separators of lines, and halves of surrogate pairs.
 */

/** Escapes them as JSON does, which JSON survives, but line feeds, tabs and joiners, which letters and emoji need. */
export const printable = (text: string): string =>
  text.replace(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, character =>
    character.replace(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )

/** Returns the same for a value within a line: white space that breaks lines becomes a blank. */
export const printableLine = (text: string): string => printable(text.replace(/[\t-\r\x85\u2028\u2029]+/g, ' '))
