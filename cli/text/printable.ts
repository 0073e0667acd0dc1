/** Control characters of data, which would act on the terminal, are printed as escapes. */

/** Escapes control characters but line feeds, as JSON does; where the text is JSON, it still is, with the same meaning. */
export const printable = (text: string): string =>
  text.replace(/[^\n\P{Cc}]/gu, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the same for a value within a line: white space that breaks lines becomes a blank. */
export const printableLine = (text: string): string => printable(text.replace(/[\t-\r\x85]+/g, ' '))
