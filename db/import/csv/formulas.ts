/**
 * Guards text in CSV files against spreadsheets, which evaluate values that begin like a formula: these get an apostrophe
 * before them, as OWASP recommends. Browser pages use it too.
 */

/** With the apostrophes of values that look like guarded ones, so that `unguard` restores every value. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** Numbers with a sign, in any notation, cannot do harm. */
const NUMBER = /^[+-][\d.,]+(e[+-]?\d+)?$/i

export const guardFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)

/** Reverses `guardFormula`. */
export const unguardFormula = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
